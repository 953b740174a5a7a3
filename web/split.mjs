// Divides the modules of page and package in two: node split.mjs MODULES SCENES. session-first.wasm and world-first.wasm hold the
// functions that run while they are used as most use them (what is done is below), session-rest.wasm and world-rest.wasm all others,
// which are fetched when one of them is called (parts.js). Which run is found by doing it with a module that notes every function's first call.
import { execFileSync } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { openModule } from './host.mjs';

const [modules, scenes] = process.argv.slice(2).map((one) => path.resolve(one));
const place = (name) => path.join(modules, name);
const split = (name, ...words) => execFileSync('wasm-split', ['--enable-simd', '--enable-threads', '--enable-bulk-memory', '--enable-mutable-globals', '--enable-sign-ext',
  '--enable-nontrapping-float-to-int', place(`${name}.wasm`), ...words]);

// Divides NAME.wasm by what use() calls.
async function divide(name, prefix, use) {
  const profiled = place('profiled.wasm'), profile = place('profile');
  split(name, '--instrument', '-o', profiled);
  const host = await openModule(modules, scenes, name, prefix, profiled), { module } = host;
  use(host);
  const most = 1 << 20, at = module._malloc(most), size = module.asm.__write_profile(at, most);
  if (size > most) throw new Error('the profile is larger than expected');
  await writeFile(profile, module.HEAPU8.slice(at, at + size));
  split(name, `--profile=${profile}`, '-o1', place(`${name}-first.wasm`), '-o2', place(`${name}-rest.wasm`), '--export-prefix=$');
  for (const file of [profiled, profile]) await rm(file);
}

// ---- the page ----

// what a hand does in the page, with values, charts and the past
const hand = ['tint von-mises', 'tint none', 'grab 0 0.3 0.3', 'drag 1.2 0.3 0.2', 'step 2', 'strength 2', 'drop', 'throw 0.1 0 0', 'pin 1 0.2 0.2', 'step 1',
  'release 1 0.2 0.2', 'push 0.5 0 0.3 0.1', 'step 1', 'push 0.5 0 0.2 0.1', 'step 1', 'lift', 'contacts 1', 'arrows velocity', 'step 1', 'arrows outer', 'step 1',
  'arrows none', 'set material.0 young 4e5', 'step 1', 'set world gravity 0 0 -5', 'back 2', 'seek 1', 'step 2', 'speed 0.5', 'nonsense', 'reset', 'save'];
const several = ['step 2'];
const common = ['twist', 'ball', 'demo', 'jellies', 'dominoes', 'flag', 'rope', 'dice', 'rubber', 'hex-cantilever'];

function fetchMessages(call) {
  for (let slot = call('next', 'number'); slot >= 0; slot = call('next', 'number')) for (const name of ['data', 'size']) call(name, 'number');
  call('send', 'number', ['string'], ['ack']);
}
// All turns that a line needs.
function send(call, line) {
  call('send', 'number', ['string'], [line]);
  for (let turns = 0; turns < 200 && (turns < 3 || !/ 0$/.test(call('facts', 'string'))); turns++) {
    call('turn', 'number');
    fetchMessages(call);
  }
}
function play(call, file, lines) {
  if (call('start', 'number', ['string', 'string', 'number', 'number'], [file, '/scenes', 1, 0])) throw new Error(call('error', 'string'));
  call('turn', 'number');
  fetchMessages(call);
  for (const line of lines) send(call, line);
}

await divide('session', 'host', ({ module, call }) => {
  play(call, '/scenes/cantilever.xml', hand);
  for (const name of common) play(call, `/scenes/${name}.xml`, several);
  // a shape and something that is none, dropped on the page
  module.FS.mkdirTree('/shapes');
  module.FS.writeFile('/broken.obj', 'v 0 0 0\nv 1 0 0\nf 1 2 9\n');
  for (const file of ['/broken.obj', '/scenes/ball.obj']) call('shape', 'number', ['string', 'string', 'string'], [file, '/shapes', 'y']);
  call('error', 'string');
  play(call, '/shapes/scene.xml', several);
  call('is_text', 'number', ['number'], [0]);
  call('stop', null);
});

// ---- the package ----

// every function of a world, and a scene that is refused
function useWorld(module, file) {
  const at = module.ccall('world_open', 'number', ['string'], [file]);
  if (!at) throw new Error(module.UTF8ToString(module._world_error_message()));
  const ask = (name, ...values) => module[`_world_${name}`](at, ...values);
  for (const name of ['title', 'time', 'dt', 'steps', 'hash', 'vertices', 'triangles', 'triangle_data', 'positions', 'parts']) ask(name);
  ask('step', 2);
  for (const name of ['part', 'part_name']) ask(name, 0);
  const pull = ask('grab', 0, 1 / 3, 1 / 3, 100, 0);
  if (pull) {
    ask('drag', pull, 0, 0, 0.1);
    ask('step', 2);
    ask('read_pull', pull);
    ask('release', pull);
  }
  const state = ask('save'), size = ask('state_size');
  ask('step', 1);
  ask('load', state, size);
  ask('step', 1);
  ask('positions');
  ask('close');
}

await divide('world', 'world', ({ module }) => {
  for (const name of ['cantilever', ...common]) useWorld(module, `/scenes/${name}.xml`);
  module.FS.writeFile('/broken.xml', '<pliant>\n<world dt="0.01" wrong="1"/>\n</pliant>');
  module.ccall('world_open', 'number', ['string'], ['/broken.xml']);
  for (const name of ['status', 'message', 'file', 'line']) module[`_world_error_${name}`]();
});
process.exit(0);
