// The bodies' surface as it is drawn: vertices are split where the shape at rest has a crease, so
// that edges stay sharp and the rest is smooth; normals follow the motion.
import { BufferAttribute, BufferGeometry, DynamicDrawUsage, Sphere, Vector3 } from 'three';
import { colourOf, linearColour, tables } from './colours.js';

const creaseCosine = Math.cos((38 * Math.PI) / 180);

function faceNormals(positions, triangles) {
  const normals = new Float32Array(triangles.length);
  for (let t = 0; t < triangles.length; t += 3) {
    const a = 3 * triangles[t], b = 3 * triangles[t + 1], c = 3 * triangles[t + 2];
    const ux = positions[b] - positions[a], uy = positions[b + 1] - positions[a + 1], uz = positions[b + 2] - positions[a + 2];
    const vx = positions[c] - positions[a], vy = positions[c + 1] - positions[a + 1], vz = positions[c + 2] - positions[a + 2];
    normals[t] = uy * vz - uz * vy;
    normals[t + 1] = uz * vx - ux * vz;
    normals[t + 2] = ux * vy - uy * vx;
  }
  return normals;
}

// For each corner of each triangle the drawn vertex, and for each of those the vertex it stems from; spots are
// where corners lie in a picture, if they do.
function split(rest, triangles, spots) {
  const normals = faceNormals(rest, triangles);
  const groups = Array.from({ length: rest.length / 3 }, () => []);
  const index = new Uint32Array(triangles.length), source = [], uv = [];
  for (let corner = 0; corner < triangles.length; corner++) {
    const face = corner - (corner % 3);
    let [x, y, z] = normals.subarray(face, face + 3);
    const length = Math.hypot(x, y, z) || 1;
    x /= length, y /= length, z /= length;
    const mine = groups[triangles[corner]];
    const u = spots ? spots[2 * corner] : 0, v = spots ? spots[2 * corner + 1] : 0;
    let group = mine.find((g) => g.u === u && g.v === v && (g.x * x + g.y * y + g.z * z) / Math.hypot(g.x, g.y, g.z) > creaseCosine);
    if (!group) {
      group = { x: 0, y: 0, z: 0, u, v, vertex: source.length };
      if (spots) uv.push(u, v);
      mine.push(group);
      source.push(triangles[corner]);
    }
    group.x += x, group.y += y, group.z += z;
    index[corner] = group.vertex;
  }
  return { index, source: Uint32Array.from(source), uv };
}

const dynamic = (size) => new BufferAttribute(new Float32Array(size), 3).setUsage(DynamicDrawUsage);

export class Surface {
  // textures: [{ body, spots }], spots of the body's triangles
  constructor(geometry, bodies, textures = []) {
    const spots = textures.length ? new Float32Array(2 * geometry.triangles.length) : null;
    const painted = textures.filter(({ body, triangles }) => bodies[body]?.triangles[1] === triangles);
    for (const one of painted) spots.set(one.spots, 6 * bodies[one.body].triangles[0]);
    const { index, source, uv } = split(geometry.rest, geometry.triangles, spots);
    this.triangles = geometry.triangles;
    this.nodes = geometry.nodes; // of the body's mesh, by vertex
    this.elements = geometry.elements; // 1 + the element behind, by triangle
    this.index = index;
    this.source = source;
    this.vertexCount = geometry.rest.length / 3;
    this.positions = Float32Array.from(geometry.rest);
    this.skin = new BufferGeometry();
    this.skin.setIndex(new BufferAttribute(index, 1));
    this.skin.setAttribute('position', dynamic(3 * source.length));
    this.skin.setAttribute('normal', dynamic(3 * source.length));
    this.skin.setAttribute('color', dynamic(3 * source.length));
    if (spots) this.skin.setAttribute('uv', new BufferAttribute(Float32Array.from(uv), 2));
    // one after the other, so that each can have its own material
    for (const [i, body] of bodies.entries()) this.skin.addGroup(3 * body.triangles[0], 3 * body.triangles[1], i);
    this.skin.boundingSphere = new Sphere();
    this.wires = new BufferGeometry();
    this.edges = geometry.edges;
    this.wires.setIndex(new BufferAttribute(geometry.edges, 1));
    this.wires.setAttribute('position', new BufferAttribute(this.positions, 3).setUsage(DynamicDrawUsage));
    this.bodyOf = new Uint16Array(this.vertexCount);
    bodies.forEach((body, i) => this.bodyOf.fill(i, body.vertices[0], body.vertices[0] + body.vertices[1]));
    this.own = bodies.map((body, i) => (painted.some((one) => one.body === i) ? [1, 1, 1] : linearColour(colourOf(body, i))));
    // where a vertex was at rest: patterns are drawn there, so they show how the body is stretched
    const rest = new Float32Array(3 * source.length);
    for (let i = 0; i < source.length; i++) rest.set(geometry.rest.subarray(3 * source[i], 3 * source[i] + 3), 3 * i);
    this.skin.setAttribute('rest', new BufferAttribute(rest, 3));
    this.low = new Vector3();
    this.high = new Vector3();
    this.move(geometry.rest);
    this.paint(null);
  }

  move(positions) {
    this.positions.set(positions);
    const drawn = this.skin.attributes.position.array, { source } = this;
    for (let i = 0; i < source.length; i++) {
      const from = 3 * source[i];
      drawn[3 * i] = positions[from];
      drawn[3 * i + 1] = positions[from + 1];
      drawn[3 * i + 2] = positions[from + 2];
    }
    this.turnNormals(drawn);
    this.findBounds(positions);
    this.skin.attributes.position.needsUpdate = true;
    this.skin.attributes.normal.needsUpdate = true;
    this.wires.attributes.position.needsUpdate = true;
  }

  // The sum of the faces' area vectors, of length one; nothing is allocated, since large sheets come 60 times a second.
  turnNormals(drawn) {
    const normals = this.skin.attributes.normal.array, { index } = this;
    const add = (to, x, y, z) => { normals[to] += x, normals[to + 1] += y, normals[to + 2] += z; };
    normals.fill(0);
    for (let t = 0; t < index.length; t += 3) {
      const a = 3 * index[t], b = 3 * index[t + 1], c = 3 * index[t + 2];
      const ux = drawn[b] - drawn[a], uy = drawn[b + 1] - drawn[a + 1], uz = drawn[b + 2] - drawn[a + 2];
      const vx = drawn[c] - drawn[a], vy = drawn[c + 1] - drawn[a + 1], vz = drawn[c + 2] - drawn[a + 2];
      const x = uy * vz - uz * vy, y = uz * vx - ux * vz, z = ux * vy - uy * vx;
      add(a, x, y, z), add(b, x, y, z), add(c, x, y, z);
    }
    for (let i = 0; i < normals.length; i += 3) {
      const x = normals[i], y = normals[i + 1], z = normals[i + 2], scale = 1 / (Math.sqrt(x * x + y * y + z * z) || 1);
      normals[i] *= scale, normals[i + 1] *= scale, normals[i + 2] *= scale;
    }
  }

  findBounds(positions) {
    const low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
    let sum = 0; // is finite if all numbers are
    for (let i = 0; i < positions.length; i++) {
      const k = i % 3;
      sum += positions[i];
      if (positions[i] < low[k]) low[k] = positions[i];
      if (positions[i] > high[k]) high[k] = positions[i];
    }
    this.low.fromArray(low);
    this.high.fromArray(high);
    // a number that is none makes no bounds; floats end at 3e38
    this.finite = Number.isFinite(sum) && this.low.distanceTo(this.high) < 1e30;
    if (!this.finite) return;
    const sphere = this.skin.boundingSphere;
    sphere.center.addVectors(this.low, this.high).multiplyScalar(0.5);
    sphere.radius = this.low.distanceTo(this.high) / 2;
    this.wires.boundingSphere = sphere;
  }

  // Edges of the bodies that are not hidden.
  showEdges(shown) {
    const seen = shown.some((how) => how === 'hidden') ? this.edges.filter((_, i) => shown[this.bodyOf[this.edges[i - (i % 2)]]] !== 'hidden') : this.edges;
    this.wires.setIndex(new BufferAttribute(seen, 1));
  }

  // By values per vertex between low and high, or in the bodies' own colours.
  paint(values, map, low, high) {
    const colours = this.skin.attributes.color.array, { source } = this;
    const table = map && tables[map].linear, scale = 255 / (high - low);
    for (let i = 0; i < source.length; i++) {
      if (values) {
        const at = 3 * Math.max(0, Math.min(255, Math.round((values[source[i]] - low) * scale) || 0));
        colours[3 * i] = table[at];
        colours[3 * i + 1] = table[at + 1];
        colours[3 * i + 2] = table[at + 2];
      } else {
        const own = this.own[this.bodyOf[source[i]]];
        colours[3 * i] = own[0];
        colours[3 * i + 1] = own[1];
        colours[3 * i + 2] = own[2];
      }
    }
    this.skin.attributes.color.needsUpdate = true;
  }

  dispose() {
    this.skin.dispose();
    this.wires.dispose();
  }

  // Wavefront OBJ of the surface as it is.
  toObj(title) {
    const lines = [`# ${title.replace(/[\r\n]/g, ' ')}: surface, m`];
    for (let i = 0; i < this.positions.length; i += 3)
      lines.push(`v ${this.positions[i]} ${this.positions[i + 1]} ${this.positions[i + 2]}`);
    for (let t = 0; t < this.triangles.length; t += 3)
      lines.push(`f ${this.triangles[t] + 1} ${this.triangles[t + 1] + 1} ${this.triangles[t + 2] + 1}`);
    return lines.join('\n') + '\n';
  }
}
