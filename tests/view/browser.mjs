// What a user does with the page, done by a program in a real browser. Each test says what must be
// seen; pictures are kept to be looked at.
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import os from 'node:os';
import path from 'node:path';
import { check, runAll, test } from './runner.mjs';
import { closeAll, complaints, launch, openPage as openIn, pause, ready, requests, serve, tell, until } from './driver.mjs';

const { PLIANT_COMMAND: command, PLIANT_PICTURES: pictures, PLIANT_SOURCE: source } = process.env;

// ---- scenes ----

const scene = (title, young = '1e6', extra = '') => `<pliant title="${title}">
  <world dt="0.01" duration="2" gravity="0 0 -9.81"/>
  <material name="m" young="${young}" poisson="0.3" density="1000"/>
  <mesh name="b"><box size="1 0.25 0.25" cells="12 3 3" element="hex"/></mesh>
  <body name="bar" mesh="b" material="m" strain="corotated"><fix><set name="x-min"/></fix></body>
  <probe name="tip" at="1 0.125 0.125" quantity="displacement"/>
  <view direction="1 -3 1" up="0 0 1" colour="von-mises"/>${extra}
</pliant>
`;

const folder = await mkdtemp(path.join(os.tmpdir(), 'pliant-browser-'));
const barPath = path.join(folder, 'bar.xml');
await writeFile(barPath, scene('Soft &lt;b>bar&lt;/b>'));
await writeFile(path.join(folder, 'stiff.xml'), scene('Stiff bar', '2e7'));
const dropPath = path.join(folder, 'drop', 'drop.xml');
await mkdir(path.dirname(dropPath));
await writeFile(dropPath, `<pliant title="Two that fall">
  <world dt="0.01" duration="0.6" gravity="0 0 -9.81"/>
  <material name="m" young="3e5" poisson="0.3" density="1000"/>
  <mesh name="b"><box size="0.4 0.4 0.4" cells="4 4 4" element="hex"/></mesh>
  <body name="cube" mesh="b" material="m" velocity="0 0 -1"/>
  <obstacle name="floor" shape="plane" point="0 0 -0.3" friction="0.4"/>
  <obstacle name="wall" shape="plane" point="-0.6 0 0" normal="1 0 0"/>
  <view direction="1 -3 1.2" up="0 0 1" colour="none"/>
  <output every="0.02" format="none"/>
</pliant>
`);

const run = promisify(execFile);

const browser = await launch();
const openPage = (address) => openIn(browser, address);
const time = (page) => page.evaluate(() => pliant.app.frame.time);
// Steps of a paused simulation, each of them shown, until the condition holds.
async function stepUntil(page, condition, argument) {
  for (let i = 0; i < 20; i++) {
    const before = await time(page);
    await tell(page, 'step 1');
    await until(page, (last) => pliant.app.frame.time > last && !pliant.app.fresh, before);
    if (await page.evaluate(condition, argument)) return;
  }
  throw new Error(`not within 20 steps: ${condition}`);
}
const picture = (page, name) => page.screenshot({ path: path.join(pictures, `${name}.png`) });

// Colours on the stage, coarsely: how many different ones, how much is not background, a sum.
const look = (page) => page.evaluate(async () => {
  await new Promise((done) => { pliant.stage.touch(); requestAnimationFrame(() => requestAnimationFrame(done)); });
  pliant.stage.draw();
  const from = pliant.stage.canvas, to = document.createElement('canvas');
  to.width = 220; to.height = 140;
  const context = to.getContext('2d');
  context.drawImage(from, 0, 0, 220, 140);
  const { data } = context.getImageData(0, 0, 220, 140);
  const kinds = new Set();
  let body = 0, sum = 0;
  for (let i = 0; i < data.length; i += 4) {
    const [r, g, b] = data.subarray(i, i + 3);
    kinds.add(((r >> 4) << 8) | ((g >> 4) << 4) | (b >> 4));
    if (Math.max(r, g, b) - Math.min(r, g, b) > 60) body++;
    sum += r + 3 * g + 7 * b;
  }
  return { kinds: kinds.size, body: body / (220 * 140), sum };
});

// Where the free end of the bar is on the screen, a little inside.
const tip = (page) => page.evaluate(async () => {
  const { stage, app } = pliant;
  while (app.fresh) await new Promise(requestAnimationFrame); // the last frame is drawn
  const at = stage.surface.positions, rest = [];
  for (let i = 0; i < at.length; i += 3) rest.push([at[i], at[i + 1], at[i + 2]]);
  const far = rest.filter((x) => x[0] > Math.max(...rest.map((y) => y[0])) - 0.12);
  const middle = far.reduce((sum, x) => sum.map((s, k) => s + x[k] / far.length), [0, 0, 0]);
  return { ...stage.project(middle), z: middle[2] };
});

// ---- tests ----

let server, page;

test('the scene is shown', async () => {
  server = await serve(barPath);
  page = await openPage(server.address);
  await ready(page);
  check((await page.textContent('#title')) === 'Soft <b>bar</b>', 'the title must be shown as plain text');
  const seen = await look(page);
  check(seen.kinds > 20 && seen.body > 0.02, `the body must be visible: ${JSON.stringify(seen)}`);
  await picture(page, '1-scene');
});

test('it plays, pauses, steps and goes back', async () => {
  const before = await time(page);
  await until(page, (t) => pliant.app.frame.time > t + 0.1, before);
  await page.click('#play');
  await until(page, () => !pliant.app.frame.playing);
  const stopped = await time(page);
  await page.waitForTimeout(150);
  check((await time(page)) === stopped, 'time must stand still');
  await page.click('#step');
  await until(page, (t) => Math.abs(pliant.app.frame.time - t - 0.01) < 1e-9, stopped);
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('ArrowLeft');
  await until(page, (t) => Math.abs(pliant.app.frame.time - t + 0.01) < 1e-9, stopped);
  await page.fill('#scrub', '0');
  await until(page, () => pliant.app.frame.time === 0);
  check((await page.textContent('#clock')) === '0.000 s', 'the clock must show 0');
  await page.fill('#scrub', '20');
  await until(page, () => Math.abs(pliant.app.frame.time - 0.2) < 1e-9);
  await page.keyboard.press('Space');
  await until(page, () => pliant.app.frame.playing && pliant.app.frame.time > 0.25);
});

test('a pull moves the body and tells its force', async () => {
  await pause(page);
  const from = await tip(page);
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await tell(page, 'play');
  for (let i = 1; i <= 10; i++) await page.mouse.move(from.x + 3 * i, from.y - 18 * i);
  await until(page, () => pliant.app.frame.pulls.length === 1 && Math.hypot(...pliant.app.frame.pulls[0].force) > 10);
  await until(page, () => /^[\d.]+ k?N$/.test(document.getElementById('force').textContent));
  await until(page, (z) => pliant.app.frame.pulls[0]?.position[2] > z + 0.1, from.z); // it follows upwards
  check(await page.isVisible('#force'), 'the force must be shown');
  await picture(page, '2-pull');
  await page.mouse.up();
  await until(page, () => pliant.app.frame.pulls.length === 0);
  await page.waitForSelector('#force', { state: 'hidden' });
});

test('points are pinned and freed', async () => {
  await pause(page);
  const held = () => page.evaluate(() => pliant.stage.heldVertices.length);
  const before = await held(), at = await tip(page);
  await page.keyboard.down('Shift');
  await page.mouse.click(at.x, at.y);
  await page.keyboard.up('Shift');
  await until(page, (count) => pliant.stage.heldVertices.length === count + 1, before);
  await page.mouse.move(at.x, at.y);
  await page.keyboard.press('u');
  await until(page, (count) => pliant.stage.heldVertices.length === count, before);
});

test('colours change the picture', async () => {
  const before = await look(page);
  await page.selectOption('#tint', 'displacement');
  await until(page, () => pliant.app.state.tint === 'displacement' && pliant.app.painted === 'displacement');
  const after = await look(page);
  check(Math.abs(after.sum - before.sum) > 1e4, 'the pixels must change');
  check(/m$/.test(await page.textContent('#legend-high')), 'the legend must have the unit');
  await picture(page, '3-displacement');
  for (const name of ['volume-ratio', 'strain', 'energy-density', 'velocity', 'none']) {
    await tell(page, `tint ${name}`);
    await until(page, (want) => pliant.app.painted === want, name);
  }
  check(!(await page.isVisible('#legend')), 'plain bodies need no legend');
  await page.keyboard.press('w');
  check((await look(page)).sum !== after.sum, 'the mesh must be drawn');
  await tell(page, 'tint von-mises');
});

test('arrows, local frames and patterns are drawn', async () => {
  await tell(page, 'arrows outer-forces');
  await tell(page, 'locals 1');
  await page.selectOption('#pattern', 'checks');
  await until(page, () => pliant.stage.props.arrows.count > 5 && pliant.stage.props.locals.visible);
  check(/longest [\d.]+ k?N/.test(await page.textContent('#arrows-key')), 'what the longest arrow means');
  await picture(page, '4-arrows');
  await page.selectOption('#pattern', 'plain');
  await tell(page, 'arrows velocity');
  await until(page, () => /m\/s/.test(document.getElementById('arrows-key').textContent));
  await tell(page, 'arrows none');
  await tell(page, 'locals 0');
  await until(page, () => !pliant.stage.props.arrows.visible && !pliant.stage.props.locals.visible);
});

test('the sphere pushes', async () => {
  await pause(page);
  await tell(page, 'reset');
  await until(page, () => pliant.app.frame?.time === 0);
  await page.keyboard.press('x');
  const from = await tip(page);
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  for (let i = 1; i <= 5; i++) await page.mouse.move(from.x, from.y - 14 * i);
  await stepUntil(page, () => pliant.app.frame.tool && Math.hypot(...pliant.app.frame.tool.force) > 1);
  await until(page, () => /N$/.test(document.getElementById('force').textContent));
  await picture(page, '5-push');
  await page.mouse.up();
  await until(page, () => !pliant.app.frame.tool);
  await page.keyboard.press('x');
});

test('charts fill', async () => {
  await page.keyboard.press('3');
  await tell(page, 'play');
  await until(page, () => pliant.charts.times.length > 20);
  await page.waitForTimeout(300);
  const inks = await page.evaluate(() => [...document.querySelectorAll('#charts canvas')].map((canvas) => {
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    let count = 0;
    for (let i = 3; i < data.length; i += 4) if (data[i] > 200) count++;
    return count;
  }));
  check(inks.length === 7 && inks.every((count) => count > 100), `every chart must have lines: ${inks}`);
  await picture(page, '6-charts');
});

test('values take effect', async () => {
  await page.keyboard.press('2');
  const lowest = async (young) => {
    await tell(page, 'pause');
    await tell(page, 'reset');
    await until(page, () => pliant.app.frame?.time === 0 && !pliant.app.state.playing);
    if (young) {
      await page.fill('[id="material.0-young"]', young);
      await page.press('[id="material.0-young"]', 'Enter');
      await until(page, (value) => pliant.app.state.materials[0].values.young === Number(value), young);
    }
    await tell(page, 'step 20');
    await until(page, () => Math.abs(pliant.app.frame.time - 0.2) < 1e-9);
    return (await tip(page)).z;
  };
  const soft = await lowest(), stiff = await lowest('5e7');
  check(soft < -0.05 && stiff > soft + 0.1, `a stiffer bar must sag less: ${soft}, ${stiff}`);
  await page.selectOption('#choose-integrator', 'static');
  await until(page, () => pliant.app.state.integrator.name === 'static');
  await page.selectOption('#choose-integrator', 'implicit-euler');
  await until(page, () => pliant.app.state.integrator.name === 'implicit-euler');
  await page.fill('[id="material.0-poisson"]', '0.7');
  await page.press('[id="material.0-poisson"]', 'Enter');
  // a value out of range is marked
  await until(page, () => document.getElementById('material.0-poisson').classList.contains('bad'));
  await tell(page, 'set material.0 poisson 0.7');
  await page.waitForSelector('.notice.bad');
  check(/poisson = 0.7/.test(await page.textContent('.notice.bad')), 'the server must say what is wrong');
  await picture(page, '7-values');
});

test('scenes are chosen from the gallery', async () => {
  await page.keyboard.press('g');
  await page.waitForSelector('#gallery[open]');
  await until(page, () => document.querySelectorAll('#cards img').length === 2);
  await picture(page, '8-gallery');
  // the list and a picture come again between press and release
  await page.hover('#cards button:nth-child(2)');
  await page.mouse.down();
  await page.evaluate(() => {
    pliant.connection.handlers.message({ type: 'gallery', scenes: pliant.app.gallery, pictures: 256 });
    pliant.connection.handlers.message({ type: 'thumb', index: 1, png: new Uint8Array(8) });
  });
  await page.mouse.up();
  await until(page, () => document.getElementById('title').textContent === 'Stiff bar' && pliant.app.frame);
  await tell(page, 'open 0');
  await until(page, () => document.getElementById('title').textContent.startsWith('Soft') && pliant.app.frame);
});

test('things can be taken away', async () => {
  await page.keyboard.press('1');
  for (const [what, pattern, start] of [['picture', /\.png$/, '\x89PNG'], ['mesh', /\.obj$/, '# bar'], ['table', /\.csv$/, 'time (s)']]) {
    await page.click('#save');
    const [saved] = await Promise.all([page.waitForEvent('download'), page.click(`[data-save="${what}"]`)]);
    check(pattern.test(saved.suggestedFilename()), `the name of the ${what}`);
    const content = await readFile(await saved.path(), 'latin1');
    check(content.startsWith(start) && content.length > 200, `the content of the ${what}: ${content.slice(0, 40)}`);
  }
  await page.click('#save');
  const files = [];
  page.on('download', (file) => files.push(file));
  await page.click('[data-save="state"]');
  for (let i = 0; files.length < 2 && i < 100; i++) await page.waitForTimeout(50);
  for (const file of files) await file.saveAs(path.join(folder, file.suggestedFilename()));
  const { stdout } = await run(command, ['check', path.join(folder, 'bar-state.xml')]);
  check(/bar-state/.test(stdout), 'the saved scene must be a good one');
  for (const file of files) await rm(path.join(folder, file.suggestedFilename()));
  await tell(page, 'play');
  await page.keyboard.press('v');
  await page.waitForTimeout(700);
  const [video] = await Promise.all([page.waitForEvent('download'), page.keyboard.press('v')]);
  check(/\.webm$/.test(video.suggestedFilename()), 'the name of the video');
});

test('help, dark and small screens', async () => {
  await page.keyboard.press('h');
  check(await page.isVisible('#keys'), 'help must open');
  await picture(page, '9-help');
  await page.keyboard.press('Escape');
  check(!(await page.isVisible('#keys')), 'help must close');
  await page.keyboard.press('t');
  check((await page.evaluate(() => document.documentElement.dataset.theme)) === 'dark', 'dark must come');
  await page.waitForTimeout(300);
  await picture(page, '10-dark');
  await page.setViewportSize({ width: 380, height: 780 });
  await page.waitForTimeout(300);
  const outside = await page.evaluate(() => [...document.querySelectorAll('.bar button, .bar select, .bar output, nav button')]
    .filter((node) => node.offsetParent).map((node) => [node.id, node.getBoundingClientRect()])
    .filter(([, box]) => box.left < -1 || box.right > innerWidth + 1).map(([id]) => id));
  check(outside.length === 0, `everything must fit on a phone: ${outside}`);
  await picture(page, '11-phone');
  await page.setViewportSize({ width: 960, height: 600 });
  await page.keyboard.press('t');
});

test('one page drives, another watches', async () => {
  await pause(page); // one page at a time: drawing without a graphics card is slow
  const other = await openPage(server.address);
  await ready(other);
  check(await other.isVisible('#watching'), 'the second page must watch');
  await other.click('#drive');
  await other.waitForSelector('#watching', { state: 'hidden' });
  await page.waitForSelector('#watching', { state: 'visible' });
  await other.close();
  await page.waitForSelector('#watching', { state: 'hidden' });
  await tell(page, 'play');
});

test('a message that makes no sense is told', async () => {
  await page.evaluate(() => {
    pliant.connection.receive(new TextEncoder().encode('PLF1xxxx').buffer);
    pliant.connection.receive(new ArrayBuffer(3));
    pliant.connection.receive('{');
  });
  check((await page.locator('.notice.bad').count()) >= 3, 'there must be banners');
  const before = await page.evaluate(() => pliant.app.frames);
  await until(page, (count) => pliant.app.frames > count, before);
});

test('the page comes back when the server does', async () => {
  await server.stop();
  await page.waitForSelector('#lost', { state: 'visible' });
  await picture(page, '12-lost');
  server = await serve(barPath, server.port);
  await page.waitForSelector('#lost', { state: 'hidden' });
  const before = await page.evaluate(() => pliant.app.frames);
  await until(page, (count) => pliant.app.frames > count + 5, before);
});

test('a wrong token is told', async () => {
  await pause(page);
  const other = await openPage(server.address.replace(/#.*/, '#00000000000000000000000000000000'));
  await until(other, () => /not valid/.test(document.getElementById('lost-title').textContent));
  check((await other.evaluate(() => pliant.app.frames)) === 0, 'nothing may be shown');
  await other.close();
  await tell(page, 'play');
});

test('after a divergence the body is shown again from the start', async () => {
  const good = await readFile(barPath, 'utf8');
  await writeFile(barPath, good.replace('<world ', '<world unstable="warn" ').replace('<material ', '<integrator method="explicit-euler"/>\n  <material '));
  await until(page, () => [...document.querySelectorAll('.notice')].some((notice) => /diverged/.test(notice.textContent)));
  await picture(page, '12-diverged');
  await tell(page, 'seek 0');
  await until(page, () => pliant.app.frame.time === 0 && !pliant.app.fresh);
  const { body } = await look(page);
  await picture(page, '12-again');
  check(body > 0.02 && await page.evaluate(() => pliant.stage.isCentred()), `the bar must be seen, not ${body} of the stage`);
  await writeFile(barPath, good);
  await ready(page);
});

test('a bad scene is told by file and line, and followed', async () => {
  const good = await readFile(barPath, 'utf8');
  await writeFile(barPath, good.replace('poisson="0.3"', 'poisson="0.7"').replace('mesh="b"', 'mesh="bee"'));
  await page.waitForSelector('#broken', { state: 'visible' });
  const text = await page.textContent('#errors');
  check(/bar\.xml:3/.test(text) && /poisson = 0.7/.test(text) && /bar\.xml:5/.test(text), `file, line and reason: ${text}`);
  await picture(page, '13-broken');
  await writeFile(barPath, good);
  await page.waitForSelector('#broken', { state: 'hidden' });
  await ready(page);
});

test('obstacles are drawn, a body is thrown, its run is shown again', async () => {
  await server.stop();
  server = await serve(dropPath, server.port);
  await until(page, () => pliant.app.scene?.file === 'drop.xml' && pliant.stage.ground?.real && pliant.stage.props.obstacles.children.length === 1);
  await until(page, () => pliant.app.frame?.time > 0.4);
  const lowest = await page.evaluate(() => pliant.stage.surface.low.z);
  check(lowest > -0.302, `the floor must hold the cube: ${lowest}`);
  await picture(page, '14-obstacles');
  // a swing of the hand, step by step: a busy machine may show no picture of the flight
  await pause(page);
  const middle = await page.evaluate(() => pliant.stage.project(pliant.stage.surface.low.clone().add(pliant.stage.surface.high).multiplyScalar(0.5).toArray()));
  await page.mouse.move(middle.x, middle.y);
  await page.mouse.down();
  for (let i = 1; i <= 6; i++) await page.mouse.move(middle.x + 12 * i, middle.y - 22 * i);
  await page.mouse.up();
  await page.evaluate(() => {
    // as if the hand had been as fast as a hand
    pliant.hand.trail.forEach((spot, i, all) => { spot.time = performance.now() - 16 * (all.length - i); });
    pliant.hand.throw();
  });
  await stepUntil(page, (z) => pliant.stage.surface.low.z > z + 0.1, lowest);
  await server.stop();
  await run(command, ['run', dropPath, '-q', '-o', path.join(folder, 'drop', 'out')]);
  server = await serve(path.join(folder, 'drop', 'out'), server.port);
  await until(page, () => pliant.app.state?.replaying && pliant.app.frame?.count === 31);
  check(await page.isVisible('#replay'), 'a recorded run must say so');
  await until(page, () => pliant.app.frame.place === 30 && !pliant.app.frame.playing);
  await page.click('#live');
  await page.click('#step');
  await until(page, () => pliant.app.frame.count === 32 && Math.abs(pliant.app.frame.time - 0.61) < 1e-9);
});

test('a picture on a body is shown', async () => {
  await server.stop();
  server = await serve(path.join(source, 'scenes/ball.xml'), server.port, ['--paused']);
  await until(page, () => pliant.app.scene?.file === 'ball.xml' && pliant.stage.paint.pictures[0] && Array.isArray(pliant.stage.skin.material));
  const seen = await look(page);
  await picture(page, '15-texture');
  check(seen.body > 0.02, `the picture must be visible: ${JSON.stringify(seen)}`);
  const pictured = () => page.evaluate(() => pliant.stage.skin.material[0] === Object.values(pliant.stage.paint.pictures[0])[pliant.stage.quality.now.rich ? 0 : 1]);
  check(await pictured(), 'its material must have the picture');
  const mean = await page.evaluate(() => pliant.stage.means[0]);
  check(mean && (await page.inputValue('.swatches input')) === mean, `the swatch must show the mean of the picture: ${mean}`);
  await tell(page, 'tint displacement');
  await until(page, () => pliant.app.painted === 'displacement');
  check(!(await pictured()), 'colours that mean something are not covered');
});

test('bodies are hidden, made see-through and cut', async () => {
  await server.stop();
  const pair = path.join(folder, 'pair.xml');
  await writeFile(pair, `<pliant title="Two cubes">
  <world dt="0.01" duration="1" gravity="0 0 0"/>
  <material name="m" young="3e5" poisson="0.3" density="1000"/>
  <mesh name="b"><box size="0.4 0.4 0.4" cells="3 3 3" element="hex"/></mesh>
  <mesh name="c"><box size="0.4 0.4 0.4" cells="3 3 3" element="hex" origin="0.6 0 0"/></mesh>
  <body name="left cube" mesh="b" material="m"/>
  <body name="right cube" mesh="c" material="m"/>
  <view direction="0.2 -3 1" up="0 0 1" colour="none"/>
</pliant>
`);
  server = await serve(pair, server.port, ['--paused']);
  await until(page, () => pliant.app.scene?.file === 'pair.xml' && pliant.app.ready && pliant.stage.shown.length === 2);
  await page.keyboard.press('1');
  const both = await look(page);
  await picture(page, '16-two-bodies');
  check((await page.textContent('label[for="body-1"]')) === 'right cube', 'bodies are listed by name');
  await page.selectOption('#body-0', 'hidden');
  const one = await look(page);
  check(one.body < 0.7 * both.body && one.body > 0.3 * both.body, `one of two must be left: ${both.body}, ${one.body}`);
  const spot = (x) => page.evaluate((at) => { const { x: a, y: b } = pliant.stage.project([at, 0, 0.2]); return pliant.stage.pick(a, b)?.body; }, x);
  check((await spot(0.2)) === undefined && (await spot(0.8)) === 1, 'what is hidden cannot be taken');
  await page.selectOption('#body-0', 'glass');
  const glass = await look(page);
  check(glass.sum !== one.sum && glass.sum !== both.sum, 'what is see-through is drawn, and otherwise');
  await picture(page, '17-see-through');
  await page.selectOption('#body-0', 'shown');
  await page.selectOption('#slice', 'x');
  await page.fill('#slice-place', '0.75');
  const cut = await look(page);
  check(cut.body < 0.9 * both.body, `a quarter must be cut away: ${cut.body}`);
  check((await spot(0.95)) === undefined && (await spot(0.2)) === 0, 'what is cut away cannot be taken');
  await picture(page, '18-cut');
  await page.selectOption('#slice', 'none');
});

test('the view has sides and a parallel projection', async () => {
  for (const side of ['front', 'back', 'left', 'right', 'top', 'below']) {
    await page.click(`[data-side="${side}"]`);
    const seen = await look(page);
    check(seen.body > 0.02 && (await page.evaluate(() => pliant.stage.sees())), `something must be seen from ${side}: ${seen.body}`);
    if (side === 'top') await picture(page, '19-top');
  }
  await page.click('[data-side="given"]');
  const sizes = () => page.evaluate(() => { const at = (y) => Math.abs(pliant.stage.project([0, y, 0]).x - pliant.stage.project([0.4, y, 0]).x); return at(0) / at(0.4); });
  const near = await sizes();
  await page.keyboard.press('o');
  const parallel = await sizes();
  check(near > 1.02 && Math.abs(parallel - 1) < 0.01, `far edges are as long as near ones: ${near}, ${parallel}`);
  check((await look(page)).body > 0.02, 'it must be seen');
  await picture(page, '20-parallel');
  await page.keyboard.press('o');
  const at = await page.evaluate(() => pliant.stage.project([0.2, 0, 0.2]));
  await tell(page, 'tint displacement');
  await until(page, () => pliant.app.painted === 'displacement');
  await page.mouse.move(at.x, at.y);
  await until(page, () => !document.getElementById('under').hidden);
  check(/left cube.*node \d+.*m$/s.test(await page.textContent('#under')), `name and value under the pointer: ${await page.textContent('#under')}`);
  await picture(page, '21-under');
});

test('the view comes back after positions that are no places', async () => {
  for (const value of ['NaN', 'Infinity', '3e38', '1e20']) {
    await until(page, () => pliant.app.frame);
    await page.evaluate((text) => {
      const { stage, app } = pliant;
      for (let i = 0; i < 40; i++) {
        stage.move({ ...app.frame, positions: new Float32Array(app.frame.positions.length).map((_, k) => Number(text) * (k % 5 ? 1 : 0.5)) });
        stage.controls.update();
      }
      app.frame.isOld = true; // it may be of time 0 as well
    }, value);
    await tell(page, 'reset');
    await until(page, () => pliant.app.ready && pliant.app.frame?.time === 0 && !pliant.app.frame.isOld);
    // drawing it takes a moment
    let seen = await look(page);
    for (let tries = 0; tries < 20 && !(seen.body > 0.02); tries++) {
      await page.waitForTimeout(200);
      seen = await look(page);
    }
    check(seen.body > 0.02, `the bodies must be seen again after ${value}: ${seen.body}`);
  }
});

test('on a phone nothing overlaps, and a tap pins', async () => {
  await page.setViewportSize({ width: 390, height: 844 });
  await tell(page, 'tint von-mises');
  await tell(page, 'arrows velocity');
  await tell(page, 'step 1');
  await page.evaluate(() => { document.getElementById('hint').classList.remove('gone'); if (!document.body.classList.contains('closed')) document.getElementById('toggle').click(); });
  await until(page, () => !document.getElementById('arrows-key').hidden && !document.getElementById('legend').hidden);
  await page.waitForTimeout(300);
  const overlaps = await page.evaluate(() => {
    const boxes = ['top', 'legend', 'arrows-key', 'hint', 'transport'].map((id) => [id, document.getElementById(id).getBoundingClientRect()]);
    return boxes.flatMap(([a, p], i) => boxes.slice(i + 1).filter(([, q]) => p.left < q.right && q.left < p.right && p.top < q.bottom && q.top < p.bottom).map(([b]) => `${a}/${b}`));
  });
  check(overlaps.length === 0, `these overlap: ${overlaps}`);
  await picture(page, '22-phone');
  await page.evaluate(() => pliant.hand.setMode('pin'));
  const held = () => page.evaluate(() => pliant.stage.heldVertices.length);
  const before = await held();
  await tell(page, 'pause');
  await page.evaluate(() => pliant.stage.focus());
  const at = await page.evaluate(() => pliant.stage.project([0.2, 0, 0.2]));
  const tap = () => page.evaluate(({ x, y }) => { for (const name of ['pointerdown', 'pointerup']) pliant.stage.canvas.dispatchEvent(new PointerEvent(name, { clientX: x, clientY: y, pointerId: 5, pointerType: 'touch', isPrimary: true, bubbles: true, cancelable: true })); }, at);
  await tap();
  await until(page, (count) => pliant.stage.heldVertices.length === count + 1, before);
  await tap();
  await until(page, (count) => pliant.stage.heldVertices.length === count, before);
  await page.evaluate(() => pliant.hand.setMode('pull'));
  await page.setViewportSize({ width: 960, height: 600 });
});

test('notices keep off the legend and do not come back; a refused value has a reason', async () => {
  await tell(page, 'tint von-mises');
  await tell(page, 'set material.0 poisson 0.7');
  await page.waitForSelector('.notice.bad');
  const [notice, legend] = await page.evaluate(() => ['.notice.bad', '#legend'].map((name) => document.querySelector(name).getBoundingClientRect().toJSON()));
  check(notice.bottom < legend.top || notice.left > legend.right, 'a notice must not cover the legend');
  await picture(page, '23-notice');
  await page.reload();
  await ready(page);
  await page.waitForTimeout(300);
  check((await page.locator('.notice').count()) === 0, 'what was told before the page was loaded again is not told again');
  await page.keyboard.press('2');
  await page.fill('[id="material.0-poisson"]', '0.9');
  await page.press('[id="material.0-poisson"]', 'Enter');
  await until(page, () => [...document.querySelectorAll('.why')].some((one) => !one.hidden && /poisson must be a number from/.test(one.textContent)));
  await picture(page, '24-refused');
});

test('nothing was asked of anybody else', async () => {
  const foreign = requests.filter((url) => !url.startsWith('blob:') && !url.startsWith('data:') && new URL(url).hostname !== '127.0.0.1');
  check(foreign.length === 0, `requests to others: ${foreign}`);
  check(complaints.length === 0, `errors in the console: ${complaints.join(' | ')}`);
});

const failed = await runAll({
  onFailure: (number) => page && picture(page, `failed-${number}`),
  finish: () => closeAll(browser, server, folder),
});
console.log(`pictures in ${pictures}`);
process.exit(failed ? 1 : 0);
