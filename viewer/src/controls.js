// The panel: how things look, and every value that the server says can be changed. The rows of
// integrators, solvers and materials come from the library's own tables.
import { $, el, figures, prettyUnit } from './dom.js';
import { tints } from './colours.js';

// Where a value that is zero could go, by its unit.
const reaches = { s: 0.1, '1/s': 10, 'Pa s': 1e4, 1: 1 };

export class Controls {
  constructor(send, stage) {
    this.send = send;
    this.stage = stage;
    this.timers = new Map();
    this.shape = '';
  }

  // ---- look ----

  makeLook(scene, onTint) {
    this.tint = el('select', { id: 'tint', title: 'What colours show (C)', onchange: () => onTint(this.tint.value) },
      ...scene.tints.map((tint) => el('option', { value: tint.name, title: tint.summary }, tints[tint.name]?.name ?? tint.name)));
    this.strength = el('input', { type: 'range', id: 'strength', min: -2, max: 2, step: 0.01, value: 0,
      oninput: () => this.later('strength', `strength ${10 ** this.strength.value}`) });
    this.strengthText = el('span', { class: 'unit' });
    const elements = scene.bodies.reduce((sum, body) => sum + body.elements, 0);
    const facts = [['Bodies', scene.bodies.length], ['Nodes', scene.bodies.reduce((sum, body) => sum + body.nodes, 0).toLocaleString('en')],
      ['Elements', `${elements.toLocaleString('en')} ${new Set(scene.bodies.map((body) => body.shape)).size === 1 ? scene.bodies[0].shape : ''}`],
      ['File', scene.file], ['Pliant', scene.version]];
    $('look').replaceChildren(
      group('Colours', el('div', { class: 'row pick' }, el('label', { for: 'tint' }, 'Show'), this.tint)),
      group('Drawn', this.check('Mesh', 'wires', 'W'), this.check('Held points', 'held', 'M'), this.check('Velocities', 'velocities', 'A'),
        this.check('Shadow', 'shadow'), this.check('Ground grid', 'grid')),
      group('Hand', el('div', { class: 'row' }, el('label', { for: 'strength' }, 'Pull strength'), this.strengthText, this.strength),
        el('p', { class: 'note' }, 'Drag a body to pull it, Shift-click to pin a point, Shift-Alt-click to free it.')),
      group('Scene', el('dl', { class: 'facts' }, ...facts.flatMap(([name, value]) => [el('dt', {}, name), el('dd', {}, String(value))]))));
  }

  check(text, key, letter) {
    const box = el('input', { type: 'checkbox', id: `show-${key}`, onchange: () => { this.stage.show[key] = box.checked; this.stage.applyShow(); } });
    box.checked = this.stage.show[key];
    return el('div', { class: 'row check' }, el('label', { for: `show-${key}`, title: letter ? `Key ${letter}` : null }, text), box);
  }

  toggle(key) {
    const box = $(`show-${key}`);
    if (box) box.click();
  }

  // ---- values ----

  // Rebuilt when something else is chosen; otherwise only the numbers change.
  setState(scene, state) {
    this.scene = scene;
    this.state = state;
    if (this.tint) this.tint.value = state.tint;
    if (this.strength && document.activeElement !== this.strength) this.strength.value = Math.log10(state.strength);
    if (this.strengthText) this.strengthText.textContent = `× ${figures(state.strength, 2)}`;
    const shape = JSON.stringify([state.scene, state.integrator.name, state.solver.name, state.preconditioner.name, state.materials.map((m) => [m.name, m.body])]);
    if (shape !== this.shape) {
      this.shape = shape;
      this.fields = [];
      $('values').replaceChildren(...this.makeValues(scene, state));
    }
    for (const field of this.fields) field.refresh();
  }

  makeValues(scene, state) {
    const changeable = scene.world.filter((param) => param.name !== 'duration');
    const world = group('World', ...changeable.map((param) => this.param('world', param, () => this.state.world[param.name])));
    // what "given" means while the scene is the same one
    if (this.given?.scene !== state.scene) this.given = { scene: state.scene, gravity: state.world.gravity };
    const { gravity } = this.given, size = Math.hypot(...gravity);
    world.append(el('div', { class: 'quick' },
      quick('None', () => this.set('world', 'gravity', '0 0 0')),
      quick('As given', () => this.set('world', 'gravity', (size ? gravity : scene.up.map((u) => -9.81 * u)).join(' '))),
      quick('Upwards', () => this.set('world', 'gravity', (size ? gravity : scene.up.map((u) => -9.81 * u)).map((g) => -g).join(' ')))));
    return [world,
      ...state.materials.map((material, i) => this.makeMaterial(scene, material, i)),
      this.makePart('Integrator', 'integrator', scene.families.integrator),
      this.makePart('Linear solver', 'solver', scene.families.solver),
      this.makePart('Preconditioner', 'preconditioner', scene.families.preconditioner)];
  }

  makeMaterial(scene, material, i) {
    const where = `material.${i}`;
    const law = scene.families.law.find((member) => member.name === material.name);
    return fold(`Material of ${material.body}`, scene.bodies.length <= 2,
      scene.families.law.length > 1 ? this.chooser(where, 'Law', scene.families.law, () => this.state.materials[i].name) : null,
      ...law.params.map((param) => this.param(where, param, () => this.state.materials[i].values[param.name])),
      ...scene.material.map((param) => this.param(where, param, () => this.state.materials[i].numbers[param.name])));
  }

  makePart(title, where, family) {
    const member = family.find((one) => one.name === this.state[where].name);
    return group(title, this.chooser(where, 'Method', family, () => this.state[where].name),
      el('p', { class: 'note' }, member.summary),
      ...member.params.map((param) => this.param(where, param, () => this.state[where].values[param.name])));
  }

  chooser(where, text, family, read) {
    const id = `choose-${where}`;
    const select = el('select', { id, onchange: () => this.send(`choose ${where} ${select.value}`) },
      ...family.map((member) => el('option', { value: member.name, title: member.summary }, member.name)));
    this.fields.push({ refresh: () => { select.value = read(); } });
    return el('div', { class: 'row pick' }, el('label', { for: id }, text), select);
  }

  param(where, param, read) {
    if (param.words) return this.words(where, param, read);
    if (param.width > 1) return this.triple(where, param, read);
    return this.number(where, param, read);
  }

  label(where, param) {
    return el('label', { for: `${where}-${param.name}`, title: param.summary }, `${param.name} `, el('span', { class: 'unit' }, prettyUnit(param.unit)));
  }

  words(where, param, read) {
    const select = el('select', { id: `${where}-${param.name}`, onchange: () => this.set(where, param.name, select.value) },
      ...param.words.map((word) => el('option', { value: word }, word)));
    this.fields.push({ refresh: () => { select.value = param.words[read()] ?? ''; } });
    return el('div', { class: 'row' }, this.label(where, param), select);
  }

  triple(where, param, read) {
    const inputs = [0, 1, 2].map((k) => el('input', { type: 'number', step: 'any', id: k ? null : `${where}-${param.name}`, 'aria-label': `${param.name} ${'xyz'[k]}`,
      onchange: () => this.set(where, param.name, inputs.map((input) => input.value || 0).join(' ')) }));
    this.fields.push({ refresh: () => inputs.forEach((input, k) => { if (document.activeElement !== input) input.value = figures(read()[k], 6); }) });
    return el('div', { class: 'row wide' }, this.label(where, param), el('div', { class: 'triple' }, ...inputs));
  }

  number(where, param, read) {
    const input = el('input', { type: 'number', step: param.unit === 'count' ? 1 : 'any', id: `${where}-${param.name}`, title: rangeText(param), placeholder: 'not given' });
    const scale = sliderScale(param, read());
    const slider = scale && el('input', { type: 'range', min: 0, max: 1000, step: 1, 'aria-label': param.name });
    const accepts = (value) => Number.isFinite(value) && value >= param.least && value <= param.most;
    input.addEventListener('change', () => {
      const value = Number(input.value);
      input.classList.toggle('bad', !accepts(value));
      if (accepts(value)) this.set(where, param.name, value);
    });
    input.addEventListener('keydown', (event) => { if (event.key === 'Enter') input.blur(); });
    slider?.addEventListener('input', () => {
      const value = scale.value(slider.value / 1000);
      input.value = figures(value, 4);
      this.later(`${where} ${param.name}`, `set ${where} ${param.name} ${value}`);
    });
    this.fields.push({ refresh: () => {
      const value = read();
      if (document.activeElement !== input) input.value = value === null ? '' : figures(value, 6);
      if (slider && document.activeElement !== slider) slider.value = 1000 * scale.place(value);
      input.classList.remove('bad');
    } });
    return el('div', { class: 'row' }, this.label(where, param), input, slider);
  }

  set(where, name, value) {
    this.send(`set ${where} ${name} ${value}`);
  }

  // While a slider moves, the last value of each tenth of a second.
  later(key, line) {
    const waiting = this.timers.get(key);
    if (waiting) {
      waiting.line = line;
      return;
    }
    const entry = { line };
    this.timers.set(key, entry);
    setTimeout(() => {
      this.timers.delete(key);
      this.send(entry.line);
    }, 80);
  }
}

const group = (title, ...children) => el('section', { class: 'group' }, el('h3', {}, title), ...children.filter(Boolean));
// The same, but it can be closed.
const fold = (title, open, ...children) => el('details', { class: 'group', open }, el('summary', {}, title), ...children.filter(Boolean));
const quick = (text, onclick) => el('button', { type: 'button', onclick }, text);

function rangeText(param) {
  return `${param.summary}: ${figures(param.least)} to ${figures(param.most)} ${prettyUnit(param.unit)}`;
}

// How a slider of 0 to 1 stands for the value: two decades to each side, or a range from end to end.
function sliderScale(param, value) {
  if (param.unit === 'count' || value === null) return null;
  const { least, most } = param;
  if (most - least <= 10 && !(least > 0 && most / least > 100)) {
    const room = 0.002 * (most - least);
    return { value: (x) => least + room + x * (most - least - 2 * room), place: (v) => (v - least) / (most - least) };
  }
  if (value > 0) {
    const low = Math.log(Math.max(value / 100, least > 0 ? least : 0)), high = Math.log(Math.min(value * 100, most));
    return { value: (x) => Math.exp(low + x * (high - low)), place: (v) => (v > 0 ? (Math.log(v) - low) / (high - low) : 0) };
  }
  const reach = Math.min(reaches[param.unit] ?? 0, most);
  return reach ? { value: (x) => x * x * reach, place: (v) => Math.sqrt(Math.min(1, v / reach)) } : null;
}
