// Things beside the bodies: obstacles, arrows, local frames, the tool that pushes.
import {
  Box3, BufferAttribute, BufferGeometry, Color, DoubleSide, DynamicDrawUsage, FrontSide, Group, InstancedMesh, LatheGeometry, LineBasicMaterial, LineSegments,
  Matrix4, Mesh, MeshBasicMaterial, MeshStandardMaterial, PlaneGeometry, Points, PointsMaterial, Quaternion, SphereGeometry, Vector2, Vector3,
} from 'three';

const mostArrows = 500, mostContacts = 500, mostLocals = 240;
const along = new Vector3(0, 1, 0);

export class Props {
  constructor() {
    this.group = new Group();
    this.obstacles = new Group();
    this.shapes = new Group();
    this.group.add(this.obstacles, this.shapes);
    this.arrows = this.makeArrows('#e11d48', mostArrows);
    this.contacts = this.makeArrows('#2563eb', mostContacts);
    this.contacts.material = new MeshBasicMaterial({ color: '#2563eb', transparent: true, opacity: 0.75, depthTest: false });
    this.contacts.renderOrder = 3;
    this.makeFeet();
    this.makeLocals();
    this.makeEllipsoids();
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

  // All other shapes, from the triangles that come with them, one thing for each obstacle. Sheets that are open are
  // seen through; of hollow shapes only the walls behind the bodies are drawn, since triangles face the bodies.
  setShapes(obstacles) {
    for (const thing of this.shapes.children) {
      thing.geometry.dispose();
      thing.material.dispose();
    }
    this.shapes.clear();
    for (const { points, triangles, values } of obstacles) {
      const geometry = new BufferGeometry(), open = !!(values.ends || values.kind);
      geometry.setAttribute('position', new BufferAttribute(Float32Array.from(points ?? []), 3));
      geometry.setIndex(triangles ?? []);
      geometry.computeVertexNormals();
      const thing = new Mesh(geometry, new MeshStandardMaterial({
        color: '#8fa3b5', roughness: 0.7, side: FrontSide, transparent: open, opacity: open ? 0.4 : 1, depthWrite: !open,
      }));
      thing.matrixAutoUpdate = false;
      thing.castShadow = !open && !values.side;
      thing.receiveShadow = true;
      this.shapes.add(thing);
    }
  }

  shapeBox() {
    const box = new Box3();
    for (const thing of this.shapes.children) {
      if (!thing.geometry.index?.count) continue;
      thing.geometry.computeBoundingBox();
      box.union(thing.geometry.boundingBox.clone().applyMatrix4(thing.matrix));
    }
    return box;
  }

  // 12 numbers each: the origin, then the rotation matrix row by row.
  moveShapes(places) {
    this.shapes.children.forEach((thing, i) => {
      const p = places.subarray(12 * i, 12 * i + 12);
      if (p.length < 12) return;
      thing.matrix.set(p[3], p[4], p[5], p[0], p[6], p[7], p[8], p[1], p[9], p[10], p[11], p[2], 0, 0, 0, 1);
    });
  }

  // ---- arrows ----

  makeArrows(color, most) {
    const profile = [[0, 0], [0.22, 0], [0.22, 0.7], [0.62, 0.7], [0, 1]].map(([x, y]) => new Vector2(x, y));
    const arrows = new InstancedMesh(new LatheGeometry(profile, 10), new MeshStandardMaterial({ color, roughness: 0.5 }), most);
    arrows.instanceMatrix.setUsage(DynamicDrawUsage);
    arrows.frustumCulled = arrows.castShadow = arrows.visible = false;
    this.group.add(arrows);
    return arrows;
  }

  setArrows(positions, vectors, size) {
    const count = vectors ? vectors.length / 3 : 0, stride = Math.max(1, Math.ceil(count / mostArrows));
    this.greatest = placeArrows(this.arrows, count, stride, (i, at, way) => { at.fromArray(positions, 3 * i); way.fromArray(vectors, 3 * i); }, size, this.greatest);
  }

  // ---- contacts: points, and forces as arrows; both shine through the bodies on which they act ----

  makeFeet() {
    this.feet = new Points(new BufferGeometry(), new PointsMaterial({ color: '#2563eb', size: 5, sizeAttenuation: false, depthTest: false, transparent: true }));
    this.feet.geometry.setAttribute('position', new BufferAttribute(new Float32Array(3 * mostContacts), 3).setUsage(DynamicDrawUsage));
    this.feet.renderOrder = 3;
    this.feet.frustumCulled = this.feet.visible = false;
    this.group.add(this.feet);
  }

  // 6 numbers each: point and force.
  setContacts(contacts, size) {
    const count = Math.min(contacts.length / 6, mostContacts), feet = this.feet.geometry.attributes.position;
    this.hardest = placeArrows(this.contacts, count, 1, (i, at, way) => { at.fromArray(contacts, 6 * i); way.fromArray(contacts, 6 * i + 3); }, size, this.hardest);
    for (let i = 0; i < count; i++) feet.array.set(contacts.subarray(6 * i, 6 * i + 3), 3 * i);
    this.feet.visible = count > 0;
    this.feet.geometry.setDrawRange(0, count);
    feet.needsUpdate = true;
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

  // Of stress and strain; they shine through the bodies in which they are.
  makeEllipsoids() {
    const material = new MeshStandardMaterial({ color: '#dc5a46', roughness: 0.5, depthTest: false, transparent: true, opacity: 0.8 });
    this.ellipsoids = new InstancedMesh(new SphereGeometry(1, 14, 10), material, mostLocals);
    this.ellipsoids.instanceMatrix.setUsage(DynamicDrawUsage);
    this.ellipsoids.renderOrder = 3;
    this.ellipsoids.frustumCulled = this.ellipsoids.visible = false;
    this.group.add(this.ellipsoids);
  }

  // 12 numbers each: the middle, then the three axes. The longest stress is a fixed part of the scene; stretches of 1 are one, too.
  setEllipsoids(locals, size, kind) {
    const count = Math.min(locals.length / 12, mostLocals), matrix = new Matrix4(), axes = [new Vector3(), new Vector3(), new Vector3()];
    let most = 0;
    this.ellipsoids.visible = count > 0;
    for (let i = 0; i < 3 * count; i++) most = Math.max(most, axes[0].fromArray(locals, 12 * Math.floor(i / 3) + 3 + 3 * (i % 3)).length());
    this.stressed = kind === 'stress' ? Math.max(most, 0.985 * (this.stressed ?? 0), 1e-30) : 0;
    const scale = kind === 'stress' ? 0.05 * size / this.stressed : 0.02 * size, thin = 0.001 * size;
    for (let i = 0; i < count; i++) {
      axes.forEach((axis, k) => {
        axis.fromArray(locals, 12 * i + 3 + 3 * k).multiplyScalar(scale);
        if (axis.length() < thin) axis.length() > 0 ? axis.setLength(thin) : axis.setComponent(k, thin);
      });
      matrix.makeBasis(...axes).setPosition(locals[12 * i], locals[12 * i + 1], locals[12 * i + 2]);
      this.ellipsoids.setMatrixAt(i, matrix);
    }
    this.ellipsoids.material.color.set(kind === 'stress' ? '#dc5a46' : '#3b82c4');
    this.ellipsoids.count = count;
    this.ellipsoids.instanceMatrix.needsUpdate = true;
  }

  // The same numbers as axes from the middle on, fibres to both sides of it.
  setLocals(locals, size, kind = 'frames') {
    const round = kind === 'stress' || kind === 'strain', both = kind === 'fibres' ? 1 : 0;
    this.setEllipsoids(round ? locals : [], size, kind);
    const count = round ? 0 : Math.min(locals.length / 12, mostLocals), out = this.locals.geometry.attributes.position;
    this.locals.visible = count > 0;
    for (let i = 0; i < count; i++) {
      for (let axis = 0; axis < 3; axis++) {
        for (let k = 0; k < 3; k++) {
          const middle = locals[12 * i + k], to = 18 * i + 6 * axis + k, way = 0.035 * size * locals[12 * i + 3 + 3 * axis + k];
          out.array[to] = middle - both * way;
          out.array[to + 3] = middle + way;
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

  // The tool of a hand with a shape of its own, or none.
  shapeTool(shape) {
    this.ownTool?.geometry.dispose();
    this.ownTool?.removeFromParent();
    this.ownTool = null;
    if (!shape?.points) return;
    const geometry = new BufferGeometry();
    geometry.setAttribute('position', new BufferAttribute(Float32Array.from(shape.points), 3));
    geometry.setIndex(shape.triangles);
    geometry.computeVertexNormals();
    this.ownTool = new Mesh(geometry, this.tool.material);
    this.ownTool.castShadow = true;
    this.ownTool.visible = false;
    this.group.add(this.ownTool);
  }

  // Where the hand holds it, or where it is at work; radius 0: the tool with a shape of its own.
  setTool(centre, radius, resting) {
    const own = !!centre && radius === 0 && this.ownTool;
    this.tool.visible = !!centre && !own;
    if (this.ownTool) this.ownTool.visible = !!own;
    if (own) this.ownTool.position.copy(centre);
    if (!centre) return;
    this.tool.position.copy(centre);
    this.tool.scale.setScalar(radius);
    this.tool.material.opacity = resting ? 0.4 : 0.92;
  }
}

// The longest arrow is a fixed part of the scene; how much it stands for follows the greatest slowly, and is returned.
// read(i, at, way) fills in place and vector of the i-th.
function placeArrows(arrows, count, stride, read, size, before = 0) {
  const matrix = new Matrix4(), turn = new Quaternion(), at = new Vector3(), way = new Vector3(), scale = new Vector3();
  let most = 0, used = 0;
  arrows.visible = count > 0;
  if (!count) return 0;
  for (let i = 0; i < count; i++) {
    read(i, at, way);
    most = Math.max(most, way.length());
  }
  const greatest = Math.max(most, 0.985 * before, 1e-9);
  for (let i = 0; i < count && used < arrows.instanceMatrix.count; i += stride) {
    read(i, at, way);
    const length = way.length(), part = length / greatest;
    if (!(part > 0.01)) continue;
    const width = 0.02 * size * Math.min(1, 0.35 + part);
    matrix.compose(at, turn.setFromUnitVectors(along, way.divideScalar(length)), scale.set(width * 0.5, 0.2 * size * part, width * 0.5));
    arrows.setMatrixAt(used++, matrix);
  }
  arrows.count = used;
  arrows.instanceMatrix.needsUpdate = true;
  return greatest;
}
