// Colour maps: numbers to colours. From blue over green to red for amounts, light enough for shaded
// surfaces; blue over grey to red around a middle.

const maps = {
  amount: ['#3b53a8', '#3f7fc4', '#3fa7c9', '#46c3ae', '#7ed488', '#c3dc65', '#f5d14c', '#f5a73d', '#ea6f35', '#cf3330'],
  around: ['#2f4fc4', '#6f92f3', '#aac7fd', '#dddcdc', '#f7b89c', '#e7745b', '#b40426'],
};

// 256 colours of each, red green blue from 0 to 1, in linear light as the stage draws.
const linear = (byte) => {
  const x = byte / 255;
  return x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4;
};
const parse = (text) => [1, 3, 5].map((at) => parseInt(text.slice(at, at + 2), 16));

function table(anchors) {
  const out = { linear: new Float32Array(256 * 3), bytes: new Uint8ClampedArray(256 * 3) };
  for (let i = 0; i < 256; i++) {
    const place = (i / 255) * (anchors.length - 1), first = Math.min(Math.floor(place), anchors.length - 2);
    const a = parse(anchors[first]), b = parse(anchors[first + 1]);
    for (let k = 0; k < 3; k++) {
      const byte = a[k] + (place - first) * (b[k] - a[k]);
      out.bytes[3 * i + k] = byte;
      out.linear[3 * i + k] = linear(byte);
    }
  }
  return out;
}

export const tables = { amount: table(maps.amount), around: table(maps.around) };

// What each colouring is called and how its ends are found.
export const tints = {
  none: { name: 'Plain', map: 'amount' },
  'von-mises': { name: 'von Mises stress', map: 'amount', fromZero: true },
  'volume-ratio': { name: 'Volume ratio (det F)', map: 'around', middle: 1 },
  strain: { name: 'Strain', map: 'amount', fromZero: true },
  'energy-density': { name: 'Energy density', map: 'amount', fromZero: true },
  displacement: { name: 'Displacement', map: 'amount', fromZero: true },
  velocity: { name: 'Speed', map: 'amount', fromZero: true },
  pressure: { name: 'Pressure', map: 'around', middle: 0 },
  'principal-stress': { name: 'Largest principal stress', map: 'around', middle: 0 },
  level: { name: 'Level of refinement', map: 'amount', fromZero: true },
};

// What a part of the values between 0 and most does not exceed, to 1/256.
function quantile(values, most, part) {
  const bins = new Uint32Array(257), scale = most > 0 ? 256 / most : 0;
  for (let i = 0; i < values.length; i++) bins[Math.max(0, Math.min(256, Math.floor(values[i] * scale) || 0))]++;
  let bin = 0;
  for (let below = bins[0]; below < part * values.length && bin < 256;) below += bins[++bin];
  return ((bin + 1) / 256) * most;
}

// The ends of the colours: they widen at once and narrow slowly, so that colours do not flicker.
export class Range {
  constructor() { this.clear(); }
  clear() {
    this.low = this.high = null;
    this.flat = false; // all values are zero: there is nothing to see
  }
  follow(tint, values, held) {
    if (held && this.low !== null) return;
    let low = Infinity, high = -Infinity;
    for (let i = 0; i < values.length; i++) {
      const value = values[i];
      if (value < low) low = value;
      if (value > high) high = value;
    }
    if (!(low <= high)) return;
    if (tint.middle !== undefined) {
      const reach = Math.max(Math.abs(high - tint.middle), Math.abs(low - tint.middle), 1e-3);
      const before = this.high === null ? 0 : this.high - tint.middle;
      const now = Math.max(reach, before * 0.99);
      this.low = tint.middle - now;
      this.high = tint.middle + now;
      return;
    }
    this.cut = false;
    this.flat = tint.fromZero && !(high > 0);
    if (this.flat) {
      this.low = 0;
      this.high = 1e-9;
      return;
    }
    if (tint.fromZero) {
      low = 0;
      // a few peaks, as where a spring pulls, do not take the colours from the rest
      const most = quantile(values, high, 0.995);
      this.cut = most < 0.8 * high;
      if (this.cut) high = most;
    }
    this.high = this.high === null ? high : Math.max(high, this.high * 0.97);
    this.low = low;
    if (!(this.high > this.low)) this.high = this.low + 1e-9;
  }
}

export function drawBar(canvas, map) {
  const context = canvas.getContext('2d'), picture = context.createImageData(256, 1);
  for (let i = 0; i < 256; i++) {
    for (let k = 0; k < 3; k++) picture.data[4 * i + k] = tables[map].bytes[3 * i + k];
    picture.data[4 * i + 3] = 255;
  }
  for (let y = 0; y < canvas.height; y++) context.putImageData(picture, 0, y);
}

// Bodies without a colouring, one after the other.
export const bodyColours = ['#e8a33d', '#3f9c98', '#d4685a', '#7d8fd6', '#9bb85a', '#c07fb8', '#8a7a66', '#5fb0d9'];
// The scene's own colour (red, green, blue from 0 to 1) where it has one.
export const colourOf = (body, i) => (body.colour ? `#${body.colour.map((part) => Math.round(255 * part).toString(16).padStart(2, '0')).join('')}` : bodyColours[i % bodyColours.length]);
export const linearColour = (text) => parse(text).map(linear);

export const arrowNames = { none: 'None', velocity: 'Velocities', 'outer-forces': 'Forces from outside', 'inner-forces': 'Elastic forces' };
