// Makes the npm package: node npm.mjs FOLDER MODULES SOURCE VERSION, where MODULES holds world.mjs and the two parts of its code (split.mjs).
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';

const [target, modules, source, version] = process.argv.slice(2);
await rm(target, { recursive: true, force: true });
await mkdir(target, { recursive: true });
const from = path.join(source, 'web/npm');
for (const name of ['index.js', 'three.js', 'examples']) await cp(path.join(from, name), path.join(target, name), { recursive: true });
await cp(path.join(modules, 'world.mjs'), path.join(target, 'world.mjs'));
await cp(path.join(modules, 'world-first.wasm'), path.join(target, 'world.wasm'));
await cp(path.join(modules, 'world-rest.wasm'), path.join(target, 'rest.wasm'));
await cp(path.join(source, 'web/parts.js'), path.join(target, 'parts.js'));
await cp(path.join(source, 'LICENSE'), path.join(target, 'LICENSE'));
await writeFile(path.join(target, 'package.json'), (await readFile(path.join(from, 'package.json'), 'utf8')).replace('"0.0.0"', `"${version}"`));

// both parts as text, for who wants one file that just works
const text = async (name) => (await readFile(path.join(target, name))).toString('base64');
await writeFile(path.join(target, 'inline.js'), `import { init as load } from './index.js';
export { PliantError, toXml } from './index.js';
const bytes = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
export const init = (options = {}) => load({ wasm: bytes('${await text('world.wasm')}'), rest: () => bytes('${await text('rest.wasm')}'), ...options });
`);

// ---- types, from the scene reference ----

const reference = await readFile(path.join(source, 'docs/scene.md'), 'utf8');
const pascal = (name) => name.replace(/(^|-)(\w)/g, (_, dash, letter) => letter.toUpperCase());
const elements = new Map();
let now = null;
for (const line of reference.split('\n')) {
  const head = /^#+ `<([\w-]+)>`/.exec(line), row = /^\| `([\w-]+)` \| (.*?) \| (.*?) \| (.*?) \| (.*) \|$/.exec(line);
  if (head) {
    now = { attributes: new Map(), inside: [], once: false, needed: false };
    if (elements.has(head[1])) now = elements.get(head[1]);
    else elements.set(head[1], now);
  } else if (/^#/.test(line)) now = null;
  else if (now && row) now.attributes.set(row[1], { unit: row[2], preset: row[3], values: row[4], meaning: row[5] });
  else if (now && line.startsWith('Inside: ')) now.inside.push(...[...line.matchAll(/`<([\w-]+)>`/g)].map(([, name]) => name));
}

function typeOf({ unit, values }) {
  const words = [...values.matchAll(/`([^`]+)`/g)].map(([, word]) => `'${word}'`);
  if (words.length) return [...new Set(words), ...(unit === 'word' ? [] : ['Numbers'])].join(' | ');
  return /text|path|name|word|^$/.test(unit) ? 'string' : 'Numbers';
}

const header = await readFile(path.join(source, 'include/pliant/base.h'), 'utf8');
const statuses = [...header.matchAll(/X\(PL_E_(\w+),/g)].map(([, name]) => `'${name.toLowerCase()}'`);
const lines = [(await readFile(path.join(from, 'head.d.ts'), 'utf8')).replace('STATUSES', statuses.join(' | '))];
for (const [name, { attributes, inside }] of elements) {
  lines.push(`export interface ${name === 'pliant' ? 'Scene' : pascal(name) + 'Element'} {`);
  for (const [key, attribute] of attributes) {
    if (inside.includes(key)) continue;
    const unit = /^(word|text|path|count|1|)$/.test(attribute.unit) ? '' : ` [${attribute.unit}]`;
    lines.push(`  ${/-/.test(key) ? `'${key}'` : key}?: ${typeOf(attribute)};${unit && ` //${unit}`}`);
  }
  for (const child of new Set(inside)) lines.push(`  ${/-/.test(child) ? `'${child}'` : child}?: One<${elements.has(child) ? pascal(child) + 'Element' : 'Record<string, unknown>'}>;`);
  lines.push('}', '');
}
if (elements.size < 20) throw new Error(`the scene reference has ${elements.size} elements only: its form has changed`);
await writeFile(path.join(target, 'index.d.ts'), lines.join('\n'));
await writeFile(path.join(target, 'three.d.ts'), `import type { Part, World } from 'pliant';
/** Geometry of all bodies, or of one of world.bodies; update() after steps. THREE is your copy of three. */
export function toGeometry(THREE: any, world: World, body?: Part | null): { geometry: any; update(): void };
`);
