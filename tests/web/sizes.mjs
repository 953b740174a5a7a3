// What the page and the package may weigh when they are fetched: node sizes.mjs SITE NPM. The modules come in two
// parts (web/split.mjs): the first is what most need, and the sum of both must not grow either.
import { readFile } from 'node:fs/promises';
import { brotliCompressSync, constants } from 'node:zlib';

const [site, npm] = process.argv.slice(2);
const packed = async (...files) => {
  let sum = 0;
  for (const file of files) sum += brotliCompressSync(await readFile(file), { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }).length;
  return sum;
};
const rows = [
  ['module of the page', 450, await packed(`${site}/session.wasm`)],
  ['module of the page with its rest', 820, await packed(`${site}/session.wasm`, `${site}/rest.wasm`)],
  ['page with module and three.js', 650, await packed(...['index.html', 'app.js', 'style.css', 'worker.js', 'session.wasm', 'icon.svg'].map((name) => `${site}/${name}`))],
  ['module of the page with threads', 800, await packed(`${site}/session-threads.wasm`)],
  ['module of the package', 450, await packed(`${npm}/world.wasm`)],
  ['module of the package with its rest', 770, await packed(`${npm}/world.wasm`, `${npm}/rest.wasm`)],
  ['glue of the package', 30, await packed(`${npm}/index.js`, `${npm}/parts.js`, `${npm}/world.mjs`)],
  ['types of the package, not compressed', 30, (await readFile(`${npm}/index.d.ts`)).length],
];
let bad = 0;
for (const [name, most, bytes] of rows) {
  const right = bytes <= most * 1000;
  bad += !right;
  console.log(`${right ? 'ok    ' : 'FAILED'} ${name}: ${(bytes / 1000).toFixed(0)} kB, at most ${most}`);
}
process.exit(bad ? 1 : 0);
