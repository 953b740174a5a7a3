// How much is drawn: a machine that cannot draw in time gets less to draw, level by level, and more
// again when it has been in time for long. Where less does not help, drawing is not what is slow.

// pixels: of a point of the page; shadow: of its map, 0 for none; rich: how light meets bodies, and
// what shines through panels
export const levels = [
  { pixels: 2, shadow: 2048, rich: true },
  { pixels: 1, shadow: 1024, rich: true },
  { pixels: 1, shadow: 512, rich: false },
  { pixels: 1, shadow: 0, rich: false },
  { pixels: 0.75, shadow: 0, rich: false },
  { pixels: 0.5, shadow: 0, rich: false },
];

const late = 19.5;          // ms from picture to picture, in the mean, that are too many
const window = 30;          // pictures that a judgement needs
const settle = 8;           // pictures after a change that do not count
const patience = [8e3, 120e3]; // ms in time before more is tried, at first and at most

// Is WebGL done by the processor here?
export function drawsInSoftware() {
  const context = document.createElement('canvas').getContext('webgl2', { failIfMajorPerformanceCaveat: true });
  if (!context) return true;
  const names = context.getExtension('WEBGL_debug_renderer_info');
  const name = context.getParameter(names ? names.UNMASKED_RENDERER_WEBGL : context.RENDERER);
  context.getExtension('WEBGL_lose_context')?.loseContext();
  return /swiftshader|llvmpipe|softpipe|software|basic render/i.test(name);
}

export class Quality {
  constructor(first, apply) {
    this.level = first;
    this.apply = apply;
    this.patience = patience[0];
    this.forget();
  }

  get now() { return levels[this.level]; }

  text() {
    const { pixels, shadow } = this.now;
    return `${pixels < 1 ? `${Math.round(100 * pixels)} % of the lines` : 'all lines'}, ${shadow ? 'a coarse shadow' : 'no shadow'}`;
  }

  // What was measured is of something else: another scene, another size.
  forget() {
    this.count = -settle;
    this.sum = this.inTime = 0;
    this.highest = null; // { level, mean }: where it began to be late
    this.fixed = false;
  }

  change(level) {
    this.level = level;
    this.count = -settle;
    this.sum = 0;
    this.apply();
  }

  // A picture came so many ms behind the one before.
  drawn(passed) {
    if (this.fixed || !(passed > 0 && passed < 500)) return;
    if (++this.count <= 0) return;
    this.sum += passed;
    if (this.count < window) return;
    const mean = this.sum / this.count;
    this.count = this.sum = 0;
    if (mean > late) this.less(mean);
    else this.more(mean * window);
  }

  less(mean) {
    if (this.tried) this.patience = Math.min(2 * this.patience, patience[1]);
    this.tried = false;
    this.inTime = 0;
    this.highest ??= { level: this.level, mean };
    if (this.level + 1 < levels.length) {
      this.change(this.level + 1);
    } else if (mean > 0.9 * this.highest.mean) {
      this.fixed = true;
      this.change(this.highest.level);
    }
  }

  more(passed) {
    this.inTime += passed;
    this.tried = false;
    if (this.inTime < this.patience || this.level === 0) return;
    this.inTime = 0;
    this.tried = true;
    this.highest = null;
    this.change(this.level - 1);
  }
}
