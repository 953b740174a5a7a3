#!/usr/bin/env bash
# The packed npm package installs into an empty project, its types check, its examples run in node and in a bundled page: package.sh FOLDER.
set -eu
package=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tarball=$(cd "$work" && npm pack --silent "$package")
mkdir "$work/project"
cd "$work/project"
echo '{"type": "module", "private": true}' >package.json
npm install --silent --no-audit --no-fund --ignore-scripts "../$tarball"
cp node_modules/pliant/examples/bar.mjs .
node bar.mjs | tee out.txt
grep -q 'refused, as it should be' out.txt
# one file that just works
sed "s|'pliant'|'pliant/inline'|" bar.mjs >inline.mjs
node inline.mjs | cmp - out.txt
# the state is that of the command
cat >scene.mjs <<'END'
export const scene = { title: 'Bar', world: { dt: 0.01, duration: 0.1, gravity: [0, 0, -9.81] },
  material: { name: 'm', young: 1e6, poisson: 0.3, density: 1000 },
  mesh: { name: 'b', box: { size: [1, 0.25, 0.25], cells: [12, 3, 3], element: 'tet' } },
  body: { name: 'bar', mesh: 'b', material: 'm', strain: 'corotated', fix: { set: { name: 'x-min' } } } };
END
cat >export.mjs <<'END'
import { writeFileSync } from 'node:fs';
import { init, toXml } from 'pliant';
import { scene } from './scene.mjs';
writeFileSync('scene.xml', toXml(scene));
const world = (await init()).world(scene);
world.step(10);
console.log(world.hash);
END
here=$(node export.mjs)
"$PLIANT_COMMAND" run -q --no-picture -o out scene.xml
there=$(sed -n 's/.*"state_hash": "\([0-9a-f]*\)".*/\1/p' out/summary.json)
[ "$here" = "$there" ] || { echo "node ends with $here, pliant run with $there"; exit 1; }
# so is that of a scene that needs the module's second part; where that is missing it is told
cat >frames.mjs <<'END'
import { readFileSync } from 'node:fs';
import { init } from 'pliant';
const [file, rest] = process.argv.slice(2);
try {
  const world = (await init(rest ? { rest } : {})).world(readFileSync(file, 'utf8'));
  world.step(6);
  console.log(world.hash);
} catch (error) {
  console.log(`${error.name} ${error.status} ${error.message}`);
}
END
frames=$PLIANT_SOURCE/scenes/frames-bar.xml # dt = 0.01
"$PLIANT_COMMAND" run -q --no-picture -o out "$frames" --set world.duration=0.06
there_frames=$(sed -n 's/.*"state_hash": "\([0-9a-f]*\)".*/\1/p' out/summary.json)
here_frames=$(node frames.mjs "$frames")
[ "$here_frames" = "$there_frames" ] || { echo "frames: node ends with $here_frames, pliant run with $there_frames"; exit 1; }
node frames.mjs "$frames" file:///missing.wasm | grep -q '^PliantError io .*rest\.wasm' || { echo "a missing second part must be told"; exit 1; }
# and what was taken until then is given back
cat >again.mjs <<'END'
import { init } from 'pliant';
const pliant = await init({ rest: 'file:///missing.wasm' });
const scene = { world: { dt: 0.01, duration: 0.1 }, material: { name: 'm', young: 1e6, poisson: 0.3, density: 1000 },
  mesh: { name: 'b', box: { size: [1, 0.25, 0.25], cells: [32, 8, 8], element: 'tet' } },
  body: [{ name: 'bar', mesh: 'b', material: 'm' }, { name: 'frames', mesh: 'b', material: 'm', model: 'frames', frames: 5 }] };
let told = 0;
const attempt = () => { try { pliant.world(scene); } catch (error) { told += error.status === 'io'; } };
attempt();
const before = pliant.memory;
for (let i = 0; i < 200; i++) attempt();
console.log(told, pliant.memory - before);
END
found=$(node again.mjs)
[ "$found" = "201 0" ] || { echo "attempts without the second part: $found (told, bytes more), not 201 0"; exit 1; }
# browsers that make no large module while the page's own thread waits
cat >old.mjs <<'END'
import { readFileSync } from 'node:fs';
import { init } from 'pliant';
for (const name of ['Module', 'Instance']) {
  const original = WebAssembly[name];
  WebAssembly[name] = class { constructor() { throw new RangeError(`WebAssembly.${name} is disallowed on the main thread, if the buffer size is larger than 4KB.`); } };
  Object.defineProperty(WebAssembly[name], Symbol.hasInstance, { value: (one) => one instanceof original });
}
const pliant = await init(), text = readFileSync(process.argv[2], 'utf8');
try { pliant.world(text); } catch (error) { console.log(`${error.status} ${error.message}`); }
await pliant.complete();
const world = pliant.world(text);
world.step(6);
console.log(world.hash);
END
node old.mjs "$frames" >old.txt
grep -q '^io .*rest\.wasm.*pliant\.complete()' old.txt && [ "$(tail -n 1 old.txt)" = "$there_frames" ] ||
  { echo "a browser that compiles no large module while it waits must be told, and work after complete():"; cat old.txt; exit 1; }
# types
if npm install --silent --no-audit --no-fund --ignore-scripts typescript@5 >/dev/null 2>&1; then
  sed 's/^/ /' >right.ts <<'END'
import { init, type Scene } from 'pliant';
const scene: Scene = { title: 'a', world: { dt: 0.01, duration: 1 }, body: { name: 'b', mesh: 'c', material: 'd', strain: 'corotated' } };
const world = (await init()).world(scene);
const positions: Float32Array = world.surface.positions;
world.step(positions.length > 0 ? 1 : 2);
END
  sed "s/'corotated'/'corrotated'/" right.ts >wrong.ts
  options=(--noEmit --strict --target es2022 --module nodenext --moduleResolution nodenext)
  npx tsc "${options[@]}" right.ts
  ! npx tsc "${options[@]}" wrong.ts >/dev/null || { echo "a misspelt word must not pass the types"; exit 1; }
  echo "types check"
fi
node "$PLIANT_SOURCE/tests/web/bundle.mjs" "$PWD" "$here" "$here_frames"
echo "the package works: $here"
