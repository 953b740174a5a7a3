// A server and a real browser for the viewer's tests, measurements and pictures.
import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';

const { PLIANT_SOURCE: source, PLIANT_COMMAND: command, PLIANT_BROWSER: browserPath } = process.env;
const { chromium } = createRequire(path.join(source, 'viewer/package.json'))('playwright-core');
export const token = 'feedfacefeedfacefeedfacefeedface';

// { address, port, child, stop() }
export async function serve(file, port = 0, words = []) {
  const child = spawn(command, ['view', '--no-open', '--token', token, '--port', String(port), ...words, file]);
  child.stderr.on('data', (data) => { if (process.env.PLIANT_LOUD) process.stderr.write(data); });
  const address = await new Promise((resolve, reject) => {
    child.stdout.on('data', (data) => { const found = /open (\S+)/.exec(data); if (found) resolve(found[1]); });
    child.on('exit', (code) => reject(new Error(`pliant view ended with ${code}`)));
  });
  const ended = new Promise((resolve) => child.on('exit', resolve));
  return { address, port: Number(new URL(address).port), child, stop: () => { child.kill('SIGINT'); return ended; } };
}

// A scene in a folder of its own: { path, remove() }.
async function sceneOf(name, text) {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'pliant-bench-')), file = path.join(folder, `${name}.xml`);
  await writeFile(file, text);
  return { path: file, remove: () => rm(folder, { recursive: true, force: true }) };
}

// A bar of 24 000 tetrahedra.
export const block = () => sceneOf('block', `<pliant title="A block of 24 000 tetrahedra">
  <world dt="0.01" duration="10" gravity="0 0 -9.81"/>
  <material name="m" young="1e6" poisson="0.3" density="1000"/>
  <mesh name="b"><box size="1 0.25 0.25" cells="40 10 10" element="tet"/></mesh>
  <body name="block" mesh="b" material="m" strain="corotated"><fix><set name="x-min"/></fix></body>
  <view direction="1 -3 1" up="0 0 1" colour="none"/>
</pliant>
`);

// A cloth of 100 352 triangles that drapes over a ball.
export const cloth = () => sceneOf('cloth', `<pliant title="A cloth of 100 352 triangles">
  <world dt="0.01" duration="10" gravity="0 0 -9.81"/>
  <material name="cotton" young="2e5" poisson="0.3" density="400" stiffness-damping="0.002"/>
  <mesh name="sheet"><sheet length="1" width="1" along="224" across="224" origin="-0.5 -0.5 0.52"/></mesh>
  <body name="sheet" mesh="sheet" material="cotton" model="cloth" membrane="corotated" thickness="5e-4" bending-stiffness="2e-5"/>
  <obstacle name="ball" shape="sphere" centre="0 0 0.25" radius="0.25" friction="0.4" margin="0.004"/>
  <view direction="-1 -1.6 0.8" up="0 0 1" colour="none"/>
</pliant>
`);

export const requests = [], complaints = [];
// PLIANT_PATIENCE: seconds, for a machine that has much else to do
const patience = 1000 * Number(process.env.PLIANT_PATIENCE ?? 30);

export const launch = () => chromium.launch({
  executablePath: browserPath,
  args: ['--no-sandbox', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update',
    '--disable-sync', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--ignore-gpu-blocklist'],
});

// In the page, before its own code: the drawing that a graphics card would do is left out.
export function drawNothing() {
  for (const name of ['drawElements', 'drawArrays', 'drawElementsInstanced', 'clear']) WebGL2RenderingContext.prototype[name] = () => {};
}

// init runs in the page before its own code.
// The end of a test: browser, server (which may not have started) and the folder of its files.
export async function closeAll(browser, server, folder) {
  await browser.close();
  await server?.stop();
  await rm(folder, { recursive: true, force: true });
}

export async function openPage(browser, address, options = {}, init = null) {
  const page = await browser.newPage({ viewport: { width: 960, height: 600 }, colorScheme: 'light', ...options });
  page.on('request', (request) => requests.push(request.url()));
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (line) => { if (line.type() === 'error' && !/WebSocket|ERR_CONNECTION/.test(line.text())) complaints.push(line.text()); });
  if (init) await page.addInitScript(init);
  await page.goto(address, { timeout: patience });
  return page;
}

export const until = (page, condition, argument) => page.waitForFunction(condition, argument, { timeout: patience, polling: 40 });
export const ready = (page) => until(page, () => window.pliant?.app.frame && pliant.stage.draws > 1);
export const tell = (page, line) => page.evaluate((text) => pliant.send(text), line);
export async function pause(page) {
  await tell(page, 'pause');
  await until(page, () => pliant.app.frame && !pliant.app.frame.playing && !pliant.app.state.playing);
}
