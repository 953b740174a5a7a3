// Clients without a page, for measurements: one that reads or does not, and many that attack. Loopback only.
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import net from 'node:net';
import { token } from './driver.mjs';

export const wait = (time) => new Promise((done) => setTimeout(done, 1000 * time));

// kinds of WebSocket messages
const TEXT = 1, PING = 9, PONG = 10;

// One that reads, confirms frames and answers pings as browsers do; reads: false never takes a byte after its hello.
export class Client {
  constructor(port, { reads = true } = {}) {
    this.frames = 0;
    this.waiting = [];
    this.opened = new Promise((done, failed) => {
      this.socket = net.connect(port, '127.0.0.1', () => this.socket.write(
        `GET / HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nOrigin: http://127.0.0.1:${port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n`
        + `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: pliant-view\r\nSec-WebSocket-Key: ${randomBytes(16).toString('base64')}\r\n\r\n`));
      this.socket.setNoDelay(true); // as browsers do
      this.socket.on('error', failed);
      this.socket.on('close', () => failed(new Error('the server has closed the connection')));
      let room = Buffer.alloc(0), greeted = false;
      this.socket.on('data', (data) => {
        room = Buffer.concat([room, data]);
        if (!greeted) {
          const end = room.indexOf('\r\n\r\n');
          if (end < 0) return;
          greeted = true;
          room = room.subarray(end + 4);
          this.send(`hello ${token}`);
          if (!reads) this.socket.pause();
          done();
        }
        for (let size; (size = whole(room)); room = room.subarray(size.end)) {
          if (size.kind === PING) this.write(PONG, room.subarray(size.start, size.end));
          else this.take(room.subarray(size.start, size.end));
        }
      });
    });
  }

  send(text) { this.write(TEXT, Buffer.from(text)); }

  write(kind, body) {
    const head = Buffer.from([0x80 | kind, 0x80 | body.length, 0, 0, 0, 0]); // a mask of zeros
    this.socket.write(Buffer.concat([head, body]));
  }

  take(message) {
    const kind = message.subarray(0, 4).toString('latin1');
    if (kind === 'PLS1') this.saved = Buffer.from(message.subarray(16));
    if (kind !== 'PLF1') return;
    this.frames++;
    this.send('ack');
    this.frame = { time: message.readDoubleLE(16), pulls: message.readUInt32LE(32), step: message.readFloatLE(52), playing: message.readUInt32LE(12) & 1, target: message.readUInt32LE(32) ? message.readFloatLE(100 + 12) : NaN, size: message.length };
    for (const resolve of this.waiting.splice(0)) resolve(this.frame);
  }

  next() { return new Promise((done) => this.waiting.push(done)); }
  close() { this.socket.destroy(); }
}

// Where a whole message begins and ends, if it is there.
function whole(room) {
  if (room.length < 2) return null;
  const short = room[1] & 0x7f, start = short === 126 ? 4 : short === 127 ? 10 : 2;
  if (room.length < start) return null;
  const size = short === 126 ? room.readUInt16BE(2) : short === 127 ? Number(room.readBigUInt64BE(2)) : short;
  return room.length < start + size ? null : { kind: room[0] & 15, start, end: start + size };
}

// Processor seconds so far: of the thread that serves (the first), and of those that simulate.
export function spent(pid) {
  const out = { serving: 0, simulating: 0 };
  for (const task of readdirSync(`/proc/${pid}/task`)) {
    const words = readFileSync(`/proc/${pid}/task/${task}/stat`, 'latin1').replace(/.*\) /, '').split(' ');
    out[Number(task) === pid ? 'serving' : 'simulating'] += (Number(words[11]) + Number(words[12])) / 100;
  }
  return out;
}

// What a page that only watches may not do.
const orders = ['set world gravity 0 0 99', 'reset', 'pause', 'step 1000', 'back 5', 'seek 0', 'open 0', 'live', 'save', 'gallery', 'grab 0 0.3 0.3', 'throw 9 9 9',
  'push 0 0 0 1', 'pin 0 0.3 0.3', 'choose integrator rk4', 'set material.0 young 1', 'speed 0', 'tint strain', 'contacts 1', 'ack'];
// What ends a connection: text that is no command, a number out of range, a long one, a frame without a mask, a piece of one.
const frame = (first, text, mask = 0x80) => Buffer.concat([Buffer.from(text.length < 126 ? [first, mask | text.length]
  : [first, mask | 126, text.length >> 8, text.length & 255]), Buffer.alloc(mask ? 4 : 0), Buffer.from(text)]);
const insults = [frame(0x81, 'format c:'), frame(0x81, 'step 1e99'), frame(0x81, `tint ${'x'.repeat(600)}`), frame(0x81, 'reset', 0), frame(0x01, 'res'),
  frame(0x89, 'ping'.repeat(20)), frame(0x82, '\0\x01\x02'), frame(0x81, 'hello 00000000000000000000000000000000')];

// 100 connections that stay, and come again when they are dropped; one page that never reads; rubbish before and behind the
// handshake; three pages that watch and send what only the one that drives may, 500 times a second.
export async function attack(port) {
  let running = true;
  const sockets = new Set(), watchers = [];
  const connect = (text) => {
    if (!running) return;
    const socket = net.connect(port, '127.0.0.1', () => text && socket.write(text));
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => { sockets.delete(socket); setTimeout(() => connect(text), 200); });
    socket.resume();
  };
  const rubbish = ['', 'GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n', 'GET / HTTP/1.1\r\n', '\x00\xff'.repeat(2000), `GET /${'a'.repeat(5000)} HTTP/1.1\r\n\r\n`];
  const watch = () => {
    if (!running) return null;
    const one = new Client(port);
    sockets.add(one.socket); // on its way as well when the attack ends
    const opened = one.opened.then(() => watchers.push(one)).catch(() => {});
    one.socket.on('close', () => { sockets.delete(one.socket); watchers.splice(0, watchers.length, ...watchers.filter((other) => other !== one)); setTimeout(watch, 200); });
    return opened;
  };
  // while there are places
  const deaf = new Client(port, { reads: false });
  await Promise.all([deaf.opened.catch(() => {}), watch(), watch(), watch()]);
  for (let i = 0; i < 100; i++) connect(rubbish[i % rubbish.length]);
  let count = 0;
  const timer = setInterval(() => {
    for (const one of watchers) for (let i = 0; i < 5; i++) one.send(orders[count++ % orders.length]);
    if (count % 1000 < 15 && watchers.length) watchers[0].socket.write(insults[Math.floor(count / 1000) % insults.length]);
  }, 10);
  await wait(0.2);
  return () => {
    running = false;
    clearInterval(timer);
    for (const socket of sockets) socket.destroy();
    deaf.close();
    return count;
  };
}
