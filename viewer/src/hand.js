// The pointer as a hand: pulls and throws bodies, pins and releases points, pushes with a sphere;
// elsewhere the camera takes over.
import { Plane, Vector3 } from 'three';
import { $, withUnit } from './dom.js';

const short = (vector) => `${vector.x.toFixed(6)} ${vector.y.toFixed(6)} ${vector.z.toFixed(6)}`;

export class Hand {
  constructor(stage, send) {
    this.stage = stage;
    this.send = send;
    this.plane = new Plane();
    this.busy = null;       // pointer id of a pull or push
    this.pushing = false;   // what it is
    this.mode = 'pull';     // what a press begins: pull, push or pin
    this.reach = 0.07;      // the tool's radius, in parts of the scene
    this.felt = null;       // the scene's hand, if the pointer is its device: { radius, drawn, shaped }
    this.trail = [];        // where the hand was lately
    this.at = null;         // where the pointer is, for keys
    const canvas = stage.canvas;
    // before the camera's own listeners
    canvas.addEventListener('pointerdown', (event) => this.down(event), true);
    canvas.addEventListener('pointermove', (event) => this.move(event));
    // as it happens, where the browser tells; the one above waits for the next picture
    canvas.addEventListener('pointerrawupdate', (event) => this.hurry(event));
    for (const name of ['pointerup', 'pointercancel']) canvas.addEventListener(name, (event) => this.up(event));
    canvas.addEventListener('pointerleave', () => this.leave());
    canvas.addEventListener('wheel', (event) => this.wheel(event), { capture: true, passive: false });
    canvas.addEventListener('dblclick', (event) => this.focus(event));
    canvas.addEventListener('contextmenu', (event) => event.preventDefault());
  }

  get radius() { return this.felt?.drawn ?? this.reach * this.stage.size; }

  // Another scene. One with a hand for the pointer begins with its tool.
  take(description) {
    const before = this.felt;
    this.felt = description.pointed ? { ...description.pointed, shaped: !!description.tool } : null;
    this.setMode(this.felt && !before ? 'push' : this.mode);
  }

  setMode(mode) {
    this.mode = mode;
    document.body.classList.toggle('tool', mode === 'push');
    this.wantHover = true;
    this.onMode?.(mode);
  }

  down(event) {
    if (event.button !== 0 || this.busy !== null || event.ctrlKey || event.metaKey) return;
    const hit = this.stage.pick(event.clientX, event.clientY);
    if (!hit) return;
    event.stopImmediatePropagation();
    if (event.shiftKey) {
      this.hold(event.altKey ? 'release' : 'pin', hit);
      return;
    }
    // without a keyboard: what is free is pinned, what is pinned is freed
    if (this.mode === 'pin') {
      this.hold(this.stage.isHeld(hit.nearest) ? 'release' : 'pin', hit);
      return;
    }
    this.busy = event.pointerId;
    this.onHover?.(null);
    this.pushing = this.mode === 'push';
    this.trail = [];
    this.stage.canvas.setPointerCapture(event.pointerId);
    this.stage.canvas.classList.add('pulling');
    // the hand moves in a plane that faces the eye
    const facing = this.stage.camera.getWorldDirection(new Vector3());
    if (this.pushing) {
      // it comes from outside, and goes a part of itself into the body; of a point or a shape, the origin does
      this.send(`push ${short(hit.point.clone().addScaledVector(facing, -this.radius))} ${this.radius}`);
      this.plane.setFromNormalAndCoplanarPoint(facing, hit.point.clone().addScaledVector(facing, 0.55 * this.radius - (this.felt?.radius ?? this.radius)));
    } else {
      this.plane.setFromNormalAndCoplanarPoint(facing, hit.point);
      this.send(`grab ${hit.triangle} ${hit.u.toFixed(6)} ${hit.v.toFixed(6)}`);
    }
    this.drag(event.clientX, event.clientY);
    this.onUse?.();
  }

  move(event) {
    this.at = [event.clientX, event.clientY];
    if (this.busy === event.pointerId) {
      this.drag(event.clientX, event.clientY);
      return;
    }
    if (event.pointerType !== 'touch' && !event.buttons) this.wantHover = true;
  }

  hurry(event) {
    if (this.busy !== event.pointerId || event.timeStamp < (this.hurried ?? 0) + 4) return;
    this.hurried = event.timeStamp;
    this.drag(event.clientX, event.clientY);
  }

  drag(x, y) {
    const target = this.stage.aim(x, y).intersectPlane(this.plane, new Vector3());
    if (!target || (this.trail.length && target.equals(this.trail.at(-1).target))) return;
    this.send(this.pushing ? `push ${short(target)} ${this.radius}` : `drag ${short(target)}`);
    this.trail.push({ time: performance.now(), target });
    if (this.trail.length > 60) this.trail.shift();
  }

  // While it pushes, the wheel moves the tool away from the eye and towards it.
  wheel(event) {
    if (this.busy === null || !this.pushing) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    this.plane.constant += 0.15 * this.radius * Math.sign(event.deltaY);
    if (this.at) this.drag(...this.at);
  }

  up(event) {
    if (this.busy !== event.pointerId) return;
    this.busy = null;
    this.stage.canvas.classList.remove('pulling');
    this.send(this.pushing ? 'lift' : 'drop');
    if (!this.pushing) this.throw();
    this.wantHover = true;
  }

  // A body that is let go in a swing flies on with the hand's velocity.
  throw() {
    const now = performance.now(), lately = this.trail.filter(({ time }) => now - time < 200);
    if (lately.length < 2) return;
    const first = lately[0], last = lately.at(-1), seconds = (last.time - first.time) / 1000;
    const velocity = last.target.clone().sub(first.target).divideScalar(Math.max(seconds, 0.02));
    if (velocity.length() > 0.6 * this.stage.size) this.send(`throw ${short(velocity.clampLength(0, 20 * this.stage.size))}`);
  }

  leave() {
    this.at = null;
    this.onHover?.(null);
    this.stage.setHover(null);
    if (this.busy === null) this.stage.setTool(null);
    this.stage.canvas.classList.remove('over');
  }

  hold(verb, hit) {
    this.send(`${verb} ${hit.triangle} ${hit.u.toFixed(6)} ${hit.v.toFixed(6)}`);
    this.onUse?.();
  }

  // For keys: the point under the pointer.
  holdHere(verb) {
    const hit = this.at && this.stage.pick(...this.at);
    if (hit) this.hold(verb, hit);
    return !!hit;
  }

  focus(event) {
    const hit = this.stage.pick(event.clientX, event.clientY);
    if (hit) this.stage.focus(hit.point);
    else this.stage.focus();
  }

  // A few times a second: what is under the pointer.
  refresh() {
    if (!this.wantHover || this.busy !== null) return;
    this.wantHover = false;
    const hit = this.at && this.stage.pick(...this.at);
    this.stage.canvas.classList.toggle('over', !!hit);
    this.onHover?.(hit, ...(this.at ?? []));
    if (this.mode !== 'push') {
      this.stage.setHover(hit?.point);
      this.stage.setTool(null);
      return;
    }
    this.stage.setHover(null);
    const facing = this.stage.camera.getWorldDirection(new Vector3());
    this.stage.setTool(hit ? hit.point.addScaledVector(facing, -this.radius).toArray() : null, this.felt?.shaped ? 0 : this.radius, true);
  }

  // What a frame says of the tool.
  showTool(tool) {
    if (tool) this.stage.setTool(tool.centre, tool.radius);
    else if (this.working) this.stage.setTool(null);
    this.working = !!tool;
  }

  // The force of the spring or the tool beside it.
  showForce(pulls, tool) {
    const tag = $('force'), work = pulls[0] ? { force: pulls[0].force, at: pulls[0].target } : tool && { force: tool.force, at: tool.centre };
    tag.hidden = !work;
    if (!work) return;
    const at = this.stage.project(work.at);
    tag.textContent = withUnit(Math.hypot(...work.force), 'N');
    tag.style.transform = `translate(${Math.round(at.x + 14)}px, ${Math.round(at.y - 30)}px)`;
    this.stage.setHover(null);
  }
}
