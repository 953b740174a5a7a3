// What the viewer costs: the simulation with and without somebody watching and attacking, the way from a moved hand
// to a moved vertex, and the page's own time for a frame. scripts/viewer.sh bench sets the paths.
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import net from 'node:net';
import { block, launch, openPage, ready, serve, tell, token, until } from './driver.mjs';

const seconds = Number(process.env.PLIANT_SECONDS ?? 5), rounds = 2;
const wait = (time) => new Promise((done) => setTimeout(done, 1000 * time));
const median = (list) => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)];
const per = (value, unit) => `${value.toFixed(value < 10 ? 2 : 1)} ${unit}`;

const scene = await block();

// ---- a client without a page ----

// One that reads and confirms frames; reads: false never takes a byte after its hello.
class Client {
  constructor(port, { reads = true } = {}) {
    this.frames = 0;
    this.waiting = [];
    this.opened = new Promise((done, failed) => {
      this.socket = net.connect(port, '127.0.0.1', () => this.socket.write(
        `GET / HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nOrigin: http://127.0.0.1:${port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n`
        + `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: pliant-view\r\nSec-WebSocket-Key: ${randomBytes(16).toString('base64')}\r\n\r\n`));
      this.socket.setNoDelay(true); // as browsers do
      this.socket.on('error', failed);
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
        for (let size; (size = whole(room)); room = room.subarray(size.end)) this.take(room.subarray(size.start, size.end));
      });
    });
  }

  send(text) {
    const body = Buffer.from(text), head = Buffer.from([0x81, 0x80 | body.length, 0, 0, 0, 0]); // a mask of zeros
    this.socket.write(Buffer.concat([head, body]));
  }

  take(message) {
    if (message.subarray(0, 4).toString('latin1') !== 'PLF1') return;
    this.frames++;
    this.send('ack');
    this.frame = { time: message.readDoubleLE(16), pulls: message.readUInt32LE(32), step: message.readFloatLE(52), target: message.readUInt32LE(32) ? message.readFloatLE(96 + 12) : NaN, size: message.length };
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
  return room.length < start + size ? null : { start, end: start + size };
}

// Simulated time now, asked by a client that leaves at once, or told to one that stays.
async function timeNow(port, stays) {
  const client = stays ?? new Client(port);
  await client.opened;
  const { time } = await client.next();
  const clock = performance.now();
  if (!stays) client.close();
  return { time, clock };
}

// Processor seconds so far: of the thread that serves (the first), and of those that simulate.
function spent(pid) {
  const out = { serving: 0, simulating: 0 };
  for (const task of readdirSync(`/proc/${pid}/task`)) {
    const words = readFileSync(`/proc/${pid}/task/${task}/stat`, 'latin1').replace(/.*\) /, '').split(' ');
    out[Number(task) === pid ? 'serving' : 'simulating'] += (Number(words[11]) + Number(words[12])) / 100;
  }
  return out;
}

// Per step over the measured seconds, in ms: by the wall, and processor time of both kinds of threads.
async function pace({ port, child }, stays, during) {
  await stays?.opened;
  const end = await during?.(port);
  await wait(0.3);
  const before = spent(child.pid), first = await timeNow(port, stays), frames = stays?.frames;
  await wait(seconds);
  const last = await timeNow(port, stays), after = spent(child.pid);
  const wall = last.clock - first.clock, steps = (last.time - first.time) / 0.01;
  const out = { wall: wall / steps, serving: (1000 * (after.serving - before.serving)) / steps, simulating: (1000 * (after.simulating - before.simulating)) / steps };
  if (stays) Object.assign(out, { rate: (1000 * (stays.frames - frames)) / wall, size: stays.frame.size });
  await end?.();
  stays?.close();
  return out;
}

// ---- what happens meanwhile ----

// 100 connections that stay, and come again when they are dropped; one page that never reads; rubbish.
async function attack(port) {
  let running = true;
  const sockets = new Set();
  const connect = (text) => {
    if (!running) return;
    const socket = net.connect(port, '127.0.0.1', () => text && socket.write(text));
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => { sockets.delete(socket); setTimeout(() => connect(text), 200); });
    socket.resume();
  };
  const rubbish = ['', 'GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n', 'GET / HTTP/1.1\r\n', '\x00\xff'.repeat(2000), `GET /${'a'.repeat(5000)} HTTP/1.1\r\n\r\n`];
  for (let i = 0; i < 100; i++) connect(rubbish[i % rubbish.length]);
  const deaf = new Client(port, { reads: false });
  deaf.opened.catch(() => {});
  await wait(0.2);
  return () => { running = false; for (const socket of sockets) socket.destroy(); deaf.close(); };
}

// ---- the measurements ----

const server = await serve(scene.path, 0, ['--history', '64', '--threads', process.env.PLIANT_THREADS ?? '0']);
let browser;
try {
  const client = new Client(server.port);
  await client.opened;
  client.send('pace free');
  while (!((await client.next()).step > 0 && client.frame.time > 0.3));

  // from a moved hand to a frame that was simulated with it
  client.send('grab 10 0.3 0.3');
  const ways = [], steps = [];
  for (let i = 0; i < 40; i++) {
    const start = performance.now(), target = i % 2 ? 0.06 : 0.05;
    client.send(`drag ${target} 0 0`);
    // a step follows each command before the next frame
    while (Math.abs((await client.next()).target - target) > 1e-6 && performance.now() - start < 5000);
    ways.push(performance.now() - start);
    steps.push(1000 * client.frame.step);
    await wait(0.02);
  }
  client.send('drop');
  client.close();
  await wait(0.2);

  const rows = { 'nobody watches': [], 'one page watches': [], 'and an attack': [] };
  for (let round = 0; round < rounds; round++) {
    rows['nobody watches'].push(await pace(server));
    rows['one page watches'].push(await pace(server, new Client(server.port)));
    rows['and an attack'].push(await pace(server, new Client(server.port), attack));
  }
  const base = Math.min(...rows['nobody watches'].map((row) => row.simulating));
  console.log('per step                 wall  processor: simulation    server   stream');
  for (const [name, list] of Object.entries(rows)) {
    const best = list.reduce((a, b) => (a.simulating < b.simulating ? a : b));
    console.log(`${name.padEnd(18)} ${best.wall.toFixed(2).padStart(7)} ms  ${best.simulating.toFixed(2).padStart(8)} ms ${(100 * (best.simulating / base - 1)).toFixed(1).padStart(5)} % ${best.serving.toFixed(3).padStart(7)} ms = ${((100 * best.serving) / best.simulating).toFixed(1)} %`
      + (best.rate ? `   ${best.rate.toFixed(0)} frames/s of ${(best.size / 1024).toFixed(0)} KiB` : ''));
  }
  console.log(`hand to frame                  median ${per(median(ways), 'ms')}, worst ${per(Math.max(...ways), 'ms')}; 2 frames + 1 step are ${per(33.3 + median(steps), 'ms')}`);

  // the page: its own work for a frame, without the drawing that a graphics card would do
  browser = await launch();
  const page = await openPage(browser, server.address, { viewport: { width: 480, height: 320 } }, () => {
    for (const name of ['drawElements', 'drawArrays', 'drawElementsInstanced', 'clear']) WebGL2RenderingContext.prototype[name] = () => {};
  });
  await ready(page);
  await tell(page, 'drive');
  await tell(page, 'tint von-mises');
  await wait(1);
  const before = await page.evaluate(() => ({ frames: pliant.app.frames, draws: pliant.stage.draws, clock: performance.now() }));
  await wait(seconds);
  const after = await page.evaluate(() => ({ frames: pliant.app.frames, draws: pliant.stage.draws, clock: performance.now(), spent: pliant.stage.meter.spent }));
  const passed = (after.clock - before.clock) / 1000;
  console.log(`the page, no graphics card     ${per(after.spent, 'ms')} of 16.7 ms for a frame with colours; ${((after.frames - before.frames) / passed).toFixed(0)} frames and ${((after.draws - before.draws) / passed).toFixed(0)} pictures per second`);

  // the same way, to the page's geometry
  await until(page, () => pliant.app.frame.playing);
  const seen = await page.evaluate(async () => {
    const out = [];
    pliant.send('grab 10 0.3 0.3');
    await new Promise((done) => setTimeout(done, 300));
    for (let i = 0; i < 40; i++) {
      const target = i % 2 ? 0.06 : 0.05, start = performance.now();
      pliant.send(`drag ${target} 0 0`);
      await new Promise((done) => {
        const look = () => (Math.abs((pliant.app.frame.pulls[0]?.target[0] ?? 0) - target) < 1e-6 || performance.now() - start > 2000 ? done() : requestAnimationFrame(look));
        look();
      });
      out.push(performance.now() - start);
    }
    pliant.send('drop');
    return out;
  });
  console.log(`hand to picture in the page    median ${per(median(seen), 'ms')}, worst ${per(Math.max(...seen), 'ms')}`);
} finally {
  await browser?.close();
  await server.stop();
  await scene.remove();
}
