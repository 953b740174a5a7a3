// The page of pliant view: messages come in, the stage and the panel follow, commands go out.
import { $, el, figures, withUnit } from './dom.js';
import { Connection } from './connection.js';
import { Stage } from './stage.js';
import { Hand } from './hand.js';
import { Charts } from './charts.js';
import { Controls } from './controls.js';
import { Save } from './save.js';
import { Undo } from './undo.js';
import { bindKeys } from './keys.js';
import { arrowNames, drawBar, Range, tints } from './colours.js';

const speeds = [0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10];
const app = { scene: null, state: null, frame: null, ready: false, driver: false, range: new Range(), legendHeld: false, frames: 0, thumbs: new Map() };

const stage = new Stage($('stage'));
const charts = new Charts();
const connection = new Connection(location.hash.slice(1), { message, open: opened, lost, malformed });
const send = (line) => connection.send(line);
// changes of values and pins can be undone
const change = (line) => {
  undo.note(app.scene, app.state, line);
  send(line);
};
const hand = new Hand(stage, change);
const controls = new Controls(change, stage, hand);
const undo = new Undo(send, (what) => controls.setUndo(what));
const save = new Save(app, stage, charts, send, () => (app.scene?.file ?? 'pliant').replace(/\.xml$/, ''));

// ---- messages ----

const handlers = {
  role({ driver }) {
    app.driver = driver;
    $('watching').hidden = driver;
  },

  scene(scene) {
    undo.clear();
    app.keepView = app.scene?.entry === scene.entry && app.ready;
    app.scene = scene;
    app.ready = app.fresh = false;
    app.frame = null;
    app.textures = [];
    $('broken').hidden = true;
    $('title').textContent = scene.title;
    document.title = `${scene.title} – Pliant`;
    app.range.clear();
    app.painted = null;
    charts.setGauges(scene.gauges);
    controls.makeLook(scene);
    markGallery();
  },

  broken(message) {
    app.scene = null;
    app.ready = false;
    stage.clear();
    $('title').textContent = message.file;
    $('legend').hidden = true;
    $('errors').replaceChildren(...message.errors.map((error) =>
      el('li', {}, el('code', {}, error.line ? `${error.file}:${error.line}` : error.file || message.file), error.message)));
    $('broken').hidden = false;
  },

  // They come before the surface that they are on.
  textures({ scene, textures }) {
    if (scene === app.scene?.number) app.textures = textures;
  },

  geometry(geometry) {
    if (geometry.scene !== app.scene?.number) return;
    stage.setScene(app.scene, geometry, app.textures, app.keepView);
    hand.take(app.scene);
    app.ready = true;
  },

  held({ scene, held }) {
    if (app.ready && scene === app.scene.number) stage.setHeld(held);
  },

  state(state) {
    if (state.scene !== app.scene?.number) return;
    const tintBefore = app.state?.tint;
    app.state = state;
    document.body.classList.toggle('playing', state.playing);
    $('replay').hidden = !state.replaying;
    $('play').setAttribute('aria-label', state.playing ? 'Pause' : 'Play');
    $('speed').value = state.pace === 'free' ? 'free' : String(state.speed);
    if (tintBefore !== state.tint) app.range.clear();
    controls.setState(app.scene, state);
  },

  // Shown with the next picture: only the last of several that come before it.
  frame(frame) {
    if (!app.ready || frame.scene !== app.scene.number) return;
    app.frames++;
    app.frame = frame;
    app.fresh = true;
    stage.touch();
    if (frame.gauged && frame.stepped) charts.add(frame.time, Array.from(frame.gauges));
    charts.setTime(frame.time);
    tellTime(frame);
  },

  saved(message) {
    save.files(message);
  },

  gallery({ scenes, pictures }) {
    app.gallery = scenes;
    $('unpictured').textContent = scenes.length > pictures ? `Pictures are made of the first ${pictures} of ${scenes.length} scenes.` : '';
    fillGallery();
  },

  thumb({ index, png }) {
    const old = app.thumbs.get(index);
    if (old) URL.revokeObjectURL(old);
    app.thumbs.set(index, URL.createObjectURL(new Blob([png], { type: 'image/png' })));
    $('cards').children[index]?.firstChild.replaceWith(pictureOf(index));
  },

  // Each is shown once, also to a page that is loaded again; run: the server's, which counts them.
  notices({ run, notices }) {
    const known = remembered('noticed')?.split(':').map(Number), seen = known?.[0] === run ? known[1] : 0;
    for (const notice of notices) if (notice.number > seen) showNotice(notice.text, notice.error);
    if (notices.length) remember('noticed', `${run}:${notices.at(-1).number}`);
  },
};

function message(message) {
  handlers[message.type]?.(message);
}

function showFrame() {
  if (!app.fresh || !app.ready) return;
  app.fresh = false;
  stage.move(app.frame);
  stage.setPulls(app.frame.pulls);
  stage.setLinks(app.frame.links);
  hand.showTool(app.frame.tool);
  tellContacts(app.frame);
  paint(app.frame);
}

// Numbers that change while it plays, ten times a second: more often nobody can read them.
function tellTime(frame) {
  const now = performance.now();
  if (frame.playing && app.toldPlaying && now < app.told + 100) return;
  app.told = now;
  app.toldPlaying = frame.playing;
  $('scrub').max = frame.count - 1;
  if (!app.scrubbing) $('scrub').value = frame.place;
  $('clock').textContent = `${frame.time.toFixed(frame.time < 100 ? 3 : 1)} s`;
  $('factor').textContent = frame.playing ? `${figures(frame.realTimeFactor, 2)} ×` : 'paused';
  $('words').hidden = !frame.playing;
  const late = frame.behind && app.state?.pace !== 'free';
  $('behind').hidden = !late;
  document.body.classList.toggle('late', late);
  if (app.state) charts.setBudget(frame.stepSeconds, app.state.world.dt, app.state.speed, stage);
}

// What outlives a reload of this page, where the browser keeps anything.
function remember(key, value) {
  try { sessionStorage.setItem(key, value); } catch { app[key] = value; }
}
function remembered(key) {
  try { return sessionStorage.getItem(key); } catch { return app[key] ?? null; }
}

// Body, value and place under the pointer.
function tellHover(hit, x, y) {
  const tag = $('under');
  tag.hidden = !hit || !app.frame || !app.scene;
  if (tag.hidden) return;
  const tint = app.scene.tints[app.frame.tint], values = app.frame.values;
  const value = values && hit.vertices.reduce((sum, vertex, k) => sum + hit.weights[k] * values[vertex], 0);
  tag.replaceChildren(el('b', {}, app.scene.bodies[hit.body]?.name ?? ''), ` ${hit.element ? `node ${hit.node}, element ${hit.element - 1}` : `point ${hit.node} of the surface`}`, el('br'),
     ...(values ? [`${tints[tint.name]?.name ?? tint.name} ${withUnit(value, tint.unit)}`, el('br')] : []), `(${hit.point.toArray().map((one) => figures(Math.abs(one) < 1e-9 * stage.size ? 0 : one)).join(', ')}) m`);
  tag.style.transform = `translate(${Math.min(Math.round(x + 16), innerWidth - 240)}px, ${Math.min(Math.round(y + 18), innerHeight - 130)}px)`;
}

function malformed(error) {
  showNotice(`The page did not understand the server: ${error.message}`, true);
}

function opened() {
  $('lost').hidden = true;
  $('notices').replaceChildren(); // what another server said is over
}

function lost({ wrongToken, full }) {
  $('lost').hidden = false;
  $('lost-title').textContent = wrongToken ? 'This address is not valid any more' : full ? 'Too many pages' : 'The connection is lost';
  $('lost-text').textContent = wrongToken ? 'Open the address that “pliant view” has printed: each run has its own.'
    : full ? 'Close another page of this scene; this one tries again.' : 'Trying again. Is “pliant view” still running?';
}

function showNotice(text, isError) {
  const notice = el('div', { class: isError ? 'notice bad' : 'notice' }, text);
  $('notices').append(notice);
  while ($('notices').children.length > 4) $('notices').firstChild.remove();
  setTimeout(() => notice.remove(), isError ? 12000 : 6000);
}

// ---- colours ----

function paint(frame) {
  const name = app.scene.tints[frame.tint]?.name ?? 'none', tint = tints[name];
  $('legend').hidden = !frame.values;
  if (!frame.values) {
    if (app.painted !== 'none') stage.showPictures(true).surface.paint(null);
    app.painted = 'none';
    tellArrows(frame);
    return;
  }
  app.range.follow(tint, frame.values, app.legendHeld);
  stage.surface.paint(frame.values, tint.map, app.range.low, app.range.high);
  if (app.painted !== name) {
    stage.showPictures(false);
    drawBar($('legend-bar'), tint.map);
  }
  app.painted = name;
  const unit = app.scene.tints[frame.tint].unit, { low, high } = app.range;
  $('legend-name').textContent = tint.name;
  $('legend-low').textContent = withUnit(low, unit);
  $('legend-middle').textContent = app.range.flat ? '' : withUnit((low + high) / 2, unit);
  $('legend-high').textContent = app.range.flat ? 'everywhere' : `${app.range.cut ? '≥ ' : ''}${withUnit(high, unit)}`;
  tellArrows(frame);
}

// What the longest arrow stands for.
function tellArrows(frame) {
  const arrows = app.scene.arrows[frame.arrows];
  $('arrows-key').hidden = !frame.vectors;
  if (frame.vectors) $('arrows-key').lastElementChild.textContent = `${arrowNames[arrows.name] ?? arrows.name}: longest ${withUnit(stage.props.greatest, arrows.unit)}`;
}

function tellContacts({ contacts }) {
  $('contacts-key').hidden = !app.state?.contacts;
  const count = contacts.length / 6;
  $('contacts-key').lastElementChild.textContent = count ? `${count} contact${count > 1 ? 's' : ''}: longest ${withUnit(stage.props.hardest, 'N')}` : 'no contact';
}

// The one behind the chosen in the scene's list of tints or arrows.
function next(what) {
  if (!app.scene || !app.state) return;
  const names = app.scene[what === 'tint' ? 'tints' : what].map((one) => one.name);
  send(`${what} ${names[(names.indexOf(app.state[what]) + 1) % names.length]}`);
}

$('legend-lock').addEventListener('click', () => {
  app.legendHeld = !app.legendHeld;
  $('legend-lock').setAttribute('aria-pressed', app.legendHeld);
  $('legend-lock').textContent = app.legendHeld ? 'held' : 'hold';
});

// ---- time ----

const playing = () => !!app.state?.playing;
const togglePlay = () => send(playing() ? 'pause' : 'play');
$('play').addEventListener('click', togglePlay);
$('step').addEventListener('click', () => send('step 1'));
$('back').addEventListener('click', () => send('back 1'));
$('reset').addEventListener('click', () => send('reset'));
$('scrub').addEventListener('input', () => {
  app.scrubbing = true;
  send(`seek ${$('scrub').value}`);
});
$('scrub').addEventListener('change', () => { app.scrubbing = false; });
$('speed').append(...speeds.map((speed) => el('option', { value: speed }, `${speed} ×`)), el('option', { value: 'free' }, 'no limit'));
$('speed').addEventListener('change', () => setSpeed($('speed').value));

function setSpeed(value) {
  if (value === 'free') send('pace free');
  else {
    send('pace real');
    send(`speed ${value}`);
  }
}

function changeSpeed(by) {
  if (!app.state) return;
  const at = speeds.findIndex((speed) => speed >= app.state.speed - 1e-9);
  setSpeed(speeds[Math.min(speeds.length - 1, Math.max(0, at + by))]);
}

// ---- panel, theme, dialogs ----

function openTab(name) {
  for (const button of document.querySelectorAll('[data-tab]')) {
    const chosen = button.dataset.tab === name;
    button.setAttribute('aria-selected', chosen);
    $(button.dataset.tab).hidden = !chosen;
  }
  charts.stale = true;
}
for (const button of document.querySelectorAll('[data-tab]')) button.addEventListener('click', () => openTab(button.dataset.tab));

function togglePanel(open = document.body.classList.contains('closed')) {
  document.body.classList.toggle('closed', !open);
  $('toggle').setAttribute('aria-expanded', open);
  charts.stale = true;
  stage.resize();
}
$('toggle').addEventListener('click', () => togglePanel());

stage.covered = () => {
  const top = 64, bottom = innerHeight - 64, open = !document.body.classList.contains('closed');
  if (innerWidth <= 720) return { left: 0, width: innerWidth, top, height: (open ? 0.46 * innerHeight : bottom) - top };
  return { left: 0, width: innerWidth - (open ? 330 : 0), top, height: bottom - top };
};

function setTheme(name) {
  document.documentElement.dataset.theme = name;
  charts.theme = name;
  charts.stale = true;
  stage.setTheme(name);
  try { localStorage.setItem('theme', name); } catch { /* no storage: the theme is not kept */ }
}
const storedTheme = () => { try { return localStorage.getItem('theme'); } catch { return null; } };
const toggleTheme = () => setTheme(document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark');
$('theme').addEventListener('click', toggleTheme);
setTheme(storedTheme() ?? (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'));

function toggleDialog(id) {
  const dialog = $(id), open = dialog.open;
  for (const other of document.querySelectorAll('dialog[open]')) other.close();
  if (open) return;
  dialog.showModal();
  if (id === 'gallery') send('gallery');
}
for (const dialog of document.querySelectorAll('dialog')) {
  dialog.querySelector('.close').addEventListener('click', () => dialog.close());
  dialog.addEventListener('click', (event) => { if (event.target === dialog) dialog.close(); });
}
$('help').addEventListener('click', () => toggleDialog('keys'));
$('scenes').addEventListener('click', () => toggleDialog('gallery'));
$('live').addEventListener('click', () => send('live'));
$('filming').addEventListener('click', () => save.film());
$('drive').addEventListener('click', () => send('drive'));

const pictureOf = (index) => (app.thumbs.has(index) ? el('img', { class: 'picture', src: app.thumbs.get(index), alt: '' }) : el('span', { class: 'picture' }));

// Cards stay when the list comes again: a press on one that is replaced would be lost.
function fillGallery() {
  const cards = $('cards');
  while (cards.children.length > app.gallery.length) cards.lastChild.remove();
  app.gallery.forEach((scene, i) => {
    const card = cards.children[i] ?? cards.appendChild(el('button', { class: 'scene', onclick() { send(`open ${i}`); $('gallery').close(); } }));
    card.replaceChildren(pictureOf(i), el('b', {}, scene.title), el('small', {}, scene.broken ? `${scene.file} (has errors)` : scene.file));
  });
  markGallery();
}

function markGallery() {
  [...$('cards').children].forEach((card, i) => card.setAttribute('aria-current', i === app.scene?.entry));
}

function takeBack() {
  const what = undo.undo();
  if (what) showNotice(`Taken back: ${what}`, false);
}
controls.onUndo = takeBack;
save.onProblem = (text) => showNotice(text, true);

// ---- keys ----

bindKeys([
  [[' '], 'play or pause', togglePlay],
  [['ArrowRight'], 'one step (Shift: ten)', (event) => send(`step ${event.shiftKey ? 10 : 1}`)],
  [['ArrowLeft'], 'one step back (Shift: ten)', (event) => send(`back ${event.shiftKey ? 10 : 1}`)],
  [['Home', 'r'], 'reset', () => send('reset')],
  [['+', '='], 'faster', () => changeSpeed(1)],
  [['-'], 'slower', () => changeSpeed(-1)],
  [['p'], 'pin the point under the pointer', () => hand.holdHere('pin')],
  [['u'], 'free the point under the pointer', () => hand.holdHere('release')],
  [['f'], 'look at everything', () => app.ready && stage.focus()],
  [['c'], 'next colouring', () => next('tint')],
  [['w'], 'mesh', () => controls.toggle('wires')],
  [['m'], 'held points', () => controls.toggle('held')],
  [['x'], 'pull or push', () => hand.setMode(hand.mode === 'pull' ? 'push' : 'pull')],
  [['o'], 'parallel projection', () => controls.toggle('parallel')],
  [['z'], 'undo the last change of a value', takeBack],
  [['k'], 'contact forces', () => app.state && send(`contacts ${app.state.contacts ? 0 : 1}`)],
  [['n'], 'start or end a video of every picture', () => save.film()],
  [['a'], 'next arrows', () => next('arrows')],
  [['l'], 'local frames', () => app.state && send(`locals ${app.state.locals ? 0 : 1}`)],
  [['1'], 'look', () => { togglePanel(true); openTab('look'); }],
  [['2'], 'values', () => { togglePanel(true); openTab('values'); }],
  [['3'], 'charts', () => { togglePanel(true); openTab('charts'); }],
  [['b'], 'panel', () => togglePanel()],
  [['g'], 'scenes', () => toggleDialog('gallery')],
  [['s'], 'save a picture', () => save.picture()],
  [['v'], 'start or end a video', () => save.video()],
  [['t'], 'light or dark', toggleTheme],
  [['h', '?'], 'this help', () => toggleDialog('keys')],
  [['Escape'], 'close', () => {
    document.activeElement?.blur();
    document.querySelector('dialog[open]')?.close();
  }],
]);

hand.onUse = () => $('hint').classList.add('gone');
setTimeout(() => $('hint').classList.add('gone'), 12000);
stage.beforeDraw = showFrame;
stage.onBadPicture = () => showNotice('The browser cannot read a texture of this scene', true);
stage.onDraw = () => hand.showForce(app.frame?.pulls ?? [], app.frame?.tool);
setInterval(() => { charts.draw(); hand.refresh(); }, 40);
hand.onHover = tellHover;
hand.onMode = (mode) => controls.setMode(mode);
controls.onRepaint = () => { app.painted = null; if (app.frame) paint(app.frame); };
if (innerWidth <= 720) togglePanel(false);

// for tests and for the curious
window.pliant = { app, stage, charts, connection, hand, send };
