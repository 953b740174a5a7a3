// What users of other simulators look for, done in a real browser: contacts, names under the pointer, models and
// friction that are changed while it runs, undo, a video of every picture, and pictures kept between two starts.
import { mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { check, runAll, test } from './runner.mjs';
import { closeAll, complaints, launch, openPage, pause, ready, serve, tell, until } from './driver.mjs';

const { PLIANT_PICTURES: pictures } = process.env;
const folder = await mkdtemp(path.join(os.tmpdir(), 'pliant-inspect-')), cache = path.join(folder, 'cache');
const file = path.join(folder, 'heap.xml');
await writeFile(file, `<pliant title="One upon the other">
  <world dt="0.005" duration="2" gravity="0 0 -9.81"/>
  <material name="soft" young="3e5" poisson="0.3" density="1000" stiffness-damping="0.005"/>
  <mesh name="low"><box size="0.4 0.4 0.2" cells="4 4 2"/></mesh>
  <mesh name="high"><box size="0.2 0.2 0.2" cells="2 2 2" origin="0.1 0.1 0.21"/></mesh>
  <body name="slab" mesh="low" material="soft"/>
  <body name="cube" mesh="high" material="soft"/>
  <obstacle name="floor" shape="plane" friction="0.5"/>
  <view direction="1 -3 1.2" up="0 0 1" colour="von-mises"/>
</pliant>
`);

const browser = await launch();
const picture = (page, name) => page.screenshot({ path: path.join(pictures, `inspect-${name}.png`) });
let server, page;

async function start() {
  server = await serve(file, 0, ['--cache', cache]);
  page = await openPage(browser, server.address);
  await ready(page);
}

const state = () => page.evaluate(() => pliant.app.state);
const open = async (tab) => { await page.evaluate(() => document.activeElement?.blur()); await page.keyboard.press(tab); };

test('contact forces carry the bodies', async () => {
  await start();
  await page.keyboard.press('k');
  await until(page, () => pliant.app.state.contacts && pliant.app.frame.time > 0.7 && pliant.app.frame.contacts.length > 0);
  await pause(page);
  // upwards on the slab 32 + 8 kg, on the cube 8 kg: arrows show what acts on the first body of each contact
  const sums = await page.evaluate(() => {
    const { contacts } = pliant.app.frame, out = { floor: 0, between: 0 };
    for (let i = 0; i < contacts.length; i += 6) out[contacts[i + 2] < 0.1 ? 'floor' : 'between'] += Math.abs(contacts[i + 5]);
    return out;
  });
  check(Math.abs(sums.floor - 40 * 9.81) < 0.05 * 40 * 9.81, `the floor carries ${sums.floor} N, not 392`);
  check(Math.abs(sums.between - 8 * 9.81) < 0.3 * 8 * 9.81, `the slab carries ${sums.between} N, not 78`);
  await until(page, () => /^\d+ contacts: longest [\d.]+ N$/.test(document.querySelector('#contacts-key span').textContent));
  await picture(page, 'contacts');
});

test('names and values are under the pointer', async () => {
  const at = await page.evaluate(() => pliant.stage.project([0.2, 0.1, 0.3]));
  await page.mouse.move(at.x, at.y);
  await page.mouse.move(at.x + 1, at.y);
  await until(page, () => /^cube node \d+, element \d+.*von Mises.*Pa.*m$/i.test(document.getElementById('under').textContent));
  await picture(page, 'pointer');
});

test('models, strains, laws and friction change while it runs, and are taken back', async () => {
  await open('2');
  await page.selectOption('[id="model.1-strain"]', 'green');
  await until(page, () => pliant.app.state.models[1].values.strain === pliant.app.scene.families.model[0].params.find((p) => p.name === 'strain').words.indexOf('green'));
  await page.selectOption('[id="choose-model.1"]', 'springs');
  await until(page, () => pliant.app.state.models[1].name === 'springs');
  await tell(page, 'step 5');
  await until(page, () => !pliant.app.frame.playing && !document.querySelector('.notice.bad'));
  await page.fill('[id="obstacle.0-friction"]', '0.9');
  await page.press('[id="obstacle.0-friction"]', 'Enter');
  await until(page, () => pliant.app.state.obstacles[0].friction === 0.9 && pliant.app.state.obstacles[0]['static-friction'] === 0.9);
  await page.fill('[id="contact-friction"]', '0.1');
  await page.press('[id="contact-friction"]', 'Enter');
  await until(page, () => pliant.app.state.contact.numbers.friction === 0.1);
  await picture(page, 'values');
  check(/set contact friction/.test(await page.textContent('#undo')), 'what would be undone must be said');
  await page.click('#undo');
  await until(page, () => pliant.app.state.contact.numbers.friction === 0.3);
  await page.evaluate(() => document.activeElement?.blur());
  await page.keyboard.press('z');
  await until(page, () => pliant.app.state.obstacles[0].friction === 0.5);
  await page.keyboard.press('Control+z');
  await until(page, () => pliant.app.state.models[1].name === 'fem');
  const green = await state();
  await page.keyboard.press('z');
  await until(page, (before) => pliant.app.state.models[1].values.strain !== before, green.models[1].values.strain);
  check(await page.isDisabled('#undo'), 'then there is nothing left to undo');
});

test('a model of other unknowns is refused with a sentence', async () => {
  await page.selectOption('[id="choose-model.0"]', 'frames');
  await page.waitForSelector('.notice.bad');
  check(/their unknowns differ/.test(await page.textContent('.notice.bad')), 'the reason must be said');
  await until(page, () => document.getElementById('choose-model.0').value === 'fem');
});

test('every member of a family and every parameter can be chosen', async () => {
  const missing = await page.evaluate(() => {
    const { families } = pliant.app.scene, { models } = pliant.app.state, out = [];
    for (const member of families.model) if (![...document.getElementById('choose-model.0').options].some((one) => one.value === member.name)) out.push(member.name);
    for (const member of families.law) if (![...document.getElementById('choose-material.0').options].some((one) => one.value === member.name)) out.push(member.name);
    for (const member of families.response) if (![...document.getElementById('choose-contact').options].some((one) => one.value === member.name)) out.push(member.name);
    for (const param of families.model.find((one) => one.name === models[0].name).params) if (!document.getElementById(`model.0-${param.name}`)) out.push(param.name);
    for (const name of Object.keys(pliant.app.state.world)) if (name !== 'duration' && !document.getElementById(`world-${name}`)) out.push(name);
    return out;
  });
  check(!missing.length, `not on the page: ${missing}`);
});

test('a saved scene has what was changed', async () => {
  await tell(page, 'choose model.1 springs');
  await tell(page, 'set obstacle.0 friction 0.75');
  await tell(page, 'set contact friction 0.2');
  const wanted = page.waitForEvent('download');
  await page.click('#save');
  await page.click('[data-save="state"]');
  const xml = await readFile(await (await wanted).path(), 'utf8');
  check(/model="springs"/.test(xml) && /friction="0.75"/.test(xml) && /<contact [^>]*friction="0.2"/.test(xml), `the scene says ${xml}`);
  check(!/strain=/.test(/<body name="cube"[^>]*>/.exec(xml)[0]), 'springs have no strain measure');
});

// The pictures of a WebM file: their clusters' ticks.
function blocks(bytes) {
  const out = [], ids = { 0x18538067: 'in', 0x1f43b675: 'in', 0xe7: 'time', 0xa3: 'block', 0x1549a966: 'in', 0x2ad7b1: 'tick' };
  let at = 0, base = 0, tick = 0;
  while (at < bytes.length) {
    const length = Math.clz32(bytes[at]) - 23, id = bytes.readUIntBE(at, length);
    const size = Number(bytes.readBigUInt64BE(at + length) & 0xffffffffffffffn), data = at + length + 8;
    if (ids[id] === 'tick') tick = bytes.readUIntBE(data, size);
    if (ids[id] === 'time') base = bytes.readUIntBE(data, size);
    if (ids[id] === 'block') out.push((base + bytes.readInt16BE(data + 1)) * tick);
    at = ids[id] === 'in' ? data : data + size;
  }
  return out;
}

test('a video has every picture at its time', async () => {
  await tell(page, 'reset');
  await until(page, () => pliant.app.frame?.time === 0 && pliant.app.ready);
  await tell(page, 'speed 1');
  // the recording that belongs to the saved scene above may come late
  const download = page.waitForEvent('download', { predicate: (file) => file.suggestedFilename().endsWith('.webm'), timeout: 120000 });
  await page.evaluate(() => document.activeElement?.blur());
  await page.keyboard.press('n');
  await until(page, () => /^(0\.[3-9]|[1-9])/.test(document.querySelector('#filming span').textContent));
  const before = await page.evaluate(() => pliant.app.frame.time);
  await picture(page, 'filming');
  await page.keyboard.press('n');
  const bytes = await readFile(await (await download).path()), times = blocks(bytes);
  check(times.length >= 18, `there are ${times.length} pictures of 0.3 s`);
  check(times.every((time, k) => Math.abs(time - (k * 1e9) / 60) < 100 * (k + 1)), 'pictures must come every 1/60 s');
  check(before >= 17 / 60 - 1e-9, `${before} s were simulated for ${times.length} pictures`);
  // the browser plays it, in a page without our policy
  const player = await browser.newPage();
  const played = await player.evaluate((data) => new Promise((done) => {
    const video = document.createElement('video');
    video.onloadedmetadata = () => done({ width: video.videoWidth, seconds: video.duration });
    video.onerror = () => done({ error: video.error.message });
    video.src = URL.createObjectURL(new Blob([Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0))], { type: 'video/webm' }));
  }), bytes.toString('base64'));
  await player.close();
  check(played.width === 960 && Math.abs(played.seconds - times.length / 60) < 0.02, `the browser sees ${JSON.stringify(played)}`);
});

test('pictures of scenes are kept between two starts', async () => {
  await page.keyboard.press('g');
  await until(page, () => pliant.app.thumbs.size === pliant.app.gallery.length);
  const kept = async () => (await readdir(cache)).filter((name) => name.startsWith('picture-'));
  for (let tries = 0; (await kept()).length < 1 && tries < 200; tries++) await page.waitForTimeout(50);
  check((await kept()).length === 1, 'one picture must be kept');
  const [name] = await kept(), first = await readFile(path.join(cache, name));
  await page.close();
  await server.stop();
  // what was kept is shown: a picture that is none would be drawn again, one with another title is taken
  first.write('Kept before', 72, 'latin1');
  first[72 + 11] = 0;
  await writeFile(path.join(cache, name), first);
  await start();
  await page.keyboard.press('g');
  await until(page, () => pliant.app.gallery[0].title === 'Kept before' && pliant.app.thumbs.size === 1);
  await until(page, () => document.querySelector('#cards img')?.naturalWidth > 0);
  await picture(page, 'gallery');
  check(complaints.length === 0, `errors in the console: ${complaints.join(' | ')}`);
});

const failed = await runAll({
  onFailure: (number) => page && picture(page, `failed-${number}`),
  finish: () => closeAll(browser, server, folder),
});
process.exit(failed ? 1 : 0);
