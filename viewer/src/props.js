// Things beside the bodies: obstacles, arrows, local frames, the tool that pushes.
import {
  BufferAttribute, BufferGeometry, Color, DoubleSide, DynamicDrawUsage, Group, InstancedMesh, LatheGeometry, LineBasicMaterial, LineSegments,
  Matrix4, Mesh, MeshBasicMaterial, MeshStandardMaterial, PlaneGeometry, Quaternion, SphereGeometry, Vector2, Vector3,
} from 'three';

const mostArrows = 500, mostLocals = 240;
const along = new Vector3(0, 1, 0);

export class Props {
  constructor() {
    this.group = new Group();
    this.obstacles = new Group();
    this.group.add(this.obstacles);
    this.makeArrows();
    this.makeLocals();
    this.makeTool();
  }

  // ---- obstacles ----

  // What is not the ground: a sheet through the place nearest to the bodies, seen from both sides.
  setObstacles(planes, centre, size) {
    for (const thing of this.obstacles.children) {
      thing.geometry.dispose();
      thing.material.dispose();
    }
    this.obstacles.clear();
    for (const { point, normal } of planes) {
      const sheet = new Mesh(new PlaneGeometry(2.4 * size, 2.4 * size), new MeshStandardMaterial({
        color: '#8fa3b5', roughness: 0.8, transparent: true, opacity: 0.45, side: DoubleSide, depthWrite: false,
      }));
      const away = centre.clone().sub(point).dot(normal);
      sheet.position.copy(centre).addScaledVector(normal, -away);
      sheet.quaternion.setFromUnitVectors(new Vector3(0, 0, 1), normal);
      sheet.receiveShadow = true;
      this.obstacles.add(sheet);
    }
  }

  // ---- arrows ----

  makeArrows() {
    const profile = [[0, 0], [0.22, 0], [0.22, 0.7], [0.62, 0.7], [0, 1]].map(([x, y]) => new Vector2(x, y));
    this.arrows = new InstancedMesh(new LatheGeometry(profile, 10), new MeshStandardMaterial({ color: '#e11d48', roughness: 0.5 }), mostArrows);
    this.arrows.instanceMatrix.setUsage(DynamicDrawUsage);
    this.arrows.frustumCulled = false;
    this.arrows.castShadow = false;
    this.arrows.visible = false;
    this.group.add(this.arrows);
  }

  // The longest is a fixed part of the scene; how much it stands for follows the greatest slowly.
  setArrows(positions, vectors, size) {
    this.arrows.visible = !!vectors;
    if (!vectors) {
      this.greatest = 0;
      return;
    }
    const count = vectors.length / 3, stride = Math.max(1, Math.ceil(count / mostArrows));
    let most = 0;
    for (let i = 0; i < count; i++) most = Math.max(most, Math.hypot(vectors[3 * i], vectors[3 * i + 1], vectors[3 * i + 2]));
    this.greatest = Math.max(most, 0.985 * (this.greatest ?? 0), 1e-9);
    const matrix = new Matrix4(), turn = new Quaternion(), at = new Vector3(), way = new Vector3(), scale = new Vector3();
    let used = 0;
    for (let i = 0; i < count && used < mostArrows; i += stride) {
      way.fromArray(vectors, 3 * i);
      const length = way.length(), part = length / this.greatest;
      if (!(part > 0.01)) continue;
      const width = 0.02 * size * Math.min(1, 0.35 + part);
      matrix.compose(at.fromArray(positions, 3 * i), turn.setFromUnitVectors(along, way.divideScalar(length)), scale.set(width * 0.5, 0.2 * size * part, width * 0.5));
      this.arrows.setMatrixAt(used++, matrix);
    }
    this.arrows.count = used;
    this.arrows.instanceMatrix.needsUpdate = true;
  }

  // ---- local frames ----

  makeLocals() {
    const colours = new Float32Array(mostLocals * 18);
    ['#ef4444', '#22c55e', '#3b82f6'].forEach((text, axis) => {
      const { r, g, b } = new Color(text);
      for (let i = 0; i < mostLocals; i++) for (const end of [0, 3]) colours.set([r, g, b], 18 * i + 6 * axis + end);
    });
    const geometry = new BufferGeometry();
    geometry.setAttribute('position', new BufferAttribute(new Float32Array(mostLocals * 18), 3).setUsage(DynamicDrawUsage));
    geometry.setAttribute('color', new BufferAttribute(colours, 3));
    this.locals = new LineSegments(geometry, new LineBasicMaterial({ vertexColors: true, depthTest: false, transparent: true }));
    this.locals.renderOrder = 3;
    this.locals.frustumCulled = false;
    this.locals.visible = false;
    this.group.add(this.locals);
  }

  // 12 numbers each: the middle, then the three axes.
  setLocals(locals, size) {
    const count = Math.min(locals.length / 12, mostLocals), out = this.locals.geometry.attributes.position;
    this.locals.visible = count > 0;
    for (let i = 0; i < count; i++) {
      for (let axis = 0; axis < 3; axis++) {
        for (let k = 0; k < 3; k++) {
          const middle = locals[12 * i + k], to = 18 * i + 6 * axis + k;
          out.array[to] = middle;
          out.array[to + 3] = middle + 0.035 * size * locals[12 * i + 3 + 3 * axis + k];
        }
      }
    }
    this.locals.geometry.setDrawRange(0, 6 * count);
    out.needsUpdate = true;
  }

  // ---- the tool ----

  makeTool() {
    const steel = new MeshStandardMaterial({ color: '#64748b', roughness: 0.25, metalness: 0.55, transparent: true, opacity: 0.92 });
    this.tool = new Mesh(new SphereGeometry(1, 48, 32), steel);
    this.tool.castShadow = true;
    // it shines through a body that hides it
    this.tool.add(new Mesh(this.tool.geometry, new MeshBasicMaterial({ color: '#0ea5e9', transparent: true, opacity: 0.16, depthTest: false })));
    this.tool.visible = false;
    this.group.add(this.tool);
  }

  // Where the hand holds it, or where it is at work.
  setTool(centre, radius, resting) {
    this.tool.visible = !!centre;
    if (!centre) return;
    this.tool.position.copy(centre);
    this.tool.scale.setScalar(radius);
    this.tool.material.opacity = resting ? 0.4 : 0.92;
  }
}
