// A device of another program at the viewer, over the datagrams of docs/haptics.md, in a real browser: it touches,
// grips, lets go, goes and comes back, and the pointer pulls beside it. Then the pointer is the device of the scene's hand.
import dgram from 'node:dgram';
import { mkdtemp, rename, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { check, runAll, test } from './runner.mjs';
import { closeAll, complaints, launch, openPage, pause, ready, serve, tell, until } from './driver.mjs';

const { PLIANT_PICTURES: pictures } = process.env;
const folder = await mkdtemp(path.join(os.tmpdir(), 'pliant-felt-'));
const file = path.join(folder, 'felt.xml'), devicePort = 20000 + (process.pid % 20000);
const sceneWith = (hand, title = 'A block that is felt') => `<pliant title="${title}">
  <world dt="0.01" duration="1000" gravity="0 0 0"/>
  <material name="tissue" density="1000" young="15000" poisson="0.45" stiffness-damping="0.01"/>
  <mesh name="block"><box size="0.12 0.12 0.06" cells="6 6 3"/></mesh>
  <body name="block" mesh="block" material="tissue"><fix><set name="z-min"/></fix></body>
  ${hand}
  <view direction="1 -2 1" up="0 0 1"/>
</pliant>
`;
await writeFile(file, sceneWith(`<hand device="udp" port="${devicePort}" stiffness="300" radius="0.008"/>`));

const browser = await launch();
const picture = (on, name) => on.screenshot({ path: path.join(pictures, `felt-${name}.png`) });
const pressed = [0.06, 0.06, 0.055];
let server, page, device;

// Another program with a device: it sends where that is and gets the force; { at, grips, sends, force, close() }.
async function makeDevice() {
  const socket = dgram.createSocket('udp4'), made = { at: [0.06, 0.06, 0.08], grips: false, sends: true, force: [0, 0, 0] };
  let count = 0;
  socket.on('message', (data) => { made.force = [16, 24, 32].map((at) => data.readDoubleLE(at)); });
  await new Promise((done) => { socket.bind(0, '127.0.0.1', done); });
  const timer = setInterval(() => {
    if (!made.sends) return;
    const data = Buffer.alloc(40);
    data.write(made.grips ? 'PLG1' : 'PLH1', 0, 'ascii');
    data.writeUInt32LE(++count, 4);
    made.at.forEach((x, k) => data.writeDoubleLE(x, 16 + 8 * k));
    socket.send(data, devicePort, '127.0.0.1');
  }, 2);
  made.close = () => { clearInterval(timer); socket.close(); };
  return made;
}

const presses = () => until(page, () => pliant.app.frame.tool?.force[2] < -1 && pliant.stage.props.tool.visible);
const later = async (seconds) => until(page, (time) => pliant.app.frame.time > time, (await page.evaluate(() => pliant.app.frame.time)) + seconds);

test('a device touches, and a pause does not store its force up', async () => {
  server = await serve(file);
  page = await openPage(browser, server.address);
  await ready(page);
  device = await makeDevice();
  await until(page, () => pliant.app.frame.tool && pliant.stage.props.tool.visible);
  device.at = pressed;
  await presses();
  check((await page.evaluate(() => pliant.app.frame.tool.centre[2])) > 0.058, 'the tool is drawn on the surface, not in it');
  check(/N$/.test(await page.textContent('#force')) && device.force[2] > 0, `both must tell the force: ${device.force}`);
  await picture(page, 'touch');
  // the ticks of a pause belong to no step
  await pause(page);
  await page.waitForTimeout(1500);
  await tell(page, 'play');
  for (let i = 0; i < 5; i++) {
    await later(0.01);
    const force = await page.evaluate(() => Math.hypot(...pliant.app.frame.tool.force));
    check(force < 5, `the force must be what it was: ${force} N`);
  }
});

test('the pointer pulls while a device presses', async () => {
  const corner = await page.evaluate(() => pliant.stage.project([0.03, 0.03, 0.06]));
  await page.mouse.move(corner.x, corner.y);
  await page.mouse.down();
  for (let i = 1; i <= 5; i++) await page.mouse.move(corner.x - 6 * i, corner.y - 12 * i);
  await until(page, () => pliant.app.frame.pulls.length === 1 && Math.hypot(...pliant.app.frame.pulls[0].force) > 0.1 && pliant.app.frame.tool?.force[2] < -1);
  await picture(page, 'pull');
  await page.mouse.up();
  await until(page, () => !pliant.app.frame.pulls.length);
  await presses();
});

test('a device grips, pulls and lets go', async () => {
  device.grips = true;
  await later(0.05);
  device.at = [0.07, 0.06, 0.09];
  await until(page, () => pliant.app.frame.tool?.force[2] > 1 && pliant.app.frame.tool.centre[2] > 0.063);
  check(device.force[2] < -1, `the device must be pulled back: ${device.force}`);
  await picture(page, 'grip');
  device.grips = false;
  await until(page, () => pliant.app.frame.tool?.force[2] === 0);
});

test('a device that goes lets go, and is felt when it comes back', async () => {
  for (const grips of [false, true]) {
    device.at = pressed;
    device.grips = false;
    await presses();
    device.grips = grips;
    await later(0.05);
    device.sends = false;
    await until(page, () => !pliant.app.frame.tool && !pliant.stage.props.tool.visible && document.getElementById('force').hidden);
    device.sends = true;
  }
  device.grips = false;
  await presses();
  await tell(page, 'reset');
  await presses();
  check(complaints.length === 0, `errors in the console: ${complaints.join(' | ')}`);
});

// The pointer goes to a point of the block's top, presses, and moves by so many pixels.
async function press(right = 0, down = 0) {
  const top = await page.evaluate(() => pliant.stage.project([0.06, 0.06, 0.06]));
  // what is said of a file that was read again lies over the body for a moment
  await until(page, ({ x, y }) => document.elementFromPoint(x, y) === pliant.stage.canvas, top);
  await page.mouse.move(top.x, top.y);
  await page.mouse.down();
  for (let i = 1; i <= 5; i++) await page.mouse.move(top.x + right * i / 5, top.y + down * i / 5);
}

// The viewer reads a file again that was written.
async function open(hand, title) {
  await writeFile(`${file}.new`, sceneWith(hand, title));
  await rename(`${file}.new`, file);
  await until(page, (text) => pliant.app.scene.title === text && pliant.app.frame?.scene === pliant.app.scene.number && pliant.app.frame.time > 0, title);
}

test('the pointer is the device of a hand that has none of its own', async () => {
  device.close();
  device = null;
  await open('<hand device="mouse" stiffness="150" radius="0.008" max-force="3"/>', 'pointer');
  check(await page.evaluate(() => pliant.hand.mode === 'push' && pliant.hand.radius === 0.008), 'it begins with the tool of the hand');
  await press();
  await until(page, () => pliant.app.frame.tool && pliant.app.frame.tool.force[2] < -0.1);
  const forces = [];
  for (let i = 0; i < 3; i++) {
    for (let k = 0; k < 4; k++) await page.mouse.wheel(0, -100);
    await later(0.4);
    forces.push(await page.evaluate(() => Math.hypot(...pliant.app.frame.tool.force)));
  }
  check(forces[0] > 0.3 && forces[1] > forces[0] + 0.1 && forces[2] <= 3 + 1e-5, `deeper is felt as more, up to max-force: ${forces}`);
  check(Math.abs((await page.evaluate(() => pliant.app.frame.tool.radius)) - 0.008) < 1e-6, "it is the hand's own tool");
  await picture(page, 'pointer');
  await page.mouse.up();
  await until(page, () => !pliant.app.frame.tool && document.getElementById('force').hidden);
});

test('it pulls with the spring of that hand', async () => {
  await page.evaluate(() => pliant.hand.setMode('pull'));
  await press(10, -60);
  await until(page, () => pliant.app.frame.pulls.length === 1 && Math.hypot(...pliant.app.frame.pulls[0].force) > 0.5);
  await later(1);
  const [pull] = await page.evaluate(() => pliant.app.frame.pulls);
  const stretch = Math.hypot(...pull.target.map((x, k) => x - pull.position[k])), force = Math.hypot(...pull.force);
  check(Math.abs(force - Math.min(3, 150 * stretch)) < 0.02 * force, `150 N/m, 3 N at most: ${force} N at ${stretch} m`);
  await picture(page, 'pointer-grip');
  await page.mouse.up();
  await until(page, () => !pliant.app.frame.pulls.length && !pliant.app.frame.tool);
});

test('a point and a tool with a shape of its own are moved by the pointer, too', async () => {
  for (const shape of ['', '<capsule radius="0.008" length="0.06" centre="0 0 0.038"/>']) {
    await open(`<hand device="mouse" stiffness="150">${shape}</hand>`, shape ? 'capsule' : 'point');
    await page.evaluate(() => pliant.hand.setMode('push'));
    await press(40, 0);
    await until(page, () => pliant.app.frame.tool && Math.hypot(...pliant.app.frame.tool.force) > 0.05);
    check((await page.evaluate(() => !!pliant.stage.props.ownTool?.visible)) === !!shape, 'its own shape is drawn');
    await picture(page, shape ? 'pointer-capsule' : 'pointer-point');
    await page.mouse.up();
    await until(page, () => !pliant.app.frame.tool);
  }
  check(complaints.length === 0, `errors in the console: ${complaints.join(' | ')}`);
});

const failed = await runAll({
  onFailure: (number) => page && picture(page, `failed-${number}`),
  finish: async () => { device?.close(); await closeAll(browser, server, folder); },
});
process.exit(failed ? 1 : 0);
