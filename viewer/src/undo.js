// Undo: each change of a value is kept as the lines that bring the old one back.

// The values of a part of the state, by the word with which commands name it, and its member's parameters.
function partOf(scene, state, where) {
  const [kind, number] = where.split('.');
  if (kind === 'world') return { values: state.world, params: scene.world };
  if (kind === 'obstacle') return { values: state.obstacles[number], params: scene.obstacle };
  const one = kind === 'material' ? state.materials[number] : kind === 'model' ? state.models[number] : state[kind];
  const family = scene.families[{ material: 'law', contact: 'response' }[kind] ?? kind];
  const member = family?.find(({ name }) => name === one?.name);
  if (!member) return null;
  const beside = { material: scene.material, contact: scene.contact }[kind] ?? [];
  return { member, own: member.params, values: { ...one.values, ...one.numbers }, params: [...member.params, ...beside] };
}

// The value as a command has it; null where it was not given.
function asText(param, value) {
  if (value === null || value === undefined) return null;
  if (param?.words) return param.words[value] ?? null;
  return Array.isArray(value) ? value.join(' ') : String(value);
}

function setting(part, where, name) {
  const value = asText(part.params.find((param) => param.name === name), part.values?.[name]);
  return value === null ? [] : [`set ${where} ${name} ${value}`];
}

// The lines that undo this one; none where it is no change.
export function inverse(scene, state, line) {
  const [verb, where, name, ...rest] = line.split(' ');
  if (verb === 'pin' || verb === 'release') return [[verb === 'pin' ? 'release' : 'pin', where, name, ...rest].join(' ')];
  const part = (verb === 'set' || verb === 'choose') && partOf(scene, state, where);
  if (!part) return [];
  if (verb === 'set') return setting(part, where, name);
  return [`choose ${where} ${part.member.name}`, ...part.own.flatMap((param) => setting(part, where, param.name))];
}

const most = 100, together = 1500; // ms: a slider's values are one change

export class Undo {
  constructor(send, changed) {
    this.send = send;
    this.changed = changed; // (what the next undo would undo, or null)
    this.clear();
  }

  clear() {
    this.stack = [];
    this.tell();
  }

  tell() { this.changed(this.stack.at(-1)?.what ?? null); }

  // Before a line is sent.
  note(scene, state, line) {
    if (!scene || !state) return;
    const lines = inverse(scene, state, line), now = performance.now(), last = this.stack.at(-1);
    if (!lines.length) return;
    const what = line.split(' ').slice(0, line.startsWith('set') ? 3 : 2).join(' ');
    if (last?.what === what && line.startsWith('set') && now < last.time + together) {
      last.time = now;
      return;
    }
    this.stack.push({ what, lines, time: now });
    if (this.stack.length > most) this.stack.shift();
    this.tell();
  }

  undo() {
    const last = this.stack.pop();
    for (const line of last?.lines ?? []) this.send(line);
    this.tell();
    return last?.what ?? null;
  }
}
