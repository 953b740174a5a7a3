// A world's surface as geometry of three.js; the caller hands in its own copy of three.
/** { geometry, update() } of all bodies, or of one of world.bodies. */
export function toGeometry(THREE, world, body = null) {
  const from = () => (body ? body.positions : world.surface.positions);
  const geometry = new THREE.BufferGeometry(), positions = new THREE.BufferAttribute(Float32Array.from(from()), 3);
  positions.setUsage(THREE.DynamicDrawUsage);
  geometry.setAttribute('position', positions);
  geometry.setIndex(new THREE.BufferAttribute(Uint32Array.from(body ? body.triangles : world.surface.triangles), 1));
  geometry.computeVertexNormals();
  return {
    geometry,
    update() {
      positions.array.set(from());
      positions.needsUpdate = true;
      geometry.computeVertexNormals();
      geometry.computeBoundingSphere();
    },
  };
}
