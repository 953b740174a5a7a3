// The pointer as a hand: pulls bodies, pins and releases points; elsewhere the camera takes over.
import { Plane, Vector3 } from 'three';
import { $, withUnit } from './dom.js';

export class Hand {
  constructor(stage, send) {
    this.stage = stage;
    this.send = send;
    this.plane = new Plane();
    this.pulling = null; // pointer id
    this.at = null;      // where the pointer is, for keys
    const canvas = stage.canvas;
    // before the camera's own listeners
    canvas.addEventListener('pointerdown', (event) => this.down(event), true);
    canvas.addEventListener('pointermove', (event) => this.move(event));
    for (const name of ['pointerup', 'pointercancel']) canvas.addEventListener(name, (event) => this.up(event));
    canvas.addEventListener('pointerleave', () => { this.at = null; this.stage.setHover(null); canvas.classList.remove('over'); });
    canvas.addEventListener('dblclick', (event) => this.focus(event));
    canvas.addEventListener('contextmenu', (event) => event.preventDefault());
  }

  down(event) {
    if (event.button !== 0 || this.pulling !== null || event.ctrlKey || event.metaKey) return;
    const hit = this.stage.pick(event.clientX, event.clientY);
    if (!hit) return;
    event.stopImmediatePropagation();
    if (event.shiftKey) {
      this.hold(event.altKey ? 'release' : 'pin', hit);
      return;
    }
    this.pulling = event.pointerId;
    this.stage.canvas.setPointerCapture(event.pointerId);
    this.stage.canvas.classList.add('pulling');
    // the hand moves in a plane that faces the eye
    const facing = this.stage.camera.getWorldDirection(new Vector3());
    this.plane.setFromNormalAndCoplanarPoint(facing, hit.point);
    this.send(`grab ${hit.triangle} ${hit.u.toFixed(6)} ${hit.v.toFixed(6)}`);
    this.drag(event.clientX, event.clientY);
    this.onUse?.();
  }

  move(event) {
    this.at = [event.clientX, event.clientY];
    if (this.pulling === event.pointerId) {
      this.drag(event.clientX, event.clientY);
      return;
    }
    if (event.pointerType !== 'touch' && !event.buttons) this.wantHover = true;
  }

  drag(x, y) {
    const target = this.stage.aim(x, y).intersectPlane(this.plane, new Vector3());
    if (target) this.send(`drag ${target.x.toFixed(6)} ${target.y.toFixed(6)} ${target.z.toFixed(6)}`);
  }

  up(event) {
    if (this.pulling !== event.pointerId) return;
    this.pulling = null;
    this.stage.canvas.classList.remove('pulling');
    this.send('drop');
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
    if (hit) this.stage.focus(hit.point, this.stage.size / 5);
    else this.stage.focus();
  }

  // Once per drawn frame.
  refresh() {
    if (!this.wantHover || this.pulling !== null) return;
    this.wantHover = false;
    const hit = this.at && this.stage.pick(...this.at);
    this.stage.canvas.classList.toggle('over', !!hit);
    this.stage.setHover(hit?.point);
  }

  // The spring's force beside its handle.
  showForce(pulls) {
    const tag = $('force'), pull = pulls[0];
    tag.hidden = !pull;
    if (!pull) return;
    const size = Math.hypot(...pull.force), at = this.stage.project(pull.target);
    tag.textContent = withUnit(size, 'N');
    tag.style.transform = `translate(${Math.round(at.x + 14)}px, ${Math.round(at.y - 30)}px)`;
    this.stage.setHover(null);
  }
}
