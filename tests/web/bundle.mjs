// The installed npm package in a bundled page, in headless Chromium: node bundle.mjs PROJECT HASH FRAMES. The page makes the steps of
// PROJECT/export.mjs on its own thread, draws them with three.js and must end with that hash, and six of frames-bar.xml, which needs the module's
// second part, with the other; the file that carries its module must do, too, and a page that loads the second part beforehand.
import { createServer } from 'node:http';
import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { complaints, launch, openPage, until } from '../view/driver.mjs';

const [project, bar, frames] = process.argv.slice(2), wanted = `${bar} ${frames}`;
const { build } = createRequire(path.join(process.env.PLIANT_SOURCE, 'viewer/package.json'))('esbuild');
const three = path.join(process.env.PLIANT_SOURCE, 'viewer/node_modules/three');
const dist = path.join(project, 'dist');

const code = (name, before = '') => `
import * as THREE from 'three';
import { init } from '${name}';
import { toGeometry } from 'pliant/three';
import { scene } from './scene.mjs';
const pliant = await init();
${before}
const world = pliant.world(scene), { geometry, update } = toGeometry(THREE, world);
world.step(10);
update();
const low = Math.min(...geometry.getAttribute('position').array.filter((_, i) => i % 3 === 2));
const other = pliant.world(await (await fetch('frames-bar.xml')).text());
other.step(6);
document.title = low < 0 ? world.hash + ' ' + other.hash : 'the bar has not sunk: ' + low;
for (const one of [world, other]) one.dispose();
`;
const pages = { plain: code('pliant'), complete: code('pliant', 'await pliant.complete();'), inline: code('pliant/inline') };
for (const [page, text] of Object.entries(pages)) {
  await writeFile(path.join(project, `${page}.mjs`), text);
  await build({ entryPoints: [path.join(project, `${page}.mjs`)], bundle: true, format: 'esm', outdir: dist, logLevel: 'error', target: 'es2022', alias: { three } });
}
// what the documentation says: the module's parts lie beside the bundle
for (const name of ['world.wasm', 'rest.wasm']) await copyFile(path.join(project, 'node_modules/pliant', name), path.join(dist, name));
await copyFile(path.join(process.env.PLIANT_SOURCE, 'scenes/frames-bar.xml'), path.join(dist, 'frames-bar.xml'));

const server = createServer(async (request, answer) => {
  const name = path.basename(request.url);
  const type = name.endsWith('.js') ? 'text/javascript' : name.endsWith('.wasm') ? 'application/wasm' : name.endsWith('.xml') ? 'application/xml' : 'text/html';
  answer.writeHead(200, { 'Content-Type': type });
  answer.end(type === 'text/html' ? `<!doctype html><title></title><script type="module" src="${name}.js"></script>` : await readFile(path.join(dist, name)));
}).listen(0, '127.0.0.1');
const browser = await launch();
let failed = 0;
for (const name of Object.keys(pages)) {
  const page = await openPage(browser, `http://127.0.0.1:${server.address().port}/${name}`);
  await until(page, () => document.title).catch(() => {});
  const found = await page.title();
  if (found !== wanted) failed = 1;
  console.log(`${found === wanted ? 'ok    ' : 'FAILED'} bundled, ${name}: ${found || complaints.join('; ')}`);
  await page.close();
}
await browser.close();
process.exit(failed);
