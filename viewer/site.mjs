// Makes the page without a server: node site.mjs FOLDER MODULES SCENES, where MODULES holds session.mjs, session.wasm and its two parts (web/split.mjs),
// and the files of session-threads.mjs.
// Pictures of the gallery are made here, by the module itself.
import { build } from 'esbuild';
import { copyFile, cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { crc32, deflateSync, inflateSync } from 'node:zlib';
import { openModule } from '../web/host.mjs';

const folder = path.dirname(fileURLToPath(import.meta.url));
const [target, modules, scenes] = process.argv.slice(2).map((one) => path.resolve(one));
// quick to load and to step
const start = 'cantilever.xml';

await rm(target, { recursive: true, force: true });
await mkdir(path.join(target, 'scenes'), { recursive: true });

// ---- the page ----

const bundle = { bundle: true, minify: true, format: 'esm', target: 'es2022', legalComments: 'eof', logLevel: 'warning', loader: { '.svg': 'file' } };
await build({ ...bundle, entryPoints: { app: path.join(folder, 'site/index.js'), style: path.join(folder, 'site/style.css') }, outdir: target });
await build({ ...bundle, entryPoints: [path.join(folder, 'site/worker.js')], outdir: target, external: ['node:*', 'module', 'fs', 'path', 'url'],
  alias: { 'session.mjs': path.join(modules, 'session.mjs') } });
await copyFile(path.join(modules, 'session-first.wasm'), path.join(target, 'session.wasm'));
await copyFile(path.join(modules, 'session-rest.wasm'), path.join(target, 'rest.wasm'));
// not every host knows what an .mjs is
for (const end of ['mjs', 'worker.js', 'wasm']) await copyFile(path.join(modules, `session-threads.${end}`), path.join(target, `session-threads.${end.replace('mjs', 'js')}`));
await copyFile(path.join(folder, 'src/icon.svg'), path.join(target, 'icon.svg'));
const html = await readFile(path.join(folder, 'src/index.html'), 'utf8');
const [first, buttons, covers] = (await readFile(path.join(folder, 'site/parts.html'), 'utf8')).split(/<!-- \w+ -->\n/);
const code = '<script type="module" src="app.js"></script>';
await writeFile(path.join(target, 'index.html'), html.replace(code, `${first}${code}`).replace('  <button class="icon" id="save"', `${buttons}  <button class="icon" id="save"`)
  .replace('<section id="broken"', `${covers}<section id="broken"`).replace('<p>Correct the file and save it: this page follows.</p>', '<p>Correct the file and drop it here again.</p>'));

// ---- scenes and their pictures ----

const { module, names, call } = await openModule(modules, scenes, 'session', 'host');

// the files that a scene names, and those that these name
async function filesOf(name, found = new Set()) {
  const text = await readFile(path.join(scenes, name), 'latin1');
  for (const [, word] of text.matchAll(/="([^"<>]+\.\w+)"/g)) {
    const file = path.posix.join(path.posix.dirname(name), word);
    if (!names.includes(file) || found.has(file)) continue;
    found.add(file);
    if (file.endsWith('.xml')) await filesOf(file, found);
  }
  return [...found];
}

// The module writes pictures without compressing them.
function compress(png) {
  const parts = [png.subarray(0, 8)], data = [];
  const chunk = (type, bytes) => {
    const head = Buffer.alloc(8), tail = Buffer.alloc(4);
    head.writeUInt32BE(bytes.length);
    head.write(type, 4, 'latin1');
    tail.writeUInt32BE(crc32(Buffer.concat([head.subarray(4), bytes])));
    parts.push(head, bytes, tail);
  };
  for (let at = 8; at < png.length; at += 12 + png.readUInt32BE(at)) {
    const type = png.toString('latin1', at + 4, at + 8), bytes = png.subarray(at + 8, at + 8 + png.readUInt32BE(at));
    if (type === 'IDAT') data.push(bytes);
    else {
      if (type === 'IEND') chunk('IDAT', deflateSync(inflateSync(Buffer.concat(data)), { level: 9 }));
      chunk(type, bytes);
    }
  }
  return Buffer.concat(parts);
}

const pictures = new Map();
let titles = [];
if (call('start', 'number', ['string', 'string', 'number', 'number'], [`/scenes/${start}`, '/scenes', 1, 0])) throw new Error(call('error', 'string'));
call('turn', 'number');
call('send', 'number', ['string'], ['gallery']);
call('turn', 'number');
for (let slot = call('next', 'number'); slot >= 0; slot = call('next', 'number')) {
  const at = call('data', 'number'), bytes = Buffer.from(module.HEAPU8.slice(at, at + call('size', 'number')));
  if (bytes.subarray(0, 4).toString() === 'PLT1') pictures.set(bytes.readUInt32LE(4), bytes.subarray(12));
  else if (bytes.subarray(0, 17).toString() === '{"type":"gallery"') titles = JSON.parse(bytes.toString()).scenes;
}
const list = [];
for (const [index, { file, title, broken }] of titles.entries()) {
  if (broken || !pictures.has(index)) { console.log(`${file} is left out: ${broken ? 'it cannot be read' : 'it has no picture'}`); continue; }
  const files = await filesOf(file);
  list.push({ file, title, files });
  for (const name of [file, ...files]) await cp(path.join(scenes, name), path.join(target, 'scenes', name));
  await writeFile(path.join(target, 'scenes', file.replace(/xml$/, 'png')), compress(pictures.get(index)));
}
list.sort((a, b) => (a.file < b.file ? -1 : 1));
await writeFile(path.join(target, 'scenes/gallery.json'), JSON.stringify({ start: await readFile(path.join(scenes, start), 'utf8'), scenes: list }));
console.log(`${list.length} scenes, ${target}/index.html`);
process.exit(0);
