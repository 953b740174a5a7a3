// Plays a .glb in three.js and compares every frame with a .pc2 of the same run:
// node three_judge.mjs FOLDER GLB PC2, where FOLDER/node_modules holds three.
import {readFileSync} from 'node:fs';
import {pathToFileURL} from 'node:url';

const [folder, glb, pc2] = process.argv.slice(2);
globalThis.self = globalThis;
const modules = pathToFileURL(folder + '/node_modules/three/').href;
const THREE = await import(modules + 'build/three.module.js');
const {GLTFLoader} = await import(modules + 'examples/jsm/loaders/GLTFLoader.js');

const cache = readFileSync(pc2);
const points = cache.readInt32LE(16), frames = cache.readInt32LE(28);
const place = (frame, point, axis) => cache.readFloatLE(32 + 4 * (3 * (frame * points + point) + axis));

const bytes = readFileSync(glb);
const gltf = await new Promise((done, failed) =>
  new GLTFLoader().parse(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length), '',
                         done, failed));
let mesh;
gltf.scene.traverse(object => { if (object.isMesh) mesh = object; });
const mixer = new THREE.AnimationMixer(gltf.scene);
const clip = gltf.animations[0];
mixer.clipAction(clip).play();
const times = clip.tracks[0].times;
let worst = 0;
for (let frame = 0; frame < frames; frame++) {
  // the last key would begin the loop again
  mixer.setTime(frame + 1 < frames ? times[frame] : times[frame] * (1 - 1e-6));
  const at = new THREE.Vector3();
  for (let i = 0; i < points; i++) {
    mesh.getVertexPosition(i, at);
    // y is up in glTF
    worst = Math.max(worst, Math.abs(at.x - place(frame, i, 0)),
                     Math.abs(-at.z - place(frame, i, 1)), Math.abs(at.y - place(frame, i, 2)));
  }
}
console.log(`three.js ${THREE.REVISION}: ${frames} frames of ${points} points, within ${worst} m`);
process.exit(times.length === frames && worst < 1e-5 ? 0 : 1);
