// A bar that bends under its own weight, saved and gone on with: node examples/bar.mjs
import { init, PliantError } from 'pliant';

const pliant = await init();
export const scene = {
  title: 'Bar',
  world: { dt: 0.01, duration: 1, gravity: [0, 0, -9.81] },
  material: { name: 'rubber', young: 1e6, poisson: 0.3, density: 1000 },
  mesh: { name: 'bar', box: { size: [1, 0.25, 0.25], cells: [12, 3, 3], element: 'tet' } },
  body: { name: 'bar', mesh: 'bar', material: 'rubber', strain: 'corotated', fix: { set: { name: 'x-min' } } },
};
const world = pliant.world(scene);
world.step(20);
const tip = Math.min(...world.surface.positions.filter((_, i) => i % 3 === 2));
console.log(`after ${world.time.toFixed(2)} s the tip has sunk to ${tip.toFixed(4)} m; state ${world.hash}`);

const saved = world.save();
world.step(5);
const later = world.hash;
world.load(saved);
world.step(5);
if (world.hash !== later) throw new Error('a run must go on with the same bits');

const pull = world.grab(0, 1 / 3, 1 / 3, { stiffness: 500 });
const [x, y, z] = pull.position;
pull.to(x, y, z + 0.2);
world.step(3);
console.log(`a pull of ${Math.hypot(...pull.force).toFixed(1)} N`);
pull.release();
world.dispose();

try {
  pliant.world({ ...scene, material: { ...scene.material, poisson: 0.7 } });
  throw new Error('a Poisson ratio of 0.7 must be refused');
} catch (error) {
  if (!(error instanceof PliantError)) throw error;
  console.log(`refused, as it should be: ${error.message} (line ${error.line})`);
}
