// Bundles the page and writes its files as C: node build.mjs FILE.c
import { build } from 'esbuild';
import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = path.dirname(fileURLToPath(import.meta.url));
const target = process.argv[2];
const types = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

const bundled = await build({
  entryPoints: [path.join(folder, 'src/app.js'), path.join(folder, 'src/style.css')],
  bundle: true,
  minify: true,
  format: 'esm',
  target: 'es2022',
  legalComments: 'eof',
  outdir: 'out',
  write: false,
  logLevel: 'warning',
});

const files = bundled.outputFiles.map((file) => [path.basename(file.path), file.contents]);
for (const name of await readdir(path.join(folder, 'src'))) {
  if (/\.(html|svg)$/.test(name)) files.push([name, await readFile(path.join(folder, 'src', name))]);
}

// one array each, and the table that the server looks into
const lines = ['/* Made by viewer/build.mjs. */', '#include "view/asset.h"', ''];
const rows = [];
files.sort().forEach(([name, data], index) => {
  const numbers = [];
  for (let i = 0; i < data.length; i += 32) numbers.push(data.subarray(i, i + 32).join(','));
  lines.push(`static const unsigned char data${index}[] = {\n${numbers.join(',\n')}};`);
  rows.push(`  {"/${name}", "${types[path.extname(name)]}", data${index}, sizeof data${index}},`);
});
lines.push('const pl_asset pl_assets[] = {', ...rows, '  {0}};', '');
await mkdir(path.dirname(target), { recursive: true });
await writeFile(target, lines.join('\n'));
