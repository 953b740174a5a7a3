// Asks Khronos' validator about .glb files: node gltf_judge.mjs MODULES FILE...
import {createRequire} from 'node:module';
import {readFileSync} from 'node:fs';

const [modules, ...files] = process.argv.slice(2);
const validator = createRequire(modules + '/x.js')('gltf-validator');
let failures = 0;
for (const file of files) {
  const report = await validator.validateBytes(new Uint8Array(readFileSync(file)));
  const {numErrors, numWarnings, messages} = report.issues;
  const info = report.info;
  console.log(`${file.split('/').pop()}: ${numErrors} errors, ${numWarnings} warnings, ` +
              `${info.totalVertexCount} points, ${info.totalTriangleCount} triangles, ` +
              `morph targets: ${info.hasMorphTargets}, animations: ${info.animationCount}`);
  if (numErrors || numWarnings) {
    failures++;
    for (const message of messages.slice(0, 20)) console.log('  ', JSON.stringify(message));
  }
}
process.exit(failures ? 1 : 0);
