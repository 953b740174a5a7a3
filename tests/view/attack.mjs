// Do attackers change what is simulated, or how long it takes? Two servers simulate the same steps, alone and under
// attack by turns, for so many seconds: attack.mjs [SECONDS]. Prints processor time per step of both, and compares
// the states bit by bit. Loopback only. With a second word "short" only the bits count, since times are noise then.
import { attack, Client, spent, wait } from './clients.mjs';
import { block, serve } from './driver.mjs';

const seconds = Number(process.argv[2] ?? 600), isShort = process.argv[3] === 'short';
const stride = isShort ? 10 : 100; // steps of one turn
const scene = await block();

async function open() {
  const server = await serve(scene.path, 0, ['--history', '16', '--threads', '1']), client = new Client(server.port);
  await client.opened;
  for (const line of ['pause', 'reset', 'pause']) client.send(line);
  return { server, client, steps: 0, cost: 0, wall: 0 };
}

// Whoever drives must never be parted from its server: a page that only watched would drive from then on.
const part = (one) => { throw new Error(`the page that drives was parted from its server after ${one.steps} steps`); };

// That many steps more, and what they took.
async function advance(one) {
  const before = spent(one.server.child.pid).simulating, clock = performance.now();
  one.steps += stride;
  one.client.send(`step ${stride}`);
  // several frames may come at once: the last one counts
  const isThere = (frame) => frame && !frame.playing && Math.abs(frame.time - 0.01 * one.steps) < 1e-6;
  while (!isThere(one.client.frame)) {
    await Promise.race([one.client.next(), wait(1)]);
    if (one.client.socket.destroyed) part(one);
  }
  one.cost += spent(one.server.child.pid).simulating - before;
  one.wall += performance.now() - clock;
}

async function state(one) {
  one.client.send('save');
  while (!one.client.saved) await wait(0.02);
  return one.client.saved;
}

const ms = (one, sum) => `${((1000 * sum) / one.steps).toFixed(2)} ms`;
const alone = await open(), attacked = await open();
let failed = false, orders = 0;
try {
  const end = performance.now() + 1000 * seconds;
  while (performance.now() < end) {
    await advance(alone);
    const stop = await attack(attacked.server.port);
    await advance(attacked);
    orders += stop();
  }
  const same = (await state(alone)).equals(await state(attacked)), ratio = attacked.cost / alone.cost;
  console.log(`${alone.steps} steps each of 24 000 tetrahedra in ${seconds} s, ${orders} orders of pages that only watch; ${same ? 'the same bits' : 'OTHER BITS'}`);
  console.log(`processor time of a step: alone ${ms(alone, alone.cost)}, under attack ${ms(attacked, attacked.cost)} (${(100 * (ratio - 1)).toFixed(1)} %); by the wall ${ms(alone, alone.wall / 1000)} and ${ms(attacked, attacked.wall / 1000)}`);
  failed = !same || (!isShort && ratio > 1.05);
} finally {
  for (const one of [alone, attacked]) {
    one.client.close();
    await one.server.stop();
  }
  await scene.remove();
}
process.exit(failed ? 1 : 0);
