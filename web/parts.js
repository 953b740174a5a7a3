// A module that was divided by split.mjs: the functions of its first part are there at once, all others when one of them is called.
// The functions that call it are in the middle of their work, so the rest is fetched while they wait.

// Whole file, at once. A page's own thread may not ask for bytes here, so they come as characters.
export function fetchNow(address) {
  const request = new XMLHttpRequest();
  request.open('GET', address, false);
  request.overrideMimeType('text/plain; charset=x-user-defined');
  try { request.send(); } catch { throw new Error('no connection'); }
  if (request.status !== 200) throw new Error(String(request.status));
  return Uint8Array.from(request.responseText, (letter) => letter.charCodeAt(0) & 255);
}

// { instance, complete(code) }: the first part, and what adds the rest; getRest() gives its code when a function of it is called before. Old browsers make no
// large module on the page's own thread while it waits, so only that does.
async function instantiate(first, imports, getRest) {
  let instance = null, table = null, isComplete = false;
  const needs = () => ({ primary: instance.exports }); // it puts its functions into the table
  const complete = async (code) => {
    if (!isComplete) await WebAssembly.instantiate(code, needs());
    isComplete = true;
  };
  // functions of the rest stand in the table at places that the first part names by their number
  const placeholder = new Proxy({}, { get: (_, slot) => (...values) => {
    if (!isComplete) new WebAssembly.Instance(getRest(), needs());
    isComplete = true;
    table ??= Object.values(instance.exports).find((one) => one instanceof WebAssembly.Table);
    return table.get(Number(slot))(...values);
  } });
  instance = await WebAssembly.instantiate(first, { ...imports, placeholder });
  return { instance, complete };
}

// { module, complete(code) }, where create makes the module of emscripten's glue
export const openParts = (create, first, getRest) => new Promise((resolve, reject) => {
  let complete;
  const instantiateWasm = (imports, done) => {
    instantiate(first, imports, getRest).then((parts) => { complete = parts.complete; done(parts.instance); }).catch(reject);
    return {};
  };
  create({ instantiateWasm }).then((module) => resolve({ module, complete }), reject);
});
