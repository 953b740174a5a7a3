// Encoded pictures as a WebM file (Matroska, RFC 9559). One tick of its clock is one picture, so that all have
// exactly the same length.

const id = { ebml: 0x1a45dfa3, version: 0x4286, readVersion: 0x42f7, idLength: 0x42f2, sizeLength: 0x42f3, docType: 0x4282, docVersion: 0x4287, docReadVersion: 0x4285,
  segment: 0x18538067, info: 0x1549a966, tick: 0x2ad7b1, duration: 0x4489, muxer: 0x4d80, writer: 0x5741,
  tracks: 0x1654ae6b, track: 0xae, number: 0xd7, uid: 0x73c5, type: 0x83, codec: 0x86, frameTime: 0x23e383, video: 0xe0, width: 0xb0, height: 0xba,
  cluster: 0x1f43b675, timestamp: 0xe7, block: 0xa3 };

function bytesOf(value) {
  const out = [];
  for (let rest = value; rest > 0 || !out.length; rest = Math.floor(rest / 256)) out.unshift(rest % 256);
  return out;
}

const text = (string) => [...string].map((letter) => letter.charCodeAt(0));
const float = (value) => [...new Uint8Array(new Float64Array([value]).buffer)].reverse();

// Eight bytes of size, so that no size is too large.
function size(length) {
  const bytes = bytesOf(length);
  return [1, ...Array(7 - bytes.length).fill(0), ...bytes];
}

// An element: its content is a number, or a list of bytes, arrays of bytes and elements.
function element(name, content) {
  const parts = typeof content === 'number' ? [Uint8Array.from(bytesOf(content))] : content.every((one) => typeof one === 'number') ? [Uint8Array.from(content)] : content.flat(Infinity);
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  return [Uint8Array.from([...bytesOf(id[name]), ...size(length)]), ...parts];
}

function head(track) {
  return [
    element('ebml', [element('version', 1), element('readVersion', 1), element('idLength', 4), element('sizeLength', 8), element('docType', text('webm')), element('docVersion', 2), element('docReadVersion', 2)]),
  ].concat([element('segment', [
    element('info', [element('tick', Math.round(1e9 / track.rate)), element('duration', float(track.pictures.length)), element('muxer', text('pliant')), element('writer', text('pliant'))]),
    element('tracks', [element('track', [element('number', 1), element('uid', 1), element('type', 1), element('codec', text(track.codec)), element('frameTime', Math.round(1e9 / track.rate)),
      element('video', [element('width', track.width), element('height', track.height)])])]),
    ...clusters(track.pictures)])]);
}

// Each begins with a picture that needs no other.
function clusters(pictures) {
  const out = [];
  pictures.forEach(({ data, key }, k) => {
    if (key || !out.length) out.push({ first: k, blocks: [] });
    const { first, blocks } = out.at(-1);
    blocks.push(element('block', [Uint8Array.from([0x81, (k - first) >> 8, (k - first) & 255, key ? 0x80 : 0]), data]));
  });
  return out.map(({ first, blocks }) => element('cluster', [element('timestamp', first), ...blocks]));
}

// track: { rate, width, height, codec: 'V_VP8', pictures: [{ data, key }] }
export const webm = (track) => new Blob(head(track).flat(Infinity), { type: 'video/webm' });
