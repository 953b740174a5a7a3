// Pliant in JavaScript: worlds of deformable bodies, stepped to the same bits as on every other machine.
import { fetchNow, openParts } from './parts.js';

const isNode = typeof process === 'object' && !!process.versions?.node;
const nodeFiles = 'node:fs'; // by a variable, which bundlers for browsers leave alone

/** An error of Pliant: one sentence, and file and line of the scene where there are any. */
export class PliantError extends Error {
  constructor(message, status, file = '', line = 0) {
    super(file && line ? `${file}:${line}: ${message}` : message);
    this.name = 'PliantError';
    this.status = status;
    this.file = file;
    this.line = line;
  }
}

// ---- scenes ----

const escaped = (text) => String(text).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
const isElement = (value) => value !== null && typeof value === 'object' && (!Array.isArray(value) || (value.length > 0 && value.every((one) => one !== null && typeof one === 'object')));
const written = (value) => (Array.isArray(value) ? value.join(' ') : value === true ? 'yes' : value === false ? 'no' : String(value));

/** An object as the element of that name: numbers, words and lists of numbers are attributes, objects are elements inside. */
function element(name, values) {
  const keys = Object.keys(values).filter((key) => values[key] !== undefined && values[key] !== null);
  const attributes = keys.filter((key) => !isElement(values[key])).map((key) => ` ${key}="${escaped(written(values[key]))}"`);
  const inside = keys.filter((key) => isElement(values[key])).flatMap((key) => [values[key]].flat().map((one) => element(key, one)));
  return `<${name}${attributes.join('')}${inside.length ? `>\n${inside.join('')}</${name}` : '/'}>\n`;
}

/** The scene as an XML file that `pliant run` takes. */
export const toXml = (scene) => (typeof scene === 'string' ? scene : element('pliant', scene));

// ---- worlds ----

class Pull {
  #world; #number;
  constructor(world, number) { this.#world = world; this.#number = number; }
  #call(name, ...values) { if (!this.#number) throw new PliantError('this pull was released', 'argument'); return this.#world._call(name, this.#number, ...values); }
  /** Moves the spring's other end. */
  to(x, y, z) { this.#world._check(this.#call('drag', x, y, z)); }
  #facts() {
    const at = this.#call('read_pull');
    if (!at) this.#world._fail();
    return this.#world._module.HEAPF64.slice(at / 8, at / 8 + 12);
  }
  get position() { return this.#facts().subarray(0, 3); }
  get target() { return this.#facts().subarray(3, 6); }
  /** N, on the body */
  get force() { return this.#facts().subarray(6, 9); }
  release() { if (this.#number) this.#world._check(this.#call('release')); this.#number = 0; }
}

class World {
  #at; #folder;
  constructor(module, xml, files, folder) {
    this._module = module;
    this.#folder = folder;
    module.FS.mkdirTree(folder);
    for (const [name, bytes] of Object.entries({ ...files, 'scene.xml': xml })) {
      const path = `${folder}/${name}`;
      if (name.split('/').includes('..')) throw new PliantError(`the file "${name}" lies outside of the scene's folder`, 'argument');
      module.FS.mkdirTree(path.slice(0, path.lastIndexOf('/')));
      module.FS.writeFile(path, typeof bytes === 'string' ? bytes : new Uint8Array(bytes.buffer ?? bytes, bytes.byteOffset ?? 0, bytes.byteLength));
    }
    this.#at = this._guard(() => module.ccall('world_open', 'number', ['string'], [`${folder}/scene.xml`]));
    if (!this.#at) { this.#forget(); this._fail(); }
    this.title = this._text('title');
    leftOpen?.register(this, xml.slice(0, 80), this);
  }

  // What is thrown out of the module's code leaves its function half-way, and this world with it: all that it took is given back. Memory that cannot grow any more
  // ends the code; everything else is an error with a sentence.
  _guard(work) {
    const m = this._module, stack = m.stackSave();
    try { return work(); } catch (error) {
      m.stackRestore(stack);
      m._world_abandon(this.#at ?? 0);
      this.#end();
      throw error instanceof WebAssembly.RuntimeError || error instanceof RangeError ? new PliantError('the module has no more memory; make the scene smaller', 'memory') : error;
    }
  }
  _call(name, ...values) {
    if (!this.#at) throw new PliantError('this world was disposed of', 'argument');
    return this._guard(() => this._module[`_world_${name}`](this.#at, ...values));
  }
  _text(name, ...values) { return this._module.UTF8ToString(this._call(name, ...values)); }
  _fail() {
    const m = this._module;
    throw new PliantError(m.UTF8ToString(m._world_error_message()), m.UTF8ToString(m._world_error_status()).slice(5).toLowerCase(),
      m.UTF8ToString(m._world_error_file()).replace(`${this.#folder}/`, ''), m._world_error_line());
  }
  _check(status) { if (status) this._fail(); }

  /** Makes steps of `dt`. */
  step(count = 1) { this._check(this._call('step', count)); }
  get time() { return this._call('time'); }
  get dt() { return this._call('dt'); }
  get steps() { return this._call('steps'); }
  /** Equal hash: the same time, positions and velocities, bit for bit, on every machine. */
  get hash() { return this._text('hash'); }

  #positions() {
    const at = this._call('positions');
    if (!at) this._fail();
    return at;
  }
  /** The surface of all bodies; `positions` is a view into the module's memory, valid until the next call. */
  get surface() {
    const m = this._module, positions = this.#positions(), triangles = this._call('triangle_data');
    return { positions: new Float32Array(m.HEAPU8.buffer, positions, 3 * this._call('vertices')),
      triangles: new Uint32Array(m.HEAPU8.buffer, triangles, 3 * this._call('triangles')) };
  }
  /** Each body's part of the surface. */
  get bodies() {
    return Array.from({ length: this._call('parts') }, (_, i) => {
      const world = this, at = this._call('part', i) / 4, [firstVertex, vertices, firstTriangle, triangles] = this._module.HEAP32.slice(at, at + 4);
      return { name: this._text('part_name', i), firstVertex, firstTriangle,
        /** a view, valid until the next call */
        get positions() { return world.surface.positions.subarray(3 * firstVertex, 3 * (firstVertex + vertices)); },
        /** a copy, numbered from this body's first vertex */
        get triangles() { return world.surface.triangles.slice(3 * firstTriangle, 3 * (firstTriangle + triangles)).map((vertex) => vertex - firstVertex); } };
    });
  }

  /** A spring at the point (1 - u - v, u, v) of a triangle of the surface. */
  grab(triangle, u = 1 / 3, v = 1 / 3, { stiffness = 1000, damping = 0 } = {}) {
    const number = this._call('grab', triangle, u, v, stiffness, damping);
    if (!number) this._fail();
    return new Pull(this, number);
  }

  save() {
    const at = this._call('save');
    if (!at) this._fail();
    return this._module.HEAPU8.slice(at, at + this._call('state_size'));
  }
  load(bytes) {
    const m = this._module, at = m._malloc(bytes.length || 1);
    if (!at) throw new PliantError('the module has no more memory', 'memory');
    m.HEAPU8.set(bytes, at);
    try { this._check(this._call('load', at, bytes.length)); } finally { m._free(at); }
  }

  #forget() {
    const { FS } = this._module;
    const remove = (path) => {
      for (const name of FS.readdir(path)) if (name !== '.' && name !== '..') {
        const inner = `${path}/${name}`;
        if (FS.isDir(FS.stat(inner).mode)) remove(inner); else FS.unlink(inner);
      }
      FS.rmdir(path);
    };
    if (FS.analyzePath(this.#folder).exists) remove(this.#folder);
  }
  dispose() {
    if (!this.#at) return;
    this._call('close');
    this.#end();
  }
  #end() {
    this.#at = 0;
    this.#forget();
    leftOpen?.unregister(this);
  }
  [Symbol.dispose ?? Symbol.for('Symbol.dispose')]() { this.dispose(); }
}

const leftOpen = typeof FinalizationRegistry === 'function'
  ? new FinalizationRegistry((head) => console.warn(`pliant: a world was lost without dispose(): ${head}`)) : null;

// ---- the module ----

const isBytes = (value) => value instanceof ArrayBuffer || ArrayBuffer.isView(value);

// What is at an address, or is given as it is: { code(): a promise, codeNow() }.
async function place(given, name) {
  const address = given ?? new URL(name, import.meta.url);
  const bytes = (value) => (typeof value === 'function' ? value() : value);
  if (isBytes(address) || typeof address === 'function')
    return { code: () => WebAssembly.compile(bytes(address)), codeNow: () => new WebAssembly.Module(bytes(address)) };
  if (isNode && String(address).startsWith('file:')) {
    const { readFileSync } = await import(/* @vite-ignore */ /* webpackIgnore: true */ nodeFiles);
    const read = () => readFileSync(new URL(address));
    return { code: async () => WebAssembly.compile(read()), codeNow: () => new WebAssembly.Module(read()) };
  }
  return { code: () => fetchCode(address), codeNow: () => new WebAssembly.Module(fetchNow(address)) };
}

async function fetchCode(address) {
  const answer = await fetch(address);
  if (!answer.ok) throw new PliantError(`${address} cannot be fetched (${answer.status})`, 'io');
  return answer.headers.get('Content-Type') === 'application/wasm' ? WebAssembly.compileStreaming(answer) : WebAssembly.compile(await answer.arrayBuffer());
}

/** Loads the module once; `wasm` and `rest` are the addresses or the bytes of its two parts. */
export async function init({ wasm, rest } = {}) {
  const { default: create } = await import('./world.mjs');
  const [first, second] = await Promise.all([place(wasm, './world.wasm'), place(rest, './rest.wasm')]), code = await first.code();
  const getRest = () => {
    try { return second.codeNow(); } catch (error) {
      const remedy = error instanceof RangeError ? '; call await pliant.complete() before' : '';
      throw new PliantError(`the module's second part, rest.wasm, cannot be loaded (${error.message})${remedy}`, 'io');
    }
  };
  const { module, complete } = await openParts(create, code, getRest);
  let count = 0;
  return {
    /** A world from a scene: an object or XML; files: what it names, by name. */
    world: (scene, { files = {} } = {}) => new World(module, toXml(scene), files, `/world${++count}`),
    /** Loads the second part now, which is otherwise fetched, while the caller waits, when a scene needs it. */
    complete: async () => complete(await second.code()),
    /** Bytes that the module has taken. */
    get memory() { return module.HEAPU8.length; },
  };
}
