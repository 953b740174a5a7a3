// Milliseconds of a step, natively, in node and in Chromium, with 1 and 2 threads: node speed.mjs [ROUNDS [SCENE...]] after "make site", on a
// machine that does nothing else. Medians of ROUNDS (5) rounds in which each has its turn. The first steps, in which code is still being
// optimised, do not count: in a process of its own the time of few steps is subtracted from that of many.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const source = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..'), modules = path.join(source, 'build/wasm/web');
process.env.PLIANT_SOURCE ??= source;
process.env.PLIANT_BROWSER ??= '/usr/bin/chromium';
const { launch } = await import('../view/driver.mjs');
const rounds = Number(process.argv[2] ?? 5), few = 50, many = 200;
const scenes = process.argv.slice(3).length ? process.argv.slice(3) : ['tests/validation/bar-5k.xml', 'tests/validation/bar-24k.xml', 'scenes/frames-bar.xml'];
const median = (list) => [...list].sort((a, b) => a - b)[list.length >> 1];

// ---- a process ----

const work = mkdtempSync(path.join(os.tmpdir(), 'pliant-speed-'));
function seconds(command, scene, threads, steps) {
  const dt = Number(/ dt="([^"]+)"/.exec(readFileSync(scene, 'utf8'))[1]);
  execFileSync(command[0], [...command.slice(1), 'run', '-q', '--no-picture', '--cache', 'off', '--threads', String(threads), '-o', work, scene,
    '--set', `world.duration=${steps * dt}`], { stdio: 'ignore' });
  return JSON.parse(readFileSync(path.join(work, 'summary.json'), 'utf8')).seconds.steps;
}
const process_ = (command, scene, threads) => (1000 * (seconds(command, scene, threads, few + many) - seconds(command, scene, threads, few))) / many;

// ---- a worker in Chromium ----

const isolation = { 'Cross-Origin-Opener-Policy': 'same-origin', 'Cross-Origin-Embedder-Policy': 'require-corp' };
const types = { '.html': 'text/html', '.js': 'text/javascript', '.mjs': 'text/javascript', '.wasm': 'application/wasm' };
const own = { '/': '<!doctype html><title>speed</title>', '/worker.mjs': `
import create from './session-threads.mjs';
self.onmessage = async ({ data: { text, threads, few, many } }) => {
  const glue = new URL('session-threads.mjs', self.location.href).href;
  const module = await create({ wasmMemory: new WebAssembly.Memory({ initial: 512, maximum: 16384, shared: true }), workers: 2 * (threads - 1), mainScriptUrlOrBlob: glue });
  const call = (name, result, types = [], values = []) => module.ccall('host_' + name, result, types, values);
  module.FS.mkdirTree('/scenes');
  module.FS.writeFile('/scenes/scene.xml', text);
  if (call('start', 'number', ['string', 'string', 'number', 'number'], ['/scenes/scene.xml', '/scenes', threads, 0])) throw new Error(call('error', 'string'));
  const steps = (count) => {
    call('send', 'number', ['string'], ['step ' + count]);
    do call('turn', 'number'); while (!/ 0$/.test(call('facts', 'string')));
  };
  steps(few);
  const begin = performance.now();
  steps(many);
  self.postMessage((performance.now() - begin) / many);
};` };
const server = createServer(async (request, answer) => {
  const name = new URL(request.url, 'http://x').pathname, data = own[name] ?? await readFile(path.join(modules, path.basename(name))).catch(() => null);
  answer.writeHead(data === null ? 404 : 200, { 'Content-Type': types[path.extname(name)] ?? 'text/html', ...isolation });
  answer.end(data);
});
await new Promise((resolve) => { server.listen(0, '127.0.0.1', resolve); });
const browser = await launch(), page = await browser.newPage();
await page.goto(`http://127.0.0.1:${server.address().port}/`);
const inChromium = (scene, threads) => page.evaluate((data) => new Promise((resolve, reject) => {
  const worker = new Worker('worker.mjs', { type: 'module' });
  worker.onmessage = (event) => { worker.terminate(); resolve(event.data); };
  worker.onerror = (event) => reject(new Error(event.message));
  worker.postMessage(data);
}), { text: readFileSync(scene, 'utf8'), threads, few, many });

// ---- all in turns ----

const native = [path.join(source, 'build/release/pliant')], node = [process.execPath, '--no-experimental-fetch', path.join(modules, 'pliant-threads.js')];
const ways = { native: (scene, threads) => process_(native, scene, threads), node: (scene, threads) => process_(node, scene, threads), Chromium: inChromium };
for (const scene of scenes) {
  const found = {};
  for (let round = 0; round < rounds; round++) {
    for (const [name, way] of Object.entries(ways)) for (const threads of [1, 2]) (found[`${name} ${threads}`] ??= []).push(await way(path.resolve(source, scene), threads));
  }
  console.log(`${scene}: milliseconds of a step, medians of ${rounds}`);
  for (const name of Object.keys(ways)) {
    const [one, two] = [1, 2].map((threads) => median(found[`${name} ${threads}`])), against = one / median(found['native 1']);
    console.log(`  ${name.padEnd(8)}  1 thread ${one.toFixed(2)} (${against.toFixed(2)} of native)  2 threads ${two.toFixed(2)} (${(one / two).toFixed(2)} times as fast)`);
  }
}
await browser.close();
server.close();
rmSync(work, { recursive: true, force: true });
