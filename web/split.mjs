// Divides the session's module in two: node split.mjs MODULES SCENES. first.wasm holds the functions that run while the page
// is used as most use it (what is done is below), rest.wasm all others; the worker fetches that when one of them is called.
// Which run is found by doing it with a module that notes every function's first call.
import { execFileSync } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { openHost } from './host.mjs';

const [modules, scenes] = process.argv.slice(2).map((one) => path.resolve(one));
const place = (name) => path.join(modules, name);
const split = (...words) => execFileSync('wasm-split', ['--enable-simd', '--enable-bulk-memory', '--enable-mutable-globals', '--enable-sign-ext',
  '--enable-nontrapping-float-to-int', place('session.wasm'), ...words]);

// what a hand does in the page, with values, charts and the past
const hand = ['tint von-mises', 'tint none', 'grab 0 0.3 0.3', 'drag 1.2 0.3 0.2', 'step 2', 'strength 2', 'drop', 'throw 0.1 0 0', 'pin 1 0.2 0.2', 'step 1',
  'release 1 0.2 0.2', 'push 0.5 0 0.3 0.1', 'step 1', 'push 0.5 0 0.2 0.1', 'step 1', 'lift', 'contacts 1', 'arrows velocity', 'step 1', 'arrows outer', 'step 1',
  'arrows none', 'set material.0 young 4e5', 'step 1', 'set world gravity 0 0 -5', 'back 2', 'seek 1', 'step 2', 'speed 0.5', 'nonsense', 'reset', 'save'];
const several = ['step 2'];
const stories = { 'cantilever.xml': hand };
for (const name of ['twist', 'ball', 'demo', 'jellies', 'dominoes', 'flag', 'rope', 'dice', 'rubber', 'hex-cantilever']) stories[`${name}.xml`] = several;

const profiled = place('profiled.wasm'), profile = place('profile');
split('--instrument', '-o', profiled);
const { module, call } = await openHost(modules, scenes, profiled);

function fetchMessages() {
  for (let slot = call('next', 'number'); slot >= 0; slot = call('next', 'number')) for (const name of ['data', 'size']) call(name, 'number');
  call('send', 'number', ['string'], ['ack']);
}
// All turns that a line needs.
function send(line) {
  call('send', 'number', ['string'], [line]);
  for (let turns = 0; turns < 200 && (turns < 3 || !/ 0$/.test(call('facts', 'string'))); turns++) {
    call('turn', 'number');
    fetchMessages();
  }
}
function play(file, lines) {
  if (call('start', 'number', ['string', 'string', 'number', 'number'], [file, '/scenes', 1, 0])) throw new Error(call('error', 'string'));
  call('turn', 'number');
  fetchMessages();
  lines.forEach(send);
}

for (const [scene, lines] of Object.entries(stories)) play(`/scenes/${scene}`, lines);
// a shape and something that is none, dropped on the page
module.FS.mkdirTree('/shapes');
module.FS.writeFile('/broken.obj', 'v 0 0 0\nv 1 0 0\nf 1 2 9\n');
for (const file of ['/broken.obj', '/scenes/ball.obj']) call('shape', 'number', ['string', 'string', 'string'], [file, '/shapes', 'y']);
call('error', 'string');
play('/shapes/scene.xml', several);
call('is_text', 'number', ['number'], [0]);
call('stop', null);

const most = 1 << 20, at = module._malloc(most), size = module.asm.__write_profile(at, most);
if (size > most) throw new Error('the profile is larger than expected');
await writeFile(profile, module.HEAPU8.slice(at, at + size));
split(`--profile=${profile}`, '-o1', place('first.wasm'), '-o2', place('rest.wasm'), '--export-prefix=$');
for (const file of [profiled, profile]) await rm(file);
process.exit(0);
