// The page without a server, from a plain file server, in headless Chromium: node site.mjs FOLDER [WORD]. Pictures are kept
// to be looked at.
import { createServer } from 'node:http';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { check, runAll, test } from '../view/runner.mjs';
import { complaints, drawNothing, launch, openPage, ready, requests, tell, until } from '../view/driver.mjs';

const { PLIANT_COMMAND: command, PLIANT_SOURCE: source, PLIANT_PICTURES: pictures } = process.env;
const folder = path.resolve(process.argv.splice(2, 1)[0]);
const run = promisify(execFile);
const work = await mkdtemp(path.join(os.tmpdir(), 'pliant-site-'));

// ---- files, and nothing but files ----

const types = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.wasm': 'application/wasm', '.svg': 'image/svg+xml', '.png': 'image/png', '.json': 'application/json' };
const isolation = { 'Cross-Origin-Opener-Policy': 'same-origin', 'Cross-Origin-Embedder-Policy': 'require-corp' };
// missing: names that it does not have; gate(name): what an answer waits for
const serve = (headers, missing = /^$/, gate = () => null) => new Promise((resolve) => {
  const server = createServer(async (request, answer) => {
    const name = decodeURIComponent(new URL(request.url, 'http://x').pathname).replace(/\/$/, '/index.html');
    try {
      if (missing.test(name)) throw new Error('missing');
      await gate(name);
      const data = await readFile(path.join(folder, path.posix.normalize(name)));
      answer.writeHead(200, { 'Content-Type': types[path.extname(name)] ?? 'application/octet-stream', ...headers });
      answer.end(data);
    } catch {
      answer.writeHead(404);
      answer.end();
    }
  });
  server.listen(0, '127.0.0.1', () => resolve({ server, address: `http://127.0.0.1:${server.address().port}/` }));
});
const plain = await serve({}), isolated = await serve(isolation), partial = await serve({}, /rest\.wasm$/);

const browser = await launch();
const picture = (page, name) => page.screenshot({ path: path.join(pictures, `${name}.png`) });
const hash = (page) => page.textContent('#hash');
// stands still after so many steps, and its hash is shown
async function stepTo(page, steps) {
  const left = steps - Number(await page.evaluate(() => document.getElementById('hash').dataset.steps));
  if (left > 0) await tell(page, `step ${left}`);
  await until(page, (count) => Number(document.getElementById('hash').dataset.steps) === count && !pliant.app.frame.playing, steps);
}
const halt = async (page) => {
  await tell(page, 'pause');
  await until(page, () => pliant.app.frame && !pliant.app.frame.playing && !document.getElementById('hash').hidden);
};
async function notice(page, part) {
  await until(page, (text) => [...document.querySelectorAll('.notice')].some((one) => one.textContent.includes(text)), part);
}
// what "pliant run" ends with after so many steps
async function natively(file, dt, steps) {
  const out = path.join(work, 'out');
  await run(command, ['run', '-q', '--no-picture', '--cache', 'off', '-o', out, file, '--set', `world.duration=${steps * dt}`]);
  return /"state_hash": "(\w+)"/.exec(await readFile(path.join(out, 'summary.json'), 'utf8'))[1];
}
const bar = (extra = '', cells = '8 2 2') => `<pliant title="Own bar">
  <world dt="0.01" duration="2" gravity="0 0 -9.81"/>
  <material name="m" young="2e6" poisson="0.3" density="1000"/>
  <mesh name="b"><box size="1 0.25 0.25" cells="${cells}" element="tet"/></mesh>
  <body name="bar" mesh="b" material="m" strain="corotated"><fix><set name="x-min"/></fix></body>${extra}
  <view direction="1 -3 1" up="0 0 1" colour="von-mises"/>
</pliant>
`;
const drop = (page, name, text) => page.setInputFiles('#own-file', { name, mimeType: 'text/plain', buffer: Buffer.from(text) });
const encode = (page, story) => page.evaluate(async (text) => {
  const bytes = new Uint8Array(await new Response(new Blob([text]).stream().pipeThrough(new CompressionStream('deflate-raw'))).arrayBuffer());
  return btoa(String.fromCharCode(...bytes)).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}, JSON.stringify(story));

// ---- tests ----

let page, link;

test('the start scene is shown and plays', async () => {
  const begin = Date.now();
  page = await openPage(browser, plain.address);
  await ready(page);
  console.log(`       first picture after ${((Date.now() - begin) / 1000).toFixed(2)} s`);
  check((await page.textContent('#title')).length > 3, 'the title must be shown');
  const before = await page.evaluate(() => pliant.app.frame.time);
  await until(page, (time) => pliant.app.frame.time > time + 0.1, before);
  await picture(page, '1-start');
  check(!requests.some((one) => /rest\.wasm|threads/.test(one)), 'the start scene must do with the first part of the module');
  check((await page.evaluate(() => document.body.dataset.threads)) === '1', 'a page that is not isolated has one thread');
});

// The scene of this file, not those whose names end with it.
const card = (name) => `#cards .scene:has(small:text-is("${name}"))`;

test('the gallery shows pictures that were made with the page, and opens scenes', async () => {
  await page.click('#scenes');
  await until(page, () => document.querySelectorAll('#cards img').length === document.querySelectorAll('#cards .scene').length - 1);
  await picture(page, '2-gallery');
  await page.click(card('twist.xml'));
  await until(page, () => pliant.app.scene?.file === 'twist.xml' && pliant.app.frame);
  await page.click('#scenes');
  await page.click(card('cantilever.xml'));
  await until(page, () => pliant.app.scene?.file === 'cantilever.xml' && pliant.app.frame);
});

// Both after so many steps of the scene that is shown, which is that of a file.
async function compare(one, name, steps) {
  await halt(one);
  await tell(one, 'reset');
  await until(one, () => pliant.app.frame?.time === 0);
  await halt(one);
  await stepTo(one, steps);
  const file = path.join(source, name), dt = Number(/ dt="([^"]+)"/.exec(await readFile(file, 'utf8'))[1]);
  const here = await hash(one), there = await natively(file, dt, steps);
  check(here === there, `the page ends with ${here}, pliant run with ${there}`);
}
const choose = async (one, name) => {
  await one.click('#scenes');
  await one.click(card(name));
};

test('a shown hash is that of pliant run', () => compare(page, 'scenes/cantilever.xml', 12));

test('a scene that needs the rest of the module gets it, and has the same bits', async () => {
  await choose(page, 'frames-bar.xml');
  await until(page, () => pliant.app.scene?.file === 'frames-bar.xml' && pliant.app.frame);
  check(requests.filter((one) => /rest\.wasm/.test(one)).length === 1, 'rest.wasm must be fetched once');
  await compare(page, 'scenes/frames-bar.xml', 6);
});

test('a part of the module that cannot be fetched is told', async () => {
  const other = await openPage(browser, partial.address);
  await ready(other);
  await choose(other, 'frames-bar.xml');
  await until(other, () => !document.getElementById('lost').hidden && /cannot be fetched/.test(document.getElementById('lost-text').textContent));
  await picture(other, '9-partial');
  await other.close();
});

test('the scene that is shown stands still while another is fetched', async () => {
  let asked = null, answer = null;
  const held = new Promise((resolve) => { answer = resolve; }), arrived = new Promise((resolve) => { asked = resolve; });
  const slow = await serve({}, /^$/, (name) => {
    if (!/\/twist\.xml$/.test(name)) return null;
    asked();
    return held;
  });
  const other = await openPage(browser, slow.address), time = () => other.evaluate(() => pliant.app.frame.time);
  await ready(other);
  await until(other, () => pliant.app.frame.playing && pliant.app.frame.time > 0);
  await choose(other, 'twist.xml');
  await arrived;
  await other.waitForTimeout(500); // frames that were under way
  const before = await time();
  await other.waitForTimeout(500);
  const after = await time();
  answer();
  await until(other, () => pliant.app.scene?.file === 'twist.xml' && pliant.app.frame?.time > 0);
  check(before === after, `it went on from ${before} to ${after} s`);
  await other.close();
  slow.server.close();
});

test('a dropped scene can be pulled, pinned, changed and scrubbed', async () => {
  await drop(page, 'bar.xml', bar());
  await until(page, () => pliant.app.scene?.title === 'Own bar' && pliant.app.ready && pliant.app.frame);
  await halt(page);
  const at = await page.evaluate(() => {
    const { positions } = pliant.stage.surface, far = [];
    for (let i = 0; i < positions.length; i += 3) if (positions[i] > 0.9) far.push([positions[i], positions[i + 1], positions[i + 2]]);
    return pliant.stage.project(far.reduce((sum, x) => sum.map((s, k) => s + x[k] / far.length), [0, 0, 0]));
  });
  await page.mouse.move(at.x, at.y);
  await page.mouse.down();
  await tell(page, 'play');
  for (let i = 1; i <= 8; i++) await page.mouse.move(at.x, at.y - 15 * i);
  await until(page, () => pliant.app.frame.pulls.length === 1 && /^[\d.]+ k?N$/.test(document.getElementById('force').textContent));
  await picture(page, '3-pull');
  await page.mouse.up();
  await until(page, () => pliant.app.frame.pulls.length === 0);
  await halt(page);
  const held = await page.evaluate(() => pliant.stage.heldVertices.length);
  await page.keyboard.down('Shift');
  await page.mouse.click(at.x, at.y);
  await page.keyboard.up('Shift');
  await until(page, (count) => pliant.stage.heldVertices.length !== count, held);
  await tell(page, 'set material.0 young 4e5');
  await page.keyboard.press('3');
  await until(page, () => pliant.charts.times.length > 3);
  await picture(page, '4-charts');
  await page.fill('#scrub', '3');
  await until(page, () => Math.abs(pliant.app.frame.time - 0.03) < 1e-9);
  await tell(page, 'step 4');
  await until(page, () => Math.abs(pliant.app.frame.time - 0.07) < 1e-9 && !pliant.app.frame.playing);
});

test('a link replays all of it to the same bits', async () => {
  await page.waitForTimeout(600); // the hash is told when it stands still
  const here = await hash(page);
  await page.click('#share');
  await until(page, () => location.hash.startsWith('#s='));
  link = await page.evaluate(() => location.href);
  check(link.length < 6000, `the link has ${link.length} characters`);
  const other = await openPage(browser, link);
  await until(other, () => document.body.dataset.replayed);
  check((await other.evaluate(() => document.body.dataset.replayed)) === 'same', 'the replayed state must be that of the link');
  check((await hash(other)) === here, 'the hash must be shown');
  await picture(other, '5-replayed');
  await other.close();
});

test('a damaged link and one that lies are told', async () => {
  const other = await openPage(browser, `${link.slice(0, -20)}AAAA`);
  await notice(other, 'This link is damaged');
  await ready(other); // the start scene is shown
  const lie = await encode(other, { scene: bar(), commands: [], steps: 3, hash: '0123456789abcdef' });
  await other.goto('about:blank');
  await other.goto(`${plain.address}#s=${lie}`);
  await notice(other, "the link's was 0123456789abcdef");
  await other.close();
});

test('the same commands give natively what the page has', async () => {
  const story = await encode(page, { scene: bar(), commands: [], steps: 15, hash: '0'.repeat(16) });
  await page.goto('about:blank');
  await page.goto(`${plain.address}#s=${story}`);
  await until(page, () => document.body.dataset.replayed);
  await writeFile(path.join(work, 'bar.xml'), bar());
  const here = await hash(page), there = await natively(path.join(work, 'bar.xml'), 0.01, 15);
  check(here === there, `the page ends with ${here}, pliant run with ${there}`);
});

test('a dropped surface is filled and falls', async () => {
  await drop(page, 'ball.obj', await readFile(path.join(source, 'scenes/ball.obj')));
  await until(page, () => /ball/.test(pliant.app.scene?.title ?? '') && pliant.app.ready && pliant.app.frame?.time > 0.05);
  await picture(page, '6-dropped');
});

test('a broken mesh and a broken scene are told', async () => {
  await drop(page, 'broken.obj', 'v 0 0 0\nv 1 0 0\nf 1 2 9\n');
  await notice(page, 'broken.obj');
  await drop(page, 'broken.xml', '<pliant>\n<world dt="0.01"\n</pliant>');
  await page.waitForSelector('#broken', { state: 'visible' });
  check(/3|not well-formed/.test(await page.textContent('#errors')), 'the error must have its line');
  await picture(page, '7-broken');
});

test('a scene too large for the memory is told', async () => {
  await drop(page, 'large.xml', bar('', '600 400 400'));
  await until(page, () => /memory|limit|large|at most/i.test(document.getElementById('errors').textContent));
});

test('the page works where it is isolated, and at the width of a phone', async () => {
  const phone = await openPage(browser, isolated.address, { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true, deviceScaleFactor: 2 });
  await ready(phone);
  check(await phone.evaluate(() => crossOriginIsolated), 'the page must be isolated');
  const wide = await phone.evaluate(() => document.documentElement.scrollWidth);
  check(wide <= 390, `the page is ${wide} pixels wide`);
  await picture(phone, '8-phone');
  await phone.evaluate(() => document.body.classList.remove('closed'));
  await drop(phone, 'broken.obj', 'v 0 0 0\nv 1 0 0\nf 1 2 9\n');
  await notice(phone, 'broken.obj');
  const [below, above] = await phone.evaluate(() => [document.getElementById('notices').getBoundingClientRect().bottom, document.getElementById('panel').getBoundingClientRect().top]);
  await picture(phone, '10-phone-notice');
  check(below <= above, `the notice reaches down to ${below}, the panel begins at ${above}`);
  await phone.close();
});

// A bar of tests/validation in place of the start scene.
async function showBar(one, name) {
  await drop(one, `${name}.xml`, await readFile(path.join(source, `tests/validation/${name}.xml`)));
  await until(one, () => /^A bar of/.test(pliant.app.scene?.title ?? '') && pliant.app.ready && pliant.app.frame);
}
const withProcessors = (count) => `(${drawNothing})(); Object.defineProperty(Navigator.prototype, 'hardwareConcurrency', { get: () => ${count} })`;

test('an isolated page has threads, and the same bits with 2 and 3', async () => {
  for (const count of [2, 3]) {
    const before = requests.length, other = await openPage(browser, isolated.address, {}, withProcessors(count));
    await ready(other);
    check((await other.evaluate(() => document.body.dataset.threads)) === String(count), `there must be ${count} threads`);
    check(!requests.slice(before).some((one) => /\/(session|rest)\.wasm/.test(one)), 'the module without threads must not be fetched');
    await showBar(other, 'bar-5k');
    await compare(other, 'tests/validation/bar-5k.xml', 12);
    // one scene after the other: the workers of the last one come back
    for (const name of ['twist.xml', 'cantilever.xml', 'frames-bar.xml']) {
      await choose(other, name);
      await until(other, (file) => pliant.app.scene?.file === file && pliant.app.frame, name);
    }
    await compare(other, 'scenes/frames-bar.xml', 6);
    check(other.workers().length <= 1 + 2 * (count - 1), `there are ${other.workers().length} workers`);
    await other.close();
  }
});

test('an isolated page on one processor, or whose threads cannot be had, does without', async () => {
  const broken = await serve(isolation, /session-threads\.js$/);
  for (const [address, init] of [[isolated.address, withProcessors(1)], [broken.address, withProcessors(2)]]) {
    const other = await openPage(browser, address, {}, init);
    await ready(other);
    check((await other.evaluate(() => document.body.dataset.threads)) === '1', 'there must be one thread');
    await other.close();
  }
  broken.server.close();
});

test('a step of the bars, as it was seen (this is not judged)', async () => {
  for (const [address, count] of [[plain.address, 1], [isolated.address, 2]]) {
    const other = await openPage(browser, address, {}, drawNothing);
    await ready(other);
    for (const [name, steps] of [['bar-5k', 150], ['bar-24k', 40]]) {
      await showBar(other, name);
      await halt(other);
      const from = await other.evaluate(() => [Number(document.getElementById('hash').dataset.steps), performance.now()]);
      await stepTo(other, from[0] + steps);
      const to = await other.evaluate(() => performance.now());
      console.log(`       ${name}, ${count} thread${count > 1 ? 's' : ''}: ${((to - from[1]) / steps).toFixed(1)} ms a step`);
    }
    await other.close();
  }
});

test('nothing is fetched from elsewhere and nothing complains', async () => {
  const far = requests.filter((one) => !/^(http:\/\/127\.0\.0\.1|blob:|data:|about:)/.test(one));
  check(!far.length, `fetched: ${far.join(' ')}`);
  const real = complaints.filter((one) => !/404|favicon/.test(one));
  check(!real.length, `complaints: ${real.join('; ')}`);
});

const failed = await runAll({
  onFailure: (number) => page && picture(page, `failed-${number}`),
  async finish() {
    await browser.close();
    for (const { server } of [plain, isolated, partial]) server.close();
    await rm(work, { recursive: true, force: true });
  },
});
process.exit(failed ? 1 : 0);
