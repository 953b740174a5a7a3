// What the viewer costs: the simulation with and without somebody watching and attacking, the way from a moved hand
// to a moved vertex, and the page's own time for a frame. scripts/viewer.sh bench sets the paths.
import { attack, Client, spent, wait } from './clients.mjs';
import { block, drawNothing, launch, openPage, ready, serve, tell, until } from './driver.mjs';

const seconds = Number(process.env.PLIANT_SECONDS ?? 5), rounds = 2;
const median = (list) => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)];
const per = (value, unit) => `${value.toFixed(value < 10 ? 2 : 1)} ${unit}`;

const scene = await block();

// Simulated time now, asked by a client that leaves at once, or told to one that stays.
async function timeNow(port, stays) {
  const client = stays ?? new Client(port);
  await client.opened;
  const { time } = await client.next();
  const clock = performance.now();
  if (!stays) client.close();
  return { time, clock };
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
  const page = await openPage(browser, server.address, { viewport: { width: 480, height: 320 } }, drawNothing);
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
