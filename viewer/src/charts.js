// Live charts: what the gauges said, over simulated time. Plain canvases, drawn a few times a second.
import { $, el, figures, prettyUnit, withUnit } from './dom.js';

const colours = {
  light: ['#0f766e', '#d97706', '#7c3aed', '#334155', '#be123c', '#0369a1'],
  dark: ['#2dd4bf', '#fbbf24', '#a78bfa', '#e2e8f0', '#fb7185', '#38bdf8'],
};
const most = 20000; // samples

export class Charts {
  constructor() {
    this.theme = 'light';
    this.charts = [];
    this.clear([]);
  }

  // gauges: [{ chart, name, unit }]
  setGauges(gauges) {
    this.clear(gauges);
    const groups = new Map();
    gauges.forEach((gauge, index) => {
      const group = groups.get(gauge.chart) ?? { title: gauge.chart, unit: gauge.unit, lines: [] };
      group.lines.push({ index, name: gauge.name });
      groups.set(gauge.chart, group);
    });
    this.charts = [...groups.values()].map((group) => this.makeChart(group));
    this.budget = el('i');
    this.budgetText = el('p', { class: 'note' });
    const budget = el('div', { class: 'chart' }, el('div', { class: 'chart-head' }, 'Step against its budget'),
      (this.budgetBar = el('div', { class: 'budget' }, this.budget)), this.budgetText);
    this.pageBar = el('div', { class: 'budget' }, (this.page = el('i')));
    this.pageText = el('p', { class: 'note' });
    const page = el('div', { class: 'chart' }, el('div', { class: 'chart-head' }, 'Picture against its budget'), this.pageBar, this.pageText);
    $('charts').replaceChildren(budget, page, ...this.charts.map((chart) => chart.node));
    this.stale = true;
  }

  clear(gauges) {
    this.gauges = gauges;
    this.times = [];
    this.rows = [];
    this.now = 0;
    this.stale = true;
  }

  makeChart(group) {
    const canvas = el('canvas'), keys = el('div', { class: 'chart-keys' });
    const chart = { ...group, canvas, keys, hover: null };
    chart.node = el('div', { class: 'chart' },
      el('div', { class: 'chart-head' }, group.title, el('span', { class: 'unit' }, prettyUnit(group.unit))), canvas, keys);
    chart.values = group.lines.map((line, k) => {
      const value = el('b'), key = el('i');
      key.dataset.line = k;
      keys.append(el('span', {}, key, `${line.name} `, value));
      return { value, key };
    });
    canvas.addEventListener('pointermove', (event) => { chart.hover = event.offsetX / canvas.clientWidth; this.stale = true; });
    canvas.addEventListener('pointerleave', () => { chart.hover = null; this.stale = true; });
    return chart;
  }

  // A sample of a new state; what was simulated later than it before is forgotten.
  add(time, row) {
    while (this.times.length && this.times.at(-1) >= time) {
      this.times.pop();
      this.rows.pop();
    }
    this.times.push(time);
    this.rows.push(row);
    if (this.times.length > most) {
      this.times.splice(0, most / 10);
      this.rows.splice(0, most / 10);
    }
    this.stale = true;
  }

  setTime(time) {
    if (this.now !== time) this.stale = true;
    this.now = time;
  }

  // A step may take as long as it simulates, a picture as long as a screen shows it.
  setBudget(stepSeconds, dt, speed, { meter, quality }) {
    if (!this.budget) return;
    if (meter.rate) {
      this.page.style.width = `${Math.min(100, (100 * meter.spent) / (1000 / 60))}%`;
      this.pageBar.classList.toggle('over', meter.spent > 1000 / 60);
      this.pageText.textContent = `${figures(meter.spent)} ms of 16.7 ms, ${Math.round(meter.rate)} pictures per second${quality.level ? `, drawn with less to keep up: ${quality.text()}` : ''}`;
    }
    if (!(stepSeconds > 0)) return;
    const share = stepSeconds / (dt / speed);
    this.budget.style.width = `${Math.min(100, 100 * share)}%`;
    this.budgetBar.classList.toggle('over', share > 1);
    this.budgetText.textContent = `${figures(1e3 * stepSeconds)} ms of ${figures((1e3 * dt) / speed)} ms (${Math.round(100 * share)} %)`;
  }

  draw() {
    if (!this.stale || $('charts').hidden || document.body.classList.contains('closed')) return;
    this.stale = false;
    for (const chart of this.charts) this.drawChart(chart);
  }

  // The sample at or before a time.
  sampleAt(time) {
    let low = 0, high = this.times.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.times[middle] <= time + 1e-12) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  drawChart(chart) {
    const { canvas } = chart, ratio = Math.min(devicePixelRatio, 2);
    const width = canvas.clientWidth, height = canvas.clientHeight;
    if (!width) return;
    canvas.width = width * ratio;
    canvas.height = height * ratio;
    const context = canvas.getContext('2d');
    context.scale(ratio, ratio);
    const style = getComputedStyle(document.body), palette = colours[this.theme];
    const area = { left: 46, right: width - 2, top: 6, bottom: height - 14 };
    const count = this.times.length, first = this.times[0] ?? 0, last = Math.max(this.times.at(-1) ?? 1, first + 1e-9);
    const [low, high] = this.rangeOf(chart);
    const x = (time) => area.left + ((time - first) / (last - first)) * (area.right - area.left);
    const y = (value) => area.bottom - ((value - low) / (high - low)) * (area.bottom - area.top);

    context.font = '10.5px system-ui, sans-serif';
    context.strokeStyle = style.getPropertyValue('--line');
    context.fillStyle = style.getPropertyValue('--faint');
    context.textBaseline = 'middle';
    for (const value of ticks(low, high, 3)) {
      context.beginPath();
      context.moveTo(area.left, y(value));
      context.lineTo(area.right, y(value));
      context.stroke();
      context.textAlign = 'right';
      context.fillText(figures(value, 4), area.left - 5, y(value));
    }
    context.textBaseline = 'alphabetic';
    for (const value of ticks(first, last, 5)) {
      context.textAlign = value - first < 0.03 * (last - first) ? 'left' : last - value < 0.06 * (last - first) ? 'right' : 'center';
      context.fillText(`${figures(value)} s`, x(value), height - 2);
    }
    chart.lines.forEach((line, k) => this.drawLine(context, line.index, palette[k % palette.length], x, y));

    // where the stage stands, or where the pointer is
    const time = chart.hover === null ? this.now : first + ((chart.hover * width - area.left) / (area.right - area.left)) * (last - first);
    if (count && time >= first && time <= last) {
      context.strokeStyle = style.getPropertyValue('--soft');
      context.setLineDash([2, 3]);
      context.beginPath();
      context.moveTo(x(time), area.top);
      context.lineTo(x(time), area.bottom);
      context.stroke();
      context.setLineDash([]);
    }
    const row = count ? this.rows[this.sampleAt(time)] : null;
    chart.values.forEach(({ value, key }, k) => {
      key.style.background = palette[k % palette.length];
      value.textContent = row ? withUnit(row[chart.lines[k].index], chart.unit === 'ms' ? '1' : chart.unit) : '–';
    });
  }

  rangeOf(chart) {
    let low = Infinity, high = -Infinity;
    for (const row of this.rows) {
      for (const { index } of chart.lines) {
        const value = row[index];
        if (value < low) low = value;
        if (value > high) high = value;
      }
    }
    if (!(low <= high)) return [0, 1];
    if (low > 0 && low < 0.5 * high) low = 0;
    const room = Math.max(0.06 * (high - low), 1e-6 * Math.max(Math.abs(high), Math.abs(low)), 1e-12);
    return [low === 0 ? 0 : low - room, high + room];
  }

  // One column of pixels at a time: from its least to its greatest value.
  drawLine(context, index, colour, x, y) {
    context.strokeStyle = colour;
    context.lineWidth = 1.6;
    context.lineJoin = 'round';
    context.beginPath();
    let column = null, least = 0, greatest = 0;
    const flush = () => {
      if (column === null) return;
      context.lineTo(column, y(least));
      if (greatest !== least) context.lineTo(column, y(greatest));
    };
    for (let i = 0; i < this.times.length; i++) {
      const value = this.rows[i][index];
      if (!Number.isFinite(value)) continue;
      const at = Math.round(2 * x(this.times[i])) / 2;
      if (at !== column) {
        flush();
        column = at;
        least = greatest = value;
      }
      if (value < least) least = value;
      if (value > greatest) greatest = value;
    }
    flush();
    context.stroke();
    context.lineWidth = 1;
  }

  toCsv() {
    const quote = (text) => (/[",\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text);
    const head = ['time (s)', ...this.gauges.map((gauge) => `${gauge.name}${gauge.unit === '1' ? '' : ` (${gauge.unit})`}`)];
    const lines = this.rows.map((row, i) => [this.times[i], ...row].map((value) => (Number.isFinite(value) ? value : '')).join(','));
    return [head.map(quote).join(','), ...lines].join('\n') + '\n';
  }
}

// Round numbers between two others, about that many.
function ticks(low, high, count) {
  const rough = (high - low) / count, power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((f) => f * power).find((f) => f >= rough) ?? rough;
  const out = [];
  for (let value = Math.ceil(low / step) * step; value <= high + 1e-9 * step && out.length < 12; value += step) out.push(Number(value.toPrecision(12)));
  return out;
}
