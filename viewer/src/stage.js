// What the canvas shows: light, ground, bodies, marks, the spring. Draws only when something moved.
import {
  BufferAttribute, BufferGeometry, CircleGeometry, Color, CylinderGeometry, DirectionalLight, Fog,
  GridHelper, Group, HemisphereLight, LineBasicMaterial, LineSegments, Mesh, MeshBasicMaterial, MeshStandardMaterial,
  PCFShadowMap, PerspectiveCamera, Plane, PlaneGeometry, Points, PointsMaterial, Raycaster, Scene,
  ShadowMaterial, SphereGeometry, TubeGeometry, Vector2, Vector3, WebGLRenderer, MOUSE, TOUCH,
} from 'three';
import { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js';
import { linearColour } from './colours.js';
import { Props } from './props.js';
import { drawsInSoftware, Quality } from './quality.js';
import { Skin } from './skin.js';
import { Surface } from './surface.js';
import { barycentric, Coil, Meter, spotTexture } from './things.js';

const themes = {
  light: { paper: '#eef2f5', grid: '#c3ccd6', sky: '#ffffff', ground: '#b9c3cd', shadow: 0.22, wires: '#10202e', slab: '#dde4ea' },
  dark: { paper: '#10161d', grid: '#2c3947', sky: '#cfe0f2', ground: '#28313b', shadow: 0.5, wires: '#05080c', slab: '#1b242e' },
};

export class Stage {
  constructor(canvas) {
    this.canvas = canvas;
    const software = drawsInSoftware();
    this.renderer = new WebGLRenderer({ canvas, antialias: !software, powerPreference: 'high-performance' });
    this.renderer.shadowMap.enabled = true;
    this.renderer.localClippingEnabled = true;
    this.renderer.shadowMap.type = PCFShadowMap;
    this.scene = new Scene();
    this.camera = new PerspectiveCamera(32, 1, 0.01, 100);
    this.ray = new Raycaster();
    this.surface = null;
    this.size = 1;
    this.show = { wires: false, held: true, shadow: true, grid: true, follow: true, pattern: 'plain' };
    this.draws = 0;
    this.meter = new Meter();
    this.quality = new Quality(software ? 3 : 0, () => this.applyQuality());
    this.beforeDraw = this.onDraw = () => {};
    this.makeLights();
    this.makeBodies();
    this.makeSpring();
    this.setTheme('light');
    this.makeControls(new Vector3(0, 0, 1));
    new ResizeObserver(() => this.resize()).observe(canvas);
    this.applyQuality();
    this.loop = this.loop.bind(this);
    requestAnimationFrame(this.loop);
  }

  // ---- things ----

  makeLights() {
    this.sky = new HemisphereLight('#fff', '#888', 1.5);
    this.sun = new DirectionalLight('#fff6e8', 1.9);
    this.sun.castShadow = true;
    this.sun.shadow.radius = 5;
    this.rim = new DirectionalLight('#bcd7ff', 0.7);
    this.lamp = new DirectionalLight('#fff', 0.9); // goes with the eye
    this.camera.add(this.lamp);
    this.scene.add(this.camera);
    this.floor = new Mesh(new PlaneGeometry(1, 1), new ShadowMaterial({ opacity: 0.2 }));
    this.floor.receiveShadow = true;
    this.slab = new Mesh(new CircleGeometry(1, 96), new MeshBasicMaterial());
    this.slab.visible = false;
    this.planes = [];
    this.lowered = 0;
    this.shown = []; // by body: shown, glass or hidden
    this.slice = { axis: 'none', place: 0.5 };
    this.scene.add(this.slab, this.sky, this.sun, this.sun.target, this.rim, this.rim.target, this.floor);
  }

  makeBodies() {
    this.paint = new Skin();
    this.skin = new Mesh(new BufferGeometry(), this.paint.bare.rich);
    this.skin.castShadow = this.skin.receiveShadow = true;
    this.wires = new LineSegments(new BufferGeometry(), new LineBasicMaterial({ transparent: true, opacity: 0.38 }));
    this.marks = new Points(new BufferGeometry(), new PointsMaterial({
      map: spotTexture(), color: '#ffb020', size: 6, sizeAttenuation: false, transparent: true, alphaTest: 0.4,
    }));
    this.props = new Props();
    this.scene.add(this.props.group);
    for (const thing of [this.skin, this.wires, this.marks]) {
      thing.frustumCulled = false;
      thing.visible = false;
      this.scene.add(thing);
    }
  }

  makeSpring() {
    const steel = new MeshStandardMaterial({ color: '#f59e0b', roughness: 0.35, metalness: 0.3 });
    this.spring = new Group();
    this.links = new Group();
    this.steel = new MeshStandardMaterial({ color: '#4b5563', roughness: 0.4, metalness: 0.5 });
    this.rod = new CylinderGeometry(1, 1, 1, 10);
    this.coil = new Mesh(new TubeGeometry(new Coil(7, 1), 220, 0.22, 8), steel);
    this.handle = new Mesh(new SphereGeometry(1, 24, 16), steel);
    this.foot = new Mesh(new SphereGeometry(1, 20, 12), new MeshBasicMaterial({ color: '#7c2d12' }));
    // the handle shines through a body that hides it
    const ghost = new MeshBasicMaterial({ color: '#f59e0b', transparent: true, opacity: 0.35, depthTest: false });
    this.handle.add(new Mesh(this.handle.geometry, ghost));
    this.spring.add(this.coil, this.handle, this.foot);
    this.spring.visible = false;
    this.hover = new Mesh(new SphereGeometry(1, 20, 12), new MeshBasicMaterial({ color: '#f59e0b', transparent: true, opacity: 0.75, depthTest: false }));
    this.hover.visible = false;
    this.scene.add(this.spring, this.hover, this.links);
  }

  makeControls(up) {
    this.controls?.dispose();
    this.camera.up.copy(up);
    this.controls = new OrbitControls(this.camera, this.canvas);
    Object.assign(this.controls, { enableDamping: true, dampingFactor: 0.12, zoomToCursor: true, rotateSpeed: 0.9 });
    this.controls.mouseButtons = { LEFT: MOUSE.ROTATE, MIDDLE: MOUSE.PAN, RIGHT: MOUSE.PAN };
    this.controls.touches = { ONE: TOUCH.ROTATE, TWO: TOUCH.DOLLY_PAN };
    this.controls.addEventListener('change', () => this.touch());
  }

  setTheme(name) {
    const theme = (this.theme = themes[name]);
    this.scene.background = new Color(theme.paper);
    this.scene.fog = new Fog(theme.paper, 1, 2);
    this.sky.color.set(theme.sky);
    this.sky.groundColor.set(theme.ground);
    this.floor.material.opacity = theme.shadow;
    this.wires.material.color.set(theme.wires);
    this.placeGround();
    this.touch();
  }

  // ---- a scene ----

  // keepView: the same scene again, so the camera stays.
  setScene(description, geometry, textures, keepView) {
    this.surface?.dispose();
    this.surface = new Surface(geometry, description.bodies, textures);
    this.skin.geometry = this.surface.skin;
    this.wires.geometry = this.surface.wires;
    this.skin.visible = true;
    this.paint.lights.shell.value = description.bodies.some((body) => body.shape.startsWith('tri'));
    this.means = []; // mean colours of pictures, by body
    this.paint.setPictures(textures, (error, body, mean) => {
      if (error) return this.onBadPicture?.(error);
      this.means[body] = mean;
      this.setMaterials();
      this.onPicture?.(body, mean);
    });
    this.pictured = true;
    if (!keepView || this.shown.length !== description.bodies.length) this.shown = description.bodies.map(() => 'shown');
    this.surface.showEdges(this.shown);
    this.setMaterials();
    this.heldVertices = new Uint32Array();
    this.held = null;
    this.marks.visible = false;
    this.props.setArrows(null, null);
    this.props.setLocals([]);
    this.props.setTool(null);
    this.setPulls([]);
    this.rest = { low: this.surface.low.clone(), high: this.surface.high.clone() };
    this.size = this.rest.low.distanceTo(this.rest.high) || 1;
    this.upAxis = new Vector3(...description.up).normalize();
    this.given = new Vector3(...description.direction);
    this.astray = false;
    this.applySlice();
    if (!keepView) this.lowered = 0;
    this.planes = description.obstacles.filter((one) => one.name === 'plane')
      .map(({ values }) => ({ point: new Vector3(...values.point), normal: new Vector3(...values.normal) }));
    this.props.setShapes(description.obstacles);
    this.props.shapeTool(description.tool);
    this.placeGround();
    this.applyShow();
    this.quality.forget();
    // a camera that has followed an explosion, or lost the bodies otherwise, begins anew
    if (!keepView || !this.sees()) {
      this.makeControls(this.upAxis);
      this.look(this.given);
    }
    this.touch();
  }

  // Is something of the bodies in the view, and larger than a speck?
  sees() {
    const { center, radius } = this.skin.geometry.boundingSphere, distance = this.camera.position.distanceTo(center);
    const at = center.clone().project(this.camera), reach = (radius / distance) / Math.tan((this.camera.fov * Math.PI) / 360);
    return Number.isFinite(distance) && reach > 0.01 && Math.abs(at.z) < 1 && Math.abs(at.x) < 1 + reach && Math.abs(at.y) < 1 + reach;
  }

  clear() {
    for (const thing of [this.skin, this.wires, this.marks, this.spring, this.hover, ...this.links.children]) thing.visible = false;
    this.props.setArrows(null, null);
    this.props.setLocals([]);
    this.props.setTool(null);
    this.surface = null;
    this.touch();
  }

  // A ground to catch the shadow: the obstacle that faces upwards, else a drawn one below the bodies.
  placeGround() {
    if (!this.rest) return;
    const { low, high } = this.rest, up = this.upAxis;
    const centre = new Vector3().addVectors(low, high).multiplyScalar(0.5);
    const reach = new Vector3().subVectors(high, low).multiplyScalar(0.5);
    const below = Math.abs(up.x) * reach.x + Math.abs(up.y) * reach.y + Math.abs(up.z) * reach.z;
    const real = this.planes.find(({ normal }) => normal.dot(up) > 0.98);
    const normal = real ? real.normal : up;
    const depth = real ? centre.clone().sub(real.point).dot(normal) : below + 0.16 * this.size + this.lowered;
    const base = centre.clone().addScaledVector(normal, -depth);
    this.floor.position.copy(base).addScaledVector(normal, -0.001 * this.size);
    this.floor.quaternion.setFromUnitVectors(new Vector3(0, 0, 1), normal);
    this.floor.scale.setScalar(40 * this.size);
    this.slab.visible = !!real;
    this.slab.position.copy(base).addScaledVector(normal, -0.003 * this.size);
    this.slab.quaternion.copy(this.floor.quaternion);
    this.slab.scale.setScalar(1.7 * Math.max(this.size, depth));
    this.slab.material.color.set(this.theme.slab);
    this.drawGrid(base, normal);
    this.props.setObstacles(this.planes.filter((plane) => plane !== real), centre, this.size);
    this.centre = centre;
    this.ground = { base, normal, depth, real: !!real };
    this.placeSun();
  }

  // Is the middle of all bodies in the view?
  isCentred() {
    const at = this.skin.geometry.boundingSphere.center.clone().project(this.camera);
    return Math.abs(at.x) < 0.85 && Math.abs(at.y) < 0.85 && at.z < 1;
  }

  // Bodies that leave the view are followed.
  follow() {
    const { center } = this.skin.geometry.boundingSphere;
    if (center.distanceTo(this.centre) > 1e4 * this.size) return; // no camera can
    if (this.isCentred()) return;
    const way = center.clone().sub(this.controls.target).multiplyScalar(0.12);
    this.controls.target.add(way);
    this.camera.position.add(way);
  }

  // The drawn ground goes out of the way of bodies that come down to it.
  keepAbove() {
    const { low, high } = this.surface, up = this.upAxis, { base, real } = this.ground;
    const lowest = ['x', 'y', 'z'].reduce((sum, axis) => sum + up[axis] * (up[axis] > 0 ? low : high)[axis], 0) - up.dot(base);
    if (real || lowest > -0.001 * this.size || this.lowered > 8 * this.size) return;
    this.lowered -= lowest - 0.1 * this.size;
    this.placeGround();
  }

  drawGrid(base, normal) {
    const cell = 10 ** Math.round(Math.log10(this.size / 4));
    if (this.grid) {
      this.scene.remove(this.grid);
      this.grid.dispose();
    }
    const count = 2 * Math.ceil((2.6 * this.size) / cell);
    this.grid = new GridHelper(count * cell, count, this.theme.grid, this.theme.grid);
    this.grid.quaternion.setFromUnitVectors(new Vector3(0, 1, 0), normal);
    this.grid.position.copy(base).addScaledVector(normal, -0.002 * this.size);
    this.grid.material.transparent = true;
    this.grid.material.opacity = 0.6;
    this.grid.visible = this.show.grid;
    this.scene.add(this.grid);
  }

  placeSun() {
    const side = Math.abs(this.upAxis.x) < 0.9 ? new Vector3(1, 0, 0) : new Vector3(0, 1, 0);
    const across = new Vector3().crossVectors(this.upAxis, side).normalize();
    const along = new Vector3().crossVectors(across, this.upAxis);
    const place = (light, u, a, b) => {
      light.position.copy(this.centre).addScaledVector(this.upAxis, u * this.size).addScaledVector(along, a * this.size).addScaledVector(across, b * this.size);
      light.target.position.copy(this.centre);
    };
    place(this.sun, 2.4, 0.9, -0.8);
    place(this.rim, 0.6, -1.6, 1.4);
    const box = this.sun.shadow.camera, reach = Math.max(1.25 * this.size, 0.75 * this.size + 0.5 * this.ground.depth);
    Object.assign(box, { left: -reach, right: reach, top: reach, bottom: -reach, near: 0.1 * this.size, far: 6 * this.size });
    box.updateProjectionMatrix();
    this.sun.shadow.normalBias = 0.006 * this.size;
    this.sun.shadow.bias = -0.0006;
  }

  // From that side, so far away that the bodies (and the ground that they fall on) fill the view.
  look(direction, box = this.everything()) {
    if (!this.surface.finite) return;
    const free = this.freeArea(), away = direction.clone().normalize();
    const right = new Vector3().crossVectors(this.camera.up, away).normalize(), up = new Vector3().crossVectors(away, right);
    const centre = box.low.clone().add(box.high).multiplyScalar(0.5);
    const tall = Math.tan((this.camera.fov * Math.PI) / 360) * (free.height / innerHeight), wide = tall * (free.width / free.height);
    let distance = 0;
    for (let corner = 0; corner < 8; corner++) {
      const at = new Vector3(...['x', 'y', 'z'].map((axis, k) => box[corner & (1 << k) ? 'high' : 'low'][axis])).sub(centre);
      distance = Math.max(distance, at.dot(away) + 1.15 * Math.max(Math.abs(at.dot(right)) / wide, Math.abs(at.dot(up)) / tall));
    }
    this.controls.target.copy(centre);
    this.camera.position.copy(centre).addScaledVector(away, distance);
    this.shiftView(free);
    this.controls.update();
    this.touch();
  }

  everything() {
    const low = this.surface.low.clone(), high = this.surface.high.clone();
    if (this.ground.real) {
      for (const corner of [low.clone(), high.clone()]) {
        const down = corner.addScaledVector(this.ground.normal, -corner.clone().sub(this.ground.base).dot(this.ground.normal));
        low.min(down);
        high.max(down);
      }
    }
    // obstacles, as far as they are not too far
    const box = this.props.shapeBox(), reach = new Vector3().setScalar(2 * this.size);
    if (!box.isEmpty()) {
      const least = low.clone().sub(reach), most = high.clone().add(reach);
      low.min(box.min.max(least));
      high.max(box.max.min(most));
    }
    return { low, high };
  }

  // The part of the window that no panel covers.
  freeArea() {
    return this.covered ? this.covered() : { left: 0, top: 0, width: innerWidth, height: innerHeight };
  }

  shiftView(free) {
    const x = innerWidth / 2 - (free.left + free.width / 2), y = innerHeight / 2 - (free.top + free.height / 2);
    this.camera.setViewOffset(innerWidth, innerHeight, x, y, innerWidth, innerHeight);
  }

  // At a point with something around it, or at everything.
  focus(point) {
    const direction = new Vector3().subVectors(this.camera.position, this.controls.target), reach = 0.14 * this.size;
    this.look(direction, point && { low: point.clone().subScalar(reach), high: point.clone().addScalar(reach) });
  }

  // ---- a frame ----

  move(frame) {
    this.surface.move(frame.positions);
    this.props.setArrows(frame.positions, frame.vectors, this.size);
    this.props.setLocals(frame.locals, this.size, this.glyphs);
    this.props.setContacts(frame.contacts, this.size);
    this.props.moveShapes(frame.obstacles);
    this.moveMarks();
    this.touch();
    // positions that are no places, or burst, are not followed; when they are back, so is the view
    if (!this.surface.finite || this.surface.low.distanceTo(this.surface.high) > 100 * this.size) {
      this.astray = true;
      return;
    }
    if (this.astray && !this.isCentred()) this.look(this.given);
    this.astray = false;
    this.keepAbove();
    if (this.show.follow) this.follow();
  }

  // ---- what is seen of the bodies ----

  showBody(body, how) {
    this.shown[body] = how;
    this.surface.showEdges(this.shown);
    this.setMaterials();
    this.filterMarks();
  }

  // Cuts what lies before a plane across an axis away; place: 0 to 1 through the bodies at rest.
  setSlice(axis, place) {
    this.slice = { axis, place };
    this.applySlice();
  }

  applySlice() {
    const { axis, place } = this.slice;
    if (axis === 'none' || !this.rest) this.paint.setCut([]);
    else {
      const normal = new Vector3();
      normal[axis] = -1;
      this.paint.setCut([new Plane(normal, this.rest.low[axis] + place * (this.rest.high[axis] - this.rest.low[axis]))]);
    }
    this.wires.material.clippingPlanes = this.paint.cut;
    this.setMaterials();
  }

  // ---- sides to look from ----

  // front: with the right-hand axes before one's eyes, x to the right and up upwards.
  lookFrom(side) {
    if (!this.surface) return;
    const up = this.upAxis, right = Math.abs(up.x) < 0.9 ? new Vector3(1, 0, 0) : new Vector3(0, 1, 0);
    const front = new Vector3().crossVectors(right, up).normalize();
    const ways = { given: this.given, front, back: front.clone().negate(), right, left: right.clone().negate(), top: up.clone().addScaledVector(front, 1e-3), below: up.clone().negate().addScaledVector(front, 1e-3) };
    this.look(ways[side]);
  }

  // Parallel: so far away, through so narrow an angle, that distance makes nothing smaller.
  setParallel(parallel) {
    const target = this.controls.target, before = Math.tan((this.camera.fov * Math.PI) / 360);
    this.camera.fov = parallel ? 0.5 : 32;
    const after = Math.tan((this.camera.fov * Math.PI) / 360);
    this.camera.position.sub(target).multiplyScalar(before / after).add(target);
    this.camera.updateProjectionMatrix();
    this.controls.update();
    this.touch();
  }

  // A picture is multiplied so that its mean has this colour.
  setColour(body, text) {
    const mean = this.means[body] && linearColour(this.means[body]);
    this.surface.own[body] = linearColour(text).map((value, k) => (mean ? value / Math.max(mean[k], 0.01) : value));
    this.touch();
  }

  setHeld(held) {
    this.held = held;
    this.filterMarks();
  }

  isHeld(vertex) { return this.held?.[vertex] > 0; }

  // Marks on bodies that are not hidden.
  filterMarks() {
    if (!this.held) return;
    const list = [];
    this.held.forEach((axes, vertex) => { if (axes && this.shown[this.surface.bodyOf[vertex]] !== 'hidden') list.push(vertex); });
    this.heldVertices = Uint32Array.from(list);
    this.marks.geometry.dispose();
    this.marks.geometry = new BufferGeometry();
    this.marks.material.size = list.length > 150 ? 4 : 6;
    this.marks.geometry.setAttribute('position', new BufferAttribute(new Float32Array(3 * list.length), 3));
    this.moveMarks();
    this.applyShow();
  }

  moveMarks() {
    const to = this.marks.geometry.attributes.position, from = this.surface.positions;
    if (!to) return;
    this.heldVertices.forEach((vertex, i) => {
      for (let k = 0; k < 3; k++) to.array[3 * i + k] = from[3 * vertex + k];
    });
    to.needsUpdate = true;
  }

  applyShow() {
    this.wires.visible = this.show.wires && !!this.surface;
    this.marks.visible = this.show.held && this.heldVertices?.length > 0;
    this.paint.setPattern(this.show.pattern, this.size / 14);
    this.floor.visible = this.sun.castShadow = this.show.shadow && this.quality.now.shadow > 0;
    if (this.grid) this.grid.visible = this.show.grid;
    this.touch();
  }

  setPulls(pulls) {
    const pull = pulls[0];
    this.spring.visible = !!pull;
    this.touch();
    if (!pull) return;
    const foot = new Vector3(...pull.position), head = new Vector3(...pull.target);
    const length = foot.distanceTo(head), unit = 0.012 * this.size;
    this.foot.position.copy(foot);
    this.handle.position.copy(head);
    this.foot.scale.setScalar(0.9 * unit);
    this.handle.scale.setScalar(1.5 * unit);
    this.coil.visible = length > 0.01 * this.size;
    this.coil.position.copy(foot);
    this.coil.quaternion.setFromUnitVectors(new Vector3(0, 0, 1), head.clone().sub(foot).normalize());
    this.coil.scale.set(unit, unit, Math.max(length / 10, 1e-9));
  }

  // Rods between points of bodies that pull at each other.
  setLinks(links) {
    while (this.links.children.length < links.length) this.links.add(new Mesh(this.rod, this.steel));
    this.links.children.forEach((rod, i) => {
      rod.visible = i < links.length;
      if (!rod.visible) return;
      const from = new Vector3(...links[i].position), way = new Vector3(...links[i].target).sub(from);
      rod.position.copy(from).addScaledVector(way, 0.5);
      rod.scale.set(0.003 * this.size, Math.max(way.length(), 1e-9), 0.003 * this.size);
      rod.quaternion.setFromUnitVectors(new Vector3(0, 1, 0), way.normalize());
    });
  }

  // The tool at work, or where it would be; null: none.
  setTool(centre, radius, resting = false) {
    this.props.setTool(centre && new Vector3(...centre), radius, resting);
    this.touch();
  }

  setHover(point) {
    const visible = !!point;
    if (!visible && !this.hover.visible) return;
    this.hover.visible = visible;
    if (point) this.hover.position.copy(point);
    this.hover.scale.setScalar(0.008 * this.size);
    this.touch();
  }

  // ---- where the pointer is ----

  aim(x, y) {
    const box = this.canvas.getBoundingClientRect();
    this.camera.updateMatrixWorld(); // it may have moved since the last picture
    this.ray.setFromCamera(new Vector2(((x - box.left) / box.width) * 2 - 1, 1 - ((y - box.top) / box.height) * 2), this.camera);
    return this.ray.ray;
  }

  // { triangle, u, v, point } or null
  pick(x, y) {
    if (!this.surface) return null;
    this.aim(x, y);
    const seen = (one) => this.shown[this.surface.bodyOf[this.surface.triangles[3 * one.faceIndex]]] !== 'hidden' && this.paint.cut.every((plane) => plane.distanceToPoint(one.point) >= 0);
    const hit = this.ray.intersectObject(this.skin, false).find(seen);
    if (!hit) return null;
    const { index } = this.surface, at = this.skin.geometry.attributes.position;
    const corners = [0, 1, 2].map((k) => new Vector3().fromBufferAttribute(at, index[3 * hit.faceIndex + k]));
    const weights = barycentric(hit.point, ...corners);
    const vertices = [...this.surface.triangles.subarray(3 * hit.faceIndex, 3 * hit.faceIndex + 3)];
    const nearest = vertices[weights.indexOf(Math.max(...weights))];
    return { triangle: hit.faceIndex, u: weights[1], v: weights[2], point: hit.point, vertices, weights, nearest, body: this.surface.bodyOf[nearest],
      node: this.surface.nodes[nearest], element: this.surface.elements[hit.faceIndex] };
  }

  // Where a point of space is on the screen.
  project(point) {
    this.camera.updateMatrixWorld();
    const at = new Vector3(...point).project(this.camera), box = this.canvas.getBoundingClientRect();
    return { x: box.left + ((at.x + 1) / 2) * box.width, y: box.top + ((1 - at.y) / 2) * box.height, behind: at.z > 1 };
  }

  // ---- drawing ----

  resize() {
    const width = this.canvas.clientWidth || 1, height = this.canvas.clientHeight || 1;
    this.renderer.setPixelRatio(Math.min(devicePixelRatio, this.quality.now.pixels));
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    if (this.surface) this.shiftView(this.freeArea());
    this.camera.updateProjectionMatrix();
    this.touch();
  }

  touch() {
    this.stale = true;
  }

  applyQuality() {
    const { shadow, rich } = this.quality.now;
    if (shadow) this.sun.shadow.mapSize.set(shadow, shadow);
    this.sun.shadow.map?.dispose();
    this.sun.shadow.map = null;
    this.setMaterials();
    document.body.classList.toggle('frugal', !rich);
    this.applyShow();
    this.resize();
  }

  setMaterials() {
    this.skin.material = this.paint.materials(this.quality.now.rich, this.surface?.skin.groups.length ?? 0, this.pictured, this.shown);
    this.paint.setPattern(this.show.pattern, this.size / 14);
    this.touch();
  }

  // Colours that mean something have no pictures over them.
  showPictures(pictured) {
    this.pictured = pictured;
    this.setMaterials();
    return this;
  }

  // The picture as it is now; what reads the canvas does so right after it.
  draw() {
    const distance = this.camera.position.distanceTo(this.controls.target);
    this.camera.near = Math.max(0.01 * this.size, distance - 20 * this.size);
    this.camera.far = distance + 60 * this.size;
    this.camera.updateProjectionMatrix();
    this.scene.fog.near = distance + 1.2 * this.size;
    this.scene.fog.far = distance + 6 * this.size;
    this.paint.light(this);
    this.renderer.render(this.scene, this.camera);
  }

  loop(time) {
    requestAnimationFrame(this.loop);
    this.controls.update();
    if (!this.stale) {
      this.drawnAt = NaN;
      return;
    }
    this.stale = false;
    const start = performance.now();
    this.beforeDraw();
    this.draw();
    this.stale = false;
    this.meter.spend(performance.now() - start);
    this.meter.drawn(time);
    this.quality.drawn(time - this.drawnAt);
    this.drawnAt = time;
    this.draws++;
    this.onDraw();
  }
}
