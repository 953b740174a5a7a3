// A module in node, for what is made with the page and the package: its functions, and the scenes in its memory.
import { readFile, readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

// { module, names, call(name, result, types, values) } of MODULES/NAME.mjs, whose functions begin with prefix_, with the code of the file wasm
export async function openModule(modules, scenes, name, prefix, wasm = path.join(modules, `${name}.wasm`)) {
  const { default: createModule } = await import(pathToFileURL(path.join(modules, `${name}.mjs`)));
  const module = await createModule({ wasmBinary: await readFile(wasm) });
  const names = (await readdir(scenes, { recursive: true })).map((name) => name.split(path.sep).join('/'));
  for (const name of names) {
    const isFolder = (await stat(path.join(scenes, name))).isDirectory();
    module.FS.mkdirTree(isFolder ? `/scenes/${name}` : path.posix.dirname(`/scenes/${name}`));
    if (!isFolder) module.FS.writeFile(`/scenes/${name}`, await readFile(path.join(scenes, name)));
  }
  return { module, names, call: (word, result, types = [], values = []) => module.ccall(`${prefix}_${word}`, result, types, values) };
}
