// The simulation behind the page: takes the page's lines, takes the session's turns, hands out its messages. It keeps
// what was done to the scene and at which step, so that a link can replay it to the same bits.
import createModule from 'session.mjs'; // its place is given when the page is made
import { fetchNow, openParts } from '../../web/parts.js';
import { fromBase64, pack, toBase64, unpack } from './share.js';

const own = '/own', folder = '/scenes', shapes = '/shapes';
const mostFile = 50 << 20, mostShared = 64 << 10;
// what changes the state, and so belongs to a link
const kept = new Set(['grab', 'drag', 'drop', 'throw', 'push', 'lift', 'strength', 'pin', 'release', 'choose', 'set', 'seek', 'back', 'live']);
// elements that dropped surfaces are filled with, by what a step may take
const levels = [2000, 5000, 12000, 24000];

let module, memory, threads = 1, call, gallery = [], entry = 0, commands = [], waiting = null, ready = false, ownFiles = null, told = '', replaying = false, fetching = 0, opened = 0;
const tick = new MessageChannel();
tick.port1.onmessage = () => turn();

const post = (data, transfer) => self.postMessage(data, transfer);
const say = (text, error = true) => post({ notice: text, error });

function facts() {
  const [steps, time, hash, left] = call.facts().split(' ');
  return { steps: Number(steps), time: Number(time), hash, left: Number(left) };
}

// ---- messages out ----

function hand(slot) {
  const from = call.data(), bytes = memory().slice(from, from + call.size());
  if (!call.isText(slot)) return post({ message: bytes.buffer }, [bytes.buffer]);
  const text = new TextDecoder().decode(bytes), head = text.slice(0, 30);
  if (head.startsWith('{"type":"gallery"')) return tellGallery();
  return post({ message: text });
}

function tellGallery() {
  const first = { file: 'scene.xml', title: ownFiles ? 'your own' : 'the start', broken: false };
  post({ message: JSON.stringify({ type: 'gallery', scenes: [first, ...gallery.map(({ file, title }) => ({ file, title, broken: false }))] }) });
}

// Small pictures that were made with the page.
async function tellPictures() {
  await Promise.all(gallery.map(async ({ file }, i) => {
    const answer = await fetch(place(`scenes/${file.replace(/xml$/, 'png')}`));
    if (!answer.ok) return;
    const png = new Uint8Array(await answer.arrayBuffer()), message = new Uint8Array(12 + png.length), view = new DataView(message.buffer);
    message.set([0x50, 0x4c, 0x54, 0x31]); // PLT1
    view.setUint32(4, i + 1, true);
    view.setUint32(8, png.length, true);
    message.set(png, 12);
    post({ message: message.buffer }, [message.buffer]);
  }));
}

function tellFacts() {
  const now = facts(), text = JSON.stringify(now);
  if (text === told) return;
  told = text;
  post({ facts: now });
}

// ---- turns ----

function turn() {
  if (!ready || (fetching && !replaying)) return;
  clearTimeout(waiting);
  waiting = null;
  let pause;
  try {
    pause = call.turn();
    for (let slot = call.next(); slot >= 0; slot = call.next()) hand(slot);
  } catch (error) {
    ready = false;
    return post({ failed: /memory|allocat/i.test(String(error)) ? 'This scene needs more memory than the browser gives.' : error.message });
  }
  if (pause >= 100) tellFacts();
  if (replaying) return;
  if (pause < 1) tick.port2.postMessage(0);
  else waiting = setTimeout(turn, pause);
}

const soon = () => { if (!replaying) tick.port2.postMessage(0); };

function send(line) {
  if (call.send(line)) say(call.error());
}

// ---- scenes ----

function write(path, bytes) {
  const at = path.lastIndexOf('/');
  if (at > 0) module.FS.mkdirTree(path.slice(0, at));
  module.FS.writeFile(path, bytes);
}

async function get(file) {
  const answer = await fetch(place(`scenes/${file}`));
  if (!answer.ok) throw new Error(`${file} cannot be fetched (${answer.status})`);
  return new Uint8Array(await answer.arrayBuffer());
}

// The gallery's scene of that number, with the files that it names.
async function fetchScene(index) {
  const { file, files } = gallery[index - 1];
  fetching++; // the scene that is shown stands still meanwhile
  try {
    await Promise.all([file, ...files].map(async (name) => write(`${folder}/${name}`, await get(name))));
  } finally {
    fetching--;
    soon();
  }
}

async function open(index) {
  const number = ++opened;
  if (index > 0 && index <= gallery.length) await fetchScene(index);
  if (number !== opened) return; // another was chosen while this one was fetched
  entry = index;
  commands = [];
  send(`open ${index}`);
  soon();
}

function start(playing) {
  entry = 0;
  commands = [];
  told = '';
  if (call.start(`${own}/scene.xml`, folder, threads, playing ? 1 : 0)) return post({ failed: call.error() });
  ready = true;
  soon();
}

// A scene of one's own in place of the first: { name: bytes }, with scene.xml among them.
function take(files) {
  ownFiles = files;
  for (const [name, bytes] of Object.entries(files)) write(`${own}/${name}`, bytes);
}

// Milliseconds of a step, over five.
function measure() {
  const before = facts().steps, begin = performance.now();
  send('step 5');
  while (facts().steps < before + 5 && performance.now() < begin + 3000) call.turn();
  return (performance.now() - begin) / 5;
}

// A dropped surface is filled as finely as this machine can step in real time.
function refine(dt) {
  const cost = measure() / levels[0];
  let elements = levels[0];
  for (const level of levels) if (cost * level < 700 * dt) elements = level;
  if (elements === levels[0]) return;
  const text = new TextDecoder().decode(module.FS.readFile(`${own}/scene.xml`)).replace(/elements="\d+"/, `elements="${elements}"`);
  take({ ...ownFiles, 'scene.xml': new TextEncoder().encode(text) });
}

async function drop(files) {
  const total = files.reduce((sum, one) => sum + one.bytes.length, 0);
  if (total > mostFile) return say(`The file has ${(total / 1048576).toFixed(0)} MB; this page takes at most ${mostFile >> 20} MB.`);
  const main = files.find(({ name }) => name.endsWith('.xml')) ?? files[0];
  const all = Object.fromEntries(files.map(({ name, bytes }) => [name, bytes]));
  if (main.name.endsWith('.xml')) {
    take({ ...all, 'scene.xml': main.bytes });
    start(true);
    return say(`${main.name} is shown.`, false);
  }
  post({ busy: `${main.name} is being filled with elements` });
  write(`/drop/${main.name}`, main.bytes);
  if (module.FS.analyzePath(`${shapes}/scene.xml`).exists) module.FS.unlink(`${shapes}/scene.xml`);
  module.FS.mkdirTree(shapes);
  if (call.shape(`/drop/${main.name}`, shapes, /\.(glb|obj)$/i.test(main.name) ? 'y' : 'z')) {
    post({ busy: null, same: true });
    return say(call.error());
  }
  const text = new TextDecoder().decode(module.FS.readFile(`${shapes}/scene.xml`)).replace(/elements="\d+"/, `elements="${levels[0]}"`)
    .replace(/ *<output[^>]*>\n/g, '');
  take({ 'scene.xml': new TextEncoder().encode(text), [`shape/${main.name}`]: main.bytes });
  start(false);
  ready = false; // no turns of its own meanwhile
  call.turn();
  if (/elements="/.test(text)) refine(Number(/dt="([^"]+)"/.exec(text)[1]));
  post({ busy: null });
  start(true);
}

// ---- links ----

async function share() {
  const story = { commands, steps: facts().steps, hash: facts().hash };
  if (entry > 0) story.gallery = gallery[entry - 1].file;
  else {
    const { 'scene.xml': scene, ...rest } = ownFiles;
    const size = Object.values(rest).reduce((sum, bytes) => sum + bytes.length, scene.length);
    if (size > mostShared) return say(`This scene has ${(size / 1024).toFixed(0)} kB; a link carries at most ${mostShared >> 10} kB. Share its files instead.`);
    story.scene = new TextDecoder().decode(scene);
    story.files = Object.fromEntries(Object.entries(rest).map(([name, bytes]) => [name, toBase64(bytes)]));
  }
  post({ link: await pack(story), hash: story.hash });
}

// As many steps as were made when the link was, with each command at its step; the page sees the end.
async function replay(story) {
  replaying = true;
  const begin = performance.now();
  const run = (target) => {
    while (facts().steps < target) {
      const before = facts().steps;
      send(`step ${Math.min(target - before, 1000)}`);
      do turn(); while (facts().left);
      if (facts().steps === before) throw new Error(`The link's run could not be followed beyond step ${before}.`);
      if (performance.now() > begin + 60000) throw new Error('The link\'s run takes longer than a minute on this machine; it was ended.');
    }
  };
  try {
    turn();
    for (const [step, line] of story.commands) {
      if (!kept.has(line.split(' ')[0])) continue;
      run(step);
      send(line);
      turn();
    }
    run(story.steps);
    commands = story.commands;
    const now = facts();
    post({ replayed: { same: now.hash === story.hash, expected: story.hash, ...now } });
  } catch (error) {
    say(error.message);
  }
  replaying = false;
  soon();
}

async function openLink(text) {
  let story;
  try {
    story = await unpack(text);
    const at = story.gallery === undefined ? 0 : gallery.findIndex(({ file }) => file === story.gallery) + 1;
    if (story.gallery !== undefined && !at) throw new Error(`This link is of the scene ${story.gallery}, which this page does not have.`);
    if (at) {
      await fetchScene(at);
      const { file, files } = gallery[at - 1];
      take(Object.fromEntries([['scene.xml', module.FS.readFile(`${folder}/${file}`)], ...files.map((name) => [name, module.FS.readFile(`${folder}/${name}`)])]));
    } else
      take({ ...Object.fromEntries(Object.entries(story.files ?? {}).map(([name, bytes]) => [name.replace(/\.\.|^\//g, ''), fromBase64(bytes)])),
        'scene.xml': new TextEncoder().encode(story.scene) });
  } catch (error) {
    say(error.message);
    return false;
  }
  start(false);
  await replay(story);
  return true;
}

// ---- the module: in two parts, or with threads ----

const place = (name) => new URL(name, self.location.href);

async function compile(name) {
  const answer = await fetch(place(name));
  if (!answer.ok) throw new Error(`${name} cannot be fetched (${answer.status}).`);
  return answer.headers.get('Content-Type') === 'application/wasm' ? WebAssembly.compileStreaming(answer) : WebAssembly.compile(await answer.arrayBuffer());
}

// What few scenes need.
function getRest() {
  try {
    return new WebAssembly.Module(fetchNow(place('rest.wasm')));
  } catch (error) {
    throw new Error(`A part of the program that this scene needs cannot be fetched (${error.message}).`);
  }
}

async function loadParts() {
  const { module: made } = await openParts(createModule, await compile('session.wasm'), getRest);
  return { made, memory: () => made.HEAPU8 };
}

// One module for all threads, in memory that they share. A scene's workers come back when this worker is idle, so there are twice as many.
async function loadThreads(count) {
  const shared = new WebAssembly.Memory({ initial: 512, maximum: 16384, shared: true }); // 32 MB and 1 GB, as web/CMakeLists.txt says
  const glue = place('session-threads.js').href, { default: create } = await import(glue);
  return { made: await create({ wasmMemory: shared, workers: 2 * (count - 1), mainScriptUrlOrBlob: glue }), memory: () => new Uint8Array(shared.buffer) };
}

// With threads where the browser gives them, else without.
async function load(count) {
  if (count > 1) {
    try {
      const loaded = await loadThreads(count);
      threads = count;
      return loaded;
    } catch (error) {
      console.warn(`no threads: ${error.message}`);
    }
  }
  return loadParts();
}

// ---- the beginning ----

// at once: the page's own code is still on its way
const parts = Promise.all([fetch(place('scenes/gallery.json')).then((answer) => answer.json()), load(Number(self.name))]);
parts.catch(() => {}); // said by begin

async function begin({ link }) {
  const [list, loaded] = await parts;
  ({ made: module, memory } = loaded);
  post({ threads });
  const wrap = (name, result, words) => module.cwrap(`host_${name}`, result, words);
  call = { start: wrap('start', 'number', ['string', 'string', 'number', 'number']), send: wrap('send', 'number', ['string']), turn: wrap('turn', 'number', []),
    next: wrap('next', 'number', []), data: wrap('data', 'number', []), size: wrap('size', 'number', []), isText: wrap('is_text', 'number', ['number']),
    error: wrap('error', 'string', []), facts: wrap('facts', 'string', []), shape: wrap('shape', 'number', ['string', 'string', 'string']) };
  gallery = list.scenes;
  for (const { file } of gallery) write(`${folder}/${file}`, new Uint8Array());
  if (link && (await openLink(link))) return;
  if (!ownFiles) take({ 'scene.xml': new TextEncoder().encode(list.start) });
  start(true);
}

self.onmessage = async ({ data }) => {
  try {
    if (data.begin) return await begin(data.begin);
    if (data.drop) return await drop(data.drop);
    if (data.link) return await openLink(data.link);
    if (data.share) return await share();
    const [word, number] = data.line.split(' ');
    if (!ready || word === 'hello') return;
    if (word === 'gallery') return await tellPictures();
    if (word === 'open') return await open(Number(number));
    if (word === 'reset') commands = [];
    else if (kept.has(word)) commands.push([facts().steps, data.line]);
    if (data.line === 'drive') return;
    send(data.line);
    soon();
  } catch (error) {
    say(error.message);
  }
};
