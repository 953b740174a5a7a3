// How evenly the page draws while a body of 24 000 tetrahedra, or a cloth of 100 352 triangles, is simulated at full speed
// beside it: the times between pictures, the page's own work for each, and the way from a moved mouse to a moved vertex.
// "undrawn" leaves out the drawing that a graphics card would do. scripts/viewer.sh frames [cloth] [undrawn] [WIDTHxHEIGHT
// [THREADS]...] sets the paths.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { block, cloth, drawNothing, launch, openPage, ready, serve, tell, until } from './driver.mjs';

const words = process.argv.slice(2), takes = (word) => words[0] === word && words.shift();
const isCloth = takes('cloth'), undrawn = takes('undrawn');
const [size = '480x320', ...list] = words;
const [width, height] = size.split('x').map(Number), seconds = Number(process.env.PLIANT_SECONDS ?? 5);
const wait = (time) => new Promise((done) => setTimeout(done, 1000 * time));
const ms = (value) => `${value.toFixed(1)} ms`;

// In the page: the times between pictures over some seconds.
async function watch({ time, turns }) {
  const { app, stage } = pliant, ticks = [], before = { frames: app.frames, draws: stage.draws };
  const start = performance.now();
  stage.controls.autoRotate = turns; // a picture for every tick, whether the simulation has a new frame or not
  await new Promise((done) => {
    const tick = (now) => { ticks.push(now); if (now - start < 1000 * time) requestAnimationFrame(tick); else done(); };
    requestAnimationFrame(tick);
  });
  const passed = (performance.now() - start) / 1000, gaps = ticks.slice(1).map((now, i) => now - ticks[i]).sort((a, b) => a - b);
  const at = (part) => gaps[Math.min(gaps.length - 1, Math.floor(part * gaps.length))];
  return { rate: gaps.length / ((ticks.at(-1) - ticks[0]) / 1000), median: at(0.5), most: at(0.95), even: gaps.filter((gap) => gap < 20).length / gaps.length,
    frames: (app.frames - before.frames) / passed, draws: (stage.draws - before.draws) / passed, spent: stage.meter.spent, step: app.frame.stepSeconds,
    quality: `level ${stage.quality.level}: ${stage.quality.text()}` };
}

// In the page, from now on: when a moved hand was felt, told, answered by a frame that was simulated with it, drawn.
function listen() {
  const { app, stage, hand, connection } = pliant, ways = (window.ways = []), open = [];
  const { send } = hand, { message } = connection.handlers, { onDraw } = stage;
  hand.send = (line) => {
    if (line.startsWith('drag ')) open.push({ target: line.split(' ').slice(1).map(Number), felt: window.event?.timeStamp ?? NaN, told: performance.now() });
    send(line);
  };
  connection.handlers.message = (one) => {
    message(one);
    if (one.type !== 'frame' || !one.pulls.length) return;
    const at = open.findLastIndex(({ target }) => target.every((x, k) => Math.abs(x - one.pulls[0].target[k]) < 2e-6));
    if (at < 0) return;
    open[at].answered ??= performance.now();
    open.splice(0, at);
  };
  stage.onDraw = () => {
    onDraw();
    if (open[0]?.answered && !app.fresh) ways.push({ ...open.shift(), drawn: performance.now() });
  };
}

const middle = (list) => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)];

// A real mouse that pulls at the free end, now and then.
async function pull(page) {
  await page.evaluate(listen);
  const spot = await page.evaluate(() => {
    const { positions } = pliant.stage.surface;
    let far = 0;
    for (let i = 0; i < positions.length; i += 3) if (positions[i] > positions[far]) far = i;
    return pliant.stage.project([positions[far] - 0.08, positions[far + 1], positions[far + 2]]);
  });
  await page.mouse.move(spot.x - 4, spot.y + 4);
  await page.mouse.down();
  for (let i = 0; i < 60; i++) {
    await page.mouse.move(spot.x - 4 - (i % 9), spot.y - 10 - 2 * (i % 7));
    await wait(0.03 + 0.04 * Math.random());
  }
  await page.mouse.up();
  const ways = await page.evaluate(() => window.ways), part = (from, to) => middle(ways.map((way) => way[to] - way[from]));
  if (!ways.length) return 'no answer was seen';
  const whole = ways.map((way) => way.drawn - way.felt).sort((a, b) => a - b);
  return `mouse to vertex: median ${ms(middle(whole))}, 95 % below ${ms(whole[Math.floor(0.95 * whole.length)])}, of ${whole.length} (to the socket ${ms(part('felt', 'told'))}, to the frame ${ms(part('told', 'answered'))}, to the picture ${ms(part('answered', 'drawn'))})`;
}

// Processor seconds so far: of the simulation, of the browser with its picture of everything, of all programs.
function spent(pid) {
  const rows = execFileSync('ps', ['-eo', 'pid,ppid,cputimes,args'], { encoding: 'latin1' }).split('\n');
  const ticks = (path, from) => readFileSync(path, 'latin1').replace(/.*\) /, '').trim().split(/ +/).slice(from).map(Number);
  let browser = 0;
  for (const row of rows) {
    const id = /^ *(\d+) .*chrom/.exec(row)?.[1];
    try { if (id) browser += ticks(`/proc/${id}/stat`, 11).slice(0, 2).reduce((a, b) => a + b) / 100; } catch { /* it has ended */ }
  }
  const [user, nice, system] = ticks('/proc/stat', 1);
  return { simulation: ticks(`/proc/${pid}/stat`, 11).slice(0, 2).reduce((a, b) => a + b) / 100, browser, all: (user + nice + system) / 100 };
}

const scene = await (isCloth ? cloth : block)();
const browser = await launch();
try {
  for (const threads of list.length ? list : ['1', '2']) {
    const server = await serve(scene.path, 0, ['--history', '64', '--threads', threads]);
    const page = await openPage(browser, server.address, { viewport: { width, height } }, undrawn ? drawNothing : null);
    await ready(page);
    await tell(page, 'pace free');
    await until(page, () => pliant.app.frame.playing && pliant.app.frame.stepSeconds > 0);
    await wait(4); // until it knows what it can draw
    const before = spent(server.child.pid), clock = performance.now();
    const found = await page.evaluate(watch, { time: seconds, turns: isCloth });
    const after = spent(server.child.pid), passed = (performance.now() - clock) / 1000;
    const cores = (what) => (after[what] - before[what]) / passed;
    console.log(`${threads} thread${threads > 1 ? 's' : ' '}, ${width} x ${height}: ${found.rate.toFixed(1)} pictures/s (median ${ms(found.median)}, 95 % below ${ms(found.most)}, ${(100 * found.even).toFixed(0)} % below 20 ms), `
      + `page ${ms(found.spent)} each; ${found.draws.toFixed(0)} drawn, ${found.frames.toFixed(0)} frames/s came, a step ${ms(1000 * found.step)}; ${found.quality};\n`
      + `   cores in use: simulation ${cores('simulation').toFixed(2)}, browser ${cores('browser').toFixed(2)}, other programs ${(cores('all') - cores('simulation') - cores('browser')).toFixed(2)}`);
    if (!isCloth) console.log(`   ${await pull(page)}; 2 frames + 1 step are ${ms(33.3 + 1000 * found.step)}`);
    await page.close();
    await server.stop();
  }
} finally {
  await browser.close();
  await scene.remove();
}
