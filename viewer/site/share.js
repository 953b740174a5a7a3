// A scene and what was done to it as a part of an address: JSON, deflated, base64url.
const through = async (bytes, stream) => new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());

export const toBase64 = (bytes) => {
  let text = '';
  for (let i = 0; i < bytes.length; i += 0x8000) text += String.fromCharCode(...bytes.subarray(i, i + 0x8000));
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
};
export const fromBase64 = (text) => Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (c) => c.charCodeAt(0));

const mostBytes = 4 << 20; // of a link when it is unpacked

export async function pack(story) {
  return toBase64(await through(new TextEncoder().encode(JSON.stringify(story)), new CompressionStream('deflate-raw')));
}

// { scene or gallery, files, commands: [[step, line]], steps, hash }; throws a sentence.
export async function unpack(text) {
  let story;
  try {
    const bytes = await through(fromBase64(text), new DecompressionStream('deflate-raw'));
    if (bytes.length > mostBytes) throw new Error('too large');
    story = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw new Error('This link is damaged: ask for it again, and copy all of it.');
  }
  const isList = Array.isArray(story?.commands) && story.commands.length < 1e5 &&
    story.commands.every((one) => Number.isInteger(one?.[0]) && one[0] >= 0 && typeof one[1] === 'string' && one[1].length < 500);
  if (!isList || !Number.isInteger(story.steps) || story.steps < 0 || story.steps > 1e6 || (typeof story.scene !== 'string' && typeof story.gallery !== 'string'))
    throw new Error('This link does not hold a scene of this page: ask for it again.');
  return story;
}
