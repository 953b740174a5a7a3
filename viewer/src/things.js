// Small things of the stage: spots, the spring's coil, a meter, weights in a triangle.
import { CanvasTexture, Curve, SRGBColorSpace, Vector3 } from 'three';

// A round spot for marks.
export function spotTexture() {
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = 64;
  const context = canvas.getContext('2d');
  context.fillStyle = '#7a3f00';
  context.beginPath();
  context.arc(32, 32, 30, 0, 2 * Math.PI);
  context.fill();
  context.fillStyle = '#fff';
  context.beginPath();
  context.arc(32, 32, 22, 0, 2 * Math.PI);
  context.fill();
  const texture = new CanvasTexture(canvas);
  texture.colorSpace = SRGBColorSpace;
  return texture;
}

// A coil along z, ten times as long as wide, with straight ends.
export class Coil extends Curve {
  constructor(turns, radius) {
    super();
    this.turns = turns;
    this.radius = radius;
  }
  getPoint(t, out = new Vector3()) {
    const inside = Math.min(Math.max((t - 0.08) / 0.84, 0), 1);
    const radius = this.radius * Math.min(1, 12 * inside, 12 * (1 - inside));
    const angle = 2 * Math.PI * this.turns * inside;
    return out.set(radius * Math.cos(angle), radius * Math.sin(angle), 10 * t);
  }
}

// What the page spends on a drawn frame, and how many there are: means over the last second or so.
export class Meter {
  constructor() {
    this.spent = this.sum = this.count = this.rate = 0;
    this.since = null;
  }
  spend(milliseconds) { this.sum += milliseconds; }
  drawn(time) {
    this.count++;
    this.since ??= time;
    const passed = time - this.since;
    if (passed < 1000) return;
    this.spent = this.sum / this.count;
    this.rate = (1000 * this.count) / passed;
    this.sum = this.count = 0;
    this.since = time;
  }
}

// Weights of a point of the plane through three others, cut to the triangle.
export function barycentric(p, a, b, c) {
  const ab = b.clone().sub(a), ac = c.clone().sub(a), ap = p.clone().sub(a);
  const d00 = ab.dot(ab), d01 = ab.dot(ac), d11 = ac.dot(ac), d20 = ap.dot(ab), d21 = ap.dot(ac);
  const det = d00 * d11 - d01 * d01 || 1;
  const cut = (x) => Math.min(1, Math.max(0, x));
  const u = cut((d11 * d20 - d01 * d21) / det), v = Math.min(cut((d00 * d21 - d01 * d20) / det), 1 - u);
  return [1 - u - v, u, v];
}
