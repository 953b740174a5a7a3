// The panel: how things look, and every value that the server says can be changed. The rows of
// integrators, solvers and materials come from the library's own tables.
import { $, el, figures, prettyUnit } from './dom.js';
import { arrowNames, colourOf, tints } from './colours.js';
import { patterns } from './skin.js';

const glyphNames = [
  ['none', 'None', 'nothing inside the bodies'], ['frames', 'Local frames', 'how elements are turned'],
  ['stress', 'Stress ellipsoids', 'principal Cauchy stresses along their directions'], ['strain', 'Strain ellipsoids', 'what a small ball has become'],
  ['fibres', 'Fibres', 'directions of the fibres, as stretched as they are'],
];

// Where a value that is zero could go, by its unit.
const reaches = { s: 0.1, '1/s': 10, 'Pa s': 1e4, 1: 1 };

export class Controls {
  constructor(send, stage, hand) {
    this.send = send;
    this.stage = stage;
    this.hand = hand;
    this.timers = new Map();
    this.shape = '';
  }

  // ---- look ----

  makeLook(scene) {
    this.tint = this.selector('tint', 'What colours show (C)', scene.tints.map((tint) => [tint.name, tints[tint.name]?.name ?? tint.name, tint.summary]), (value) => this.send(`tint ${value}`));
    this.arrows = this.selector('arrows', 'What arrows show (A)', scene.arrows.map((one) => [one.name, arrowNames[one.name] ?? one.name, one.summary]), (value) => this.send(`arrows ${value}`));
    this.glyphs = this.selector('glyphs', 'Figures inside the bodies (L: local frames)', glyphNames, (value) => this.send(`glyphs ${value}`));
    this.contacts = el('input', { type: 'checkbox', id: 'show-contacts', onchange: () => this.send(`contacts ${this.contacts.checked ? 1 : 0}`) });
    const pattern = this.selector('pattern', 'Drawn on the bodies at rest', patterns.map((name) => [name, name[0].toUpperCase() + name.slice(1)]), (value) => { this.stage.show.pattern = value; this.stage.applyShow(); });
    pattern.value = this.stage.show.pattern;
    $('look').replaceChildren(
      group('Colours', row('Show', this.tint), row('Pattern', pattern)),
      group(scene.bodies.length > 1 ? 'Bodies' : 'Body', this.makeBodies(scene)),
      this.makeView(),
      group('Drawn', row('Arrows', this.arrows), row('Figures', this.glyphs), this.check('Mesh', 'wires', 'W'), this.check('Held points', 'held', 'M'),
        el('div', { class: 'row check' }, el('label', { for: 'show-contacts', title: 'Where bodies touch something, and with which force; key K' }, 'Contact forces'), this.contacts),
        this.check('Shadow', 'shadow'), this.check('Ground grid', 'grid'), this.check('Follow what leaves the view', 'follow')),
      this.makeHand(),
      group('Scene', el('dl', { class: 'facts' }, ...sceneFacts(scene).flatMap(([name, value]) => [el('dt', {}, name), el('dd', {}, String(value))]))));
    this.setMode(this.hand.mode);
  }

  selector(id, title, rows, onChange) {
    const select = el('select', { id, title, onchange: () => onChange(select.value) }, ...rows.map(([value, text, summary]) => el('option', { value, title: summary }, text)));
    return select;
  }

  // Each body: its colour, its name, and how it is shown.
  makeBodies(scene) {
    const swatches = scene.bodies.map((body, i) => el('input', { type: 'color', value: colourOf(body, i), title: `Colour of ${body.name}`, 'aria-label': `Colour of ${body.name}`,
      oninput: (event) => { this.stage.setColour(i, event.target.value); this.onRepaint?.(); } }));
    this.stage.onPicture = (body, mean) => { if (swatches[body]) swatches[body].value = mean; };
    return el('div', { class: 'bodies' }, ...scene.bodies.map((body, i) => {
      const how = this.selector(`body-${i}`, `How ${body.name} is shown`, [['shown', 'Shown'], ['glass', 'See-through'], ['hidden', 'Hidden']], (value) => this.stage.showBody(i, value));
      how.setAttribute('aria-label', `How ${body.name} is shown`);
      how.value = (this.stage.shown.length === scene.bodies.length && this.stage.shown[i]) || 'shown';
      return el('div', { class: 'body' }, el('span', { class: 'swatches' }, swatches[i]), el('label', { for: `body-${i}`, title: `${body.nodes} nodes, ${body.elements} elements` }, body.name), how);
    }));
  }

  // Sides to look from, the kind of projection, and a cut through the bodies.
  makeView() {
    const { stage } = this;
    const sides = [['given', 'As given'], ['front', 'Front'], ['back', 'Back'], ['left', 'Left'], ['right', 'Right'], ['top', 'Top'], ['below', 'Below']];
    this.parallel = el('input', { type: 'checkbox', id: 'show-parallel', onchange: () => stage.setParallel(this.parallel.checked) });
    this.parallel.checked = stage.camera.fov < 1;
    const place = el('input', { type: 'range', id: 'slice-place', min: 0, max: 1, step: 0.002, value: stage.slice.place, 'aria-label': 'Place of the cut', oninput: () => stage.setSlice(axis.value, Number(place.value)) });
    const axis = this.selector('slice', 'Cuts what lies beyond a plane away', [['none', 'None'], ['x', 'Across x'], ['y', 'Across y'], ['z', 'Across z']], (value) => {
      place.hidden = value === 'none';
      stage.setSlice(value, Number(place.value));
    });
    axis.value = stage.slice.axis;
    place.hidden = axis.value === 'none';
    return group('View', el('div', { class: 'quick' }, ...sides.map(([side, text]) => el('button', { type: 'button', 'data-side': side, onclick: () => stage.lookFrom(side) }, text))),
      el('div', { class: 'row check' }, el('label', { for: 'show-parallel', title: 'Key O' }, 'Parallel projection'), this.parallel),
      el('div', { class: 'row pick' }, el('label', { for: 'slice' }, 'Cut'), axis, place));
  }

  makeHand() {
    this.modes = ['pull', 'push', 'pin'].map((mode) => el('button', { type: 'button', 'data-mode': mode, title: 'Key X', onclick: () => this.hand.setMode(mode) }, mode[0].toUpperCase() + mode.slice(1)));
    this.strength = el('input', { type: 'range', id: 'strength', min: -2, max: 2, step: 0.01, value: 0,
      oninput: () => this.later('strength', `strength ${10 ** this.strength.value}`) });
    this.strengthText = el('span', { class: 'unit' });
    const radius = el('input', { type: 'range', id: 'tool-radius', min: 0.02, max: 0.3, step: 0.005, value: this.hand.reach, oninput: () => { this.hand.reach = Number(radius.value); this.hand.wantHover = true; } });
    this.toolRow = el('div', { class: 'row' }, el('label', { for: 'tool-radius' }, 'Size of the sphere'), el('span'), radius);
    this.handNote = el('p', { class: 'note' });
    this.strengthRow = el('div', { class: 'row' }, el('label', { for: 'strength' }, 'Strength'), this.strengthText, this.strength);
    return group('Hand', el('div', { class: 'modes' }, ...this.modes), this.strengthRow, this.toolRow, this.handNote);
  }

  setMode(mode) {
    for (const button of this.modes ?? []) button.setAttribute('aria-pressed', button.dataset.mode === mode);
    if (!this.toolRow) return;
    // the hand of a scene has its own tool and spring
    this.strengthRow.hidden = !!this.hand.felt;
    this.toolRow.hidden = mode !== 'push' || !!this.hand.felt;
    const tool = this.hand.felt ? "the tool of the scene's hand" : 'a sphere';
    this.handNote.textContent = mode === 'pin' ? 'Click or tap a point to pin it where it is, and again to free it.' : mode === 'push' ? `Press on a body and move: ${tool} pushes it. The wheel moves it in and out.`
      : 'Drag a body to pull it; let go in a swing to throw it. Shift-click pins a point, Shift-Alt-click frees it.';
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
    if (this.arrows) this.arrows.value = state.arrows;
    if (this.glyphs) this.glyphs.value = state.glyphs;
    this.stage.glyphs = state.glyphs;
    if (this.contacts) this.contacts.checked = state.contacts;
    if (this.strength && document.activeElement !== this.strength) this.strength.value = Math.log10(state.strength);
    if (this.strengthText) this.strengthText.textContent = `× ${figures(state.strength, 2)}`;
    const shape = JSON.stringify([state.scene, state.integrator.name, state.solver.name, state.preconditioner.name, state.contact.name, state.models.map((m) => m.name), state.materials.map((m) => [m.name, m.body])]);
    if (shape !== this.shape) {
      this.shape = shape;
      this.fields = [];
      $('values').replaceChildren(...this.makeValues(scene, state));
    }
    for (const field of this.fields) field.refresh();
  }

  makeValues(scene, state) {
    const changeable = scene.world.filter((param) => param.name in state.world && param.name !== 'duration');
    // what "given" means while the scene is the same one
    if (this.given?.scene !== state.scene) this.given = { scene: state.scene, gravity: state.world.gravity };
    const { gravity } = this.given, size = Math.hypot(...gravity);
    const pulls = el('div', { class: 'quick' },
      quick('None', () => this.set('world', 'gravity', '0 0 0')),
      quick('As given', () => this.set('world', 'gravity', (size ? gravity : scene.up.map((u) => -9.81 * u)).join(' '))),
      quick('Upwards', () => this.set('world', 'gravity', (size ? gravity : scene.up.map((u) => -9.81 * u)).map((g) => -g).join(' '))));
    const rows = changeable.flatMap((param) => [this.param('world', param, () => this.state.world[param.name]), param.name === 'gravity' ? pulls : null]);
    this.undo = el('button', { type: 'button', id: 'undo', title: 'Takes the last change of a value or a pin back (Z)', onclick: () => this.onUndo?.() });
    this.setUndo(this.undoable);
    return [el('div', { class: 'quick' }, this.undo), group('World', ...rows),
      ...state.materials.map((material, i) => this.makeMaterial(scene, material, i)),
      ...this.makeContact(scene, state),
      this.makePart('Integrator', 'integrator', scene.families.integrator),
      this.makePart('Linear solver', 'solver', scene.families.solver),
      this.makePart('Preconditioner', 'preconditioner', scene.families.preconditioner)];
  }

  makeMaterial(scene, material, i) {
    const where = `material.${i}`;
    const law = scene.families.law.find((member) => member.name === material.name);
    const model = scene.families.model.find((member) => member.name === this.state.models[i].name);
    return fold(`Model and material of ${material.body}`, scene.bodies.length <= 2,
      this.chooser(`model.${i}`, 'Model', scene.families.model, () => this.state.models[i].name),
      ...model.params.map((param) => this.param(`model.${i}`, param, () => this.state.models[i].values[param.name])),
      scene.families.law.length > 1 ? this.chooser(where, 'Law', scene.families.law, () => this.state.materials[i].name) : null,
      ...law.params.map((param) => this.param(where, param, () => this.state.materials[i].values[param.name])),
      ...scene.material.filter(({ name }) => name in material.numbers).map((param) => this.param(where, param, () => this.state.materials[i].numbers[param.name])));
  }

  // What keeps bodies apart, and the surface of each obstacle.
  makeContact(scene, state) {
    const response = scene.families.response.find((member) => member.name === state.contact.name);
    const numbers = scene.contact.filter(({ name }) => name in state.contact.numbers);
    const surface = scene.obstacle.filter(({ name }) => name in (state.obstacles[0] ?? {}));
    return [fold('Contact', state.obstacles.length + scene.bodies.length > 1,
      this.chooser('contact', 'Response', scene.families.response, () => this.state.contact.name),
      ...response.params.map((param) => this.param('contact', param, () => this.state.contact.values[param.name])),
      ...numbers.map((param) => this.param('contact', param, () => this.state.contact.numbers[param.name]))),
    ...state.obstacles.map((_, i) => fold(`Surface of ${scene.obstacles[i]?.label ?? i}`, state.obstacles.length <= 2,
      ...surface.map((param) => this.param(`obstacle.${i}`, param, () => this.state.obstacles[i][param.name]))))];
  }

  // what: the command that would be undone; null: there is none.
  setUndo(what) {
    this.undoable = what;
    if (!this.undo) return;
    this.undo.disabled = !what;
    this.undo.textContent = what ? `Undo: ${what}` : 'Undo';
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
    const why = el('p', { class: 'why', role: 'alert', hidden: true });
    const slider = scale && el('input', { type: 'range', min: 0, max: 1000, step: 1, 'aria-label': param.name });
    const accepts = (value) => Number.isFinite(value) && (param.unit !== 'count' || Number.isInteger(value)) && value >= param.min && value <= param.max;
    input.addEventListener('change', () => {
      const value = input.value.trim() === '' ? NaN : Number(input.value);
      input.classList.toggle('bad', !accepts(value));
      why.hidden = accepts(value);
      why.textContent = `${param.name} must be a ${param.unit === 'count' ? 'whole ' : ''}number from ${figures(param.min)} to ${figures(param.max)} ${prettyUnit(param.unit)}`.trim();
      if (!why.hidden) why.scrollIntoView({ block: 'nearest' });
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
      if (document.activeElement === input) return;
      input.classList.remove('bad');
      why.hidden = true;
    } });
    return el('div', { class: 'row' }, this.label(where, param), input, slider, why);
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

function sceneFacts(scene) {
  const count = (key) => scene.bodies.reduce((sum, body) => sum + body[key], 0).toLocaleString('en');
  const shapes = new Set(scene.bodies.map((body) => body.shape));
  const facts = [['Bodies', scene.bodies.length], ['Nodes', count('nodes')], ['Elements', `${count('elements')} ${shapes.size === 1 ? [...shapes][0] : ''}`]];
  if (scene.obstacles.length) facts.push(['Obstacles', scene.obstacles.map((one) => one.label).join(', ')]);
  return [...facts, ['File', scene.file], ['Pliant', scene.version]];
}

const row = (text, control) => el('div', { class: 'row pick' }, el('label', { for: control.id }, text), control);
const group = (title, ...children) => el('section', { class: 'group' }, el('h3', {}, title), ...children.filter(Boolean));
// The same, but it can be closed.
const fold = (title, open, ...children) => el('details', { class: 'group', open }, el('summary', {}, title), ...children.filter(Boolean));
const quick = (text, onclick) => el('button', { type: 'button', onclick }, text);

function rangeText(param) {
  return `${param.summary}: ${figures(param.min)} to ${figures(param.max)} ${prettyUnit(param.unit)}`;
}

// How a slider of 0 to 1 stands for the value: two decades to each side, or a range from end to end.
function sliderScale(param, value) {
  if (param.unit === 'count' || value === null) return null;
  const { min, max } = param;
  if (max - min <= 10 && !(min > 0 && max / min > 100)) {
    const room = 0.002 * (max - min);
    return { value: (x) => min + room + x * (max - min - 2 * room), place: (v) => (v - min) / (max - min) };
  }
  if (value > 0) {
    const low = Math.log(Math.max(value / 100, min > 0 ? min : 0)), high = Math.log(Math.min(value * 100, max));
    return { value: (x) => Math.exp(low + x * (high - low)), place: (v) => (v > 0 ? (Math.log(v) - low) / (high - low) : 0) };
  }
  const reach = Math.min(reaches[param.unit] ?? 0, max);
  return reach ? { value: (x) => x * x * reach, place: (v) => Math.sqrt(Math.min(1, v / reach)) } : null;
}
