// The binary messages of docs/viewer.md. Whatever does not fit is an error, never a wrong picture.

class Reader {
  constructor(buffer) {
    this.view = new DataView(buffer);
    this.at = 0;
  }
  need(bytes) {
    if (this.at + bytes > this.view.byteLength) throw new Error('a message ends too early');
    this.at += bytes;
    return this.at - bytes;
  }
  u32() { return this.view.getUint32(this.need(4), true); }
  f32() { return this.view.getFloat32(this.need(4), true); }
  f64() { return this.view.getFloat64(this.need(8), true); }
  array(type, count) {
    if (count > this.view.byteLength) throw new Error('a message counts more than it holds');
    return new type(this.view.buffer, this.need(count * type.BYTES_PER_ELEMENT), count);
  }
  vector() { return [this.f32(), this.f32(), this.f32()]; }
}

function frame(reader) {
  const message = { type: 'frame', scene: reader.u32(), number: reader.u32() };
  const flags = reader.u32();
  Object.assign(message, {
    playing: !!(flags & 1), behind: !!(flags & 2), stepped: !!(flags & 4), gauged: !!(flags & 8),
    time: reader.f64(),
  });
  const vertices = reader.u32(), tint = reader.u32(), pulls = reader.u32(), gauges = reader.u32();
  message.place = reader.u32();
  message.count = reader.u32();
  message.realTimeFactor = reader.f32();
  message.stepSeconds = reader.f32();
  const arrows = reader.u32(), locals = reader.u32(), hasTool = reader.u32(), radius = reader.f32();
  const tool = { radius, centre: reader.vector(), force: reader.vector() };
  message.tool = hasTool ? tool : null;
  const contacts = reader.u32();
  message.pulls = [];
  for (let i = 0; i < pulls; i++)
    message.pulls.push({ position: reader.vector(), target: reader.vector(), force: reader.vector() });
  message.links = message.pulls.splice(flags & 16 ? 1 : 0);
  message.gauges = reader.array(Float32Array, gauges);
  message.positions = reader.array(Float32Array, 3 * vertices);
  message.tint = tint;
  message.values = tint ? reader.array(Float32Array, vertices) : null;
  message.arrows = arrows;
  message.vectors = arrows ? reader.array(Float32Array, 3 * vertices) : null;
  message.locals = reader.array(Float32Array, 12 * locals);
  message.contacts = reader.array(Float32Array, 6 * contacts);
  message.obstacles = reader.array(Float32Array, Math.floor((reader.view.byteLength - reader.at) / 4));
  return message;
}

function geometry(reader) {
  const message = { type: 'geometry', scene: reader.u32() };
  const vertices = reader.u32(), triangles = reader.u32(), edges = reader.u32();
  message.rest = reader.array(Float32Array, 3 * vertices);
  message.triangles = reader.array(Uint32Array, 3 * triangles);
  message.edges = reader.array(Uint32Array, 2 * edges);
  message.nodes = reader.array(Uint32Array, vertices);
  message.elements = reader.array(Uint32Array, triangles);
  for (const list of [message.triangles, message.edges])
    for (const vertex of list) if (vertex >= vertices) throw new Error('a surface without some of its vertices');
  return message;
}

function textures(reader) {
  const message = { type: 'textures', scene: reader.u32(), textures: [] }, count = reader.u32();
  for (let i = 0; i < count; i++) {
    const body = reader.u32(), triangles = reader.u32(), size = reader.u32();
    const spots = reader.array(Float32Array, 6 * triangles), image = reader.array(Uint8Array, size);
    reader.need((4 - (size % 4)) % 4);
    message.textures.push({ body, triangles, spots, image });
  }
  return message;
}

function held(reader) {
  return { type: 'held', scene: reader.u32(), held: reader.array(Uint8Array, reader.u32()) };
}

function saved(reader) {
  const message = { type: 'saved', scene: reader.u32() }, xml = reader.u32(), state = reader.u32();
  message.xml = reader.array(Uint8Array, xml);
  message.state = reader.array(Uint8Array, state);
  return message;
}

function thumb(reader) {
  return { type: 'thumb', index: reader.u32(), png: reader.array(Uint8Array, reader.u32()) };
}

const kinds = { PLF1: frame, PLG1: geometry, PLU1: textures, PLH1: held, PLS1: saved, PLT1: thumb };

export function decode(data) {
  if (typeof data === 'string') return JSON.parse(data);
  const reader = new Reader(data);
  const magic = String.fromCharCode(...reader.array(Uint8Array, 4));
  if (!kinds[magic]) throw new Error(`a message of unknown kind ${magic}`);
  return kinds[magic](reader);
}
