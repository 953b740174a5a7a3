// The picture of the viewer in the README: node picture.mjs SCENE FILE.png BODY, with the highest point of a
// body pulled aside. scripts/viewer.sh picture sets the paths.
import { launch, openPage, pause, ready, serve, tell, until } from './driver.mjs';

const [scene, target, name] = process.argv.slice(2);
const server = await serve(scene, 0, ['--paused']);
const browser = await launch();
try {
  const page = await openPage(browser, server.address, { viewport: { width: 1280, height: 800 } });
  await ready(page);
  await tell(page, 'tint von-mises');
  await page.evaluate(() => { pliant.stage.show.shadow = false; pliant.stage.applyShow(); });
  const from = await page.evaluate((wanted) => {
    const { app, stage } = pliant, at = stage.surface.positions, up = app.scene.up;
    const body = app.scene.bodies.find((one) => one.name === wanted) ?? app.scene.bodies[0];
    let best = null, height = -Infinity;
    for (let i = body.vertices[0]; i < body.vertices[0] + body.vertices[1]; i++) {
      const point = [at[3 * i], at[3 * i + 1], at[3 * i + 2]], now = point.reduce((sum, x, k) => sum + x * up[k], 0);
      if (now > height && stage.pick(stage.project(point).x, stage.project(point).y + 6)) [best, height] = [point, now];
    }
    return stage.project(best);
  }, name);
  await page.mouse.move(from.x, from.y + 6);
  await page.mouse.down();
  for (let i = 1; i <= 8; i++) await page.mouse.move(from.x + 16 * i, from.y - 6 * i);
  await tell(page, 'step 70');
  await until(page, () => pliant.app.frame.place === 70 && !pliant.app.frame.playing);
  await page.evaluate(() => {
    const { stage } = pliant;
    document.getElementById('hint').remove();
    stage.quality.change(0); // however long it takes
    stage.quality.fixed = true;
    stage.renderer.setPixelRatio(2); // smooth edges, also where the processor draws
    stage.touch();
  });
  await page.keyboard.press('2');
  await page.waitForTimeout(2500);
  await page.screenshot({ path: target });
  await page.mouse.up();
} finally {
  await browser.close();
  await server.stop();
}
