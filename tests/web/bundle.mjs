// The installed npm package in a bundled page, in headless Chromium: node bundle.mjs PROJECT HASH. The page makes the steps of
// PROJECT/export.mjs on its own thread, draws them with three.js and must end with that hash; the file that carries its module must do, too.
import { createServer } from 'node:http';
import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { complaints, launch, openPage, until } from '../view/driver.mjs';

const [project, wanted] = process.argv.slice(2);
const { build } = createRequire(path.join(process.env.PLIANT_SOURCE, 'viewer/package.json'))('esbuild');
const three = path.join(process.env.PLIANT_SOURCE, 'viewer/node_modules/three');
const dist = path.join(project, 'dist');

const code = (name) => `
import * as THREE from 'three';
import { init } from '${name}';
import { toGeometry } from 'pliant/three';
import { scene } from './scene.mjs';
const world = (await init()).world(scene), { geometry, update } = toGeometry(THREE, world);
world.step(10);
update();
const low = Math.min(...geometry.getAttribute('position').array.filter((_, i) => i % 3 === 2));
document.title = low < 0 ? world.hash : 'the bar has not sunk: ' + low;
world.dispose();
`;
for (const [page, name] of [['plain', 'pliant'], ['inline', 'pliant/inline']]) {
  await writeFile(path.join(project, `${page}.mjs`), code(name));
  await build({ entryPoints: [path.join(project, `${page}.mjs`)], bundle: true, format: 'esm', outdir: dist, logLevel: 'error', target: 'es2022', alias: { three } });
}
// what the documentation says: the module lies beside the bundle
await copyFile(path.join(project, 'node_modules/pliant/world.wasm'), path.join(dist, 'world.wasm'));

const server = createServer(async (request, answer) => {
  const name = path.basename(request.url);
  const type = name.endsWith('.js') ? 'text/javascript' : name.endsWith('.wasm') ? 'application/wasm' : 'text/html';
  answer.writeHead(200, { 'Content-Type': type });
  answer.end(type === 'text/html' ? `<!doctype html><title></title><script type="module" src="${name}.js"></script>` : await readFile(path.join(dist, name)));
}).listen(0, '127.0.0.1');
const browser = await launch();
let failed = 0;
for (const name of ['plain', 'inline']) {
  const page = await openPage(browser, `http://127.0.0.1:${server.address().port}/${name}`);
  await until(page, () => document.title).catch(() => {});
  const found = await page.title();
  if (found !== wanted) failed = 1;
  console.log(`${found === wanted ? 'ok    ' : 'FAILED'} bundled, ${name}: ${found || complaints.join('; ')}`);
  await page.close();
}
await browser.close();
process.exit(failed);
