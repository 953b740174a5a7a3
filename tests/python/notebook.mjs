// notebook.mjs ADDRESS: runs the first code cell of a notebook in a real browser, finds the viewer's page in its result, and
// moves the slider of Young's modulus there: the bar must hang lower.
import path from 'node:path';
import { launch } from '../view/driver.mjs';

const [address] = process.argv.slice(2), { PLIANT_PICTURES: pictures } = process.env;
const browser = await launch();
const page = await browser.newPage({ viewport: { width: 1200, height: 1000 } });
const fail = async (text) => {
  await page.screenshot({ path: path.join(pictures, 'notebook-failed.png') });
  console.error(text);
  await browser.close();
  process.exit(1);
};
page.setDefaultTimeout(60000);
await page.goto(address);
await page.waitForFunction(() => window.Jupyter?.notebook?.kernel?.is_connected?.() && Jupyter.notebook.get_cells().length > 3);
await page.evaluate(() => Jupyter.notebook.execute_cells([1]));
const element = await page.waitForSelector('.output iframe', { timeout: 60000 }).catch(() => null);
if (!element) await fail(`no frame in the result: ${await page.evaluate(() => Jupyter.notebook.get_cell(1).output_area.element.text())}`);
const frame = await element.contentFrame();
const until = (condition, argument) => frame.waitForFunction(condition, argument, { timeout: 60000, polling: 100 });
await until(() => window.pliant?.app.frame && pliant.stage.draws > 1);

// how low the surface hangs, after it has swung for some simulated time
const lowest = async () => {
  const start = await frame.evaluate(() => pliant.app.frame.time);
  await until((from) => pliant.app.frame.time > from + 1.5 && !pliant.app.fresh, start);
  return frame.evaluate(() => {
    const at = pliant.stage.surface.positions;
    let low = Infinity;
    for (let i = 2; i < at.length; i += 3) low = Math.min(low, at[i]);
    return low;
  });
};
await frame.evaluate(() => { if (!pliant.app.state.playing) pliant.send('play'); });
const before = await lowest();
await page.screenshot({ path: path.join(pictures, 'notebook.png') });

// the slider beside the number of Young's modulus, a quarter to the left: softer by a decade
const young = () => frame.evaluate(() => pliant.app.state.materials[0].values.young);
const stiff = await young();
const moved = await frame.evaluate(() => {
  const number = document.getElementById('material.0-young');
  const slider = number?.parentElement.querySelector('input[type=range]');
  if (!slider) return false;
  slider.focus();
  slider.value = slider.value - 250;
  slider.dispatchEvent(new Event('input', { bubbles: true }));
  slider.dispatchEvent(new Event('change', { bubbles: true }));
  return true;
});
if (!moved) await fail('there is no slider of Young\'s modulus');
await until((value) => pliant.app.state.materials[0].values.young < 0.5 * value, stiff);
const after = await lowest();
await page.screenshot({ path: path.join(pictures, 'notebook-soft.png') });
console.log(`Young's modulus ${stiff} -> ${await young()} Pa: lowest point ${before.toFixed(3)} -> ${after.toFixed(3)} m`);
if (!(after < before - 0.02)) await fail('the bar does not hang lower');
await browser.close();
