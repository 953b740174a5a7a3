// How bodies look: their colours under light, with a pattern over the shape at rest or a picture.
// One material for machines that can draw, one for those that cannot: light met at vertices only,
// and of bodies with a volume the outside only.
import { DoubleSide, FrontSide, MeshStandardMaterial, ShaderMaterial, Vector3 } from 'three';

export const patterns = ['plain', 'checks', 'stripes', 'lines'];

// Darkens a colour "paint" where the pattern is dark; the places at rest are vRest.
const drawPattern = `
  if (pattern > 0) {
    vec3 at = vRest / cell + 0.377, blur = max(fwidth(at), 1e-4);
    vec3 wave = clamp((abs(fract(at * 0.5) - 0.5) - 0.25) / (0.5 * blur), -1.0, 1.0);
    vec3 line = 1.0 - smoothstep(vec3(0.03), vec3(0.03) + blur, 0.5 - abs(fract(at) - 0.5));
    float dark = pattern == 1 ? 0.5 - 0.5 * wave.x * wave.y * wave.z : pattern == 2 ? 0.5 - 0.5 * wave.x : max(line.x, max(line.y, line.z));
    paint *= mix(1.0, pattern == 3 ? 0.35 : 0.55, dark);
  }`;
const patternNames = 'varying vec3 vRest;\nuniform int pattern;\nuniform float cell;\n';

const plainVertex = `
  attribute vec3 rest;
  varying vec3 vRest, vColour;
  uniform vec3 up, toSun, toRim, eye, sky, ground, sunlight, rimlight, lamplight;
  uniform bool shell;
  void main() {
    vec3 toEye = normalize(eye - position), n = normal;
    if (shell && dot(n, toEye) < 0.0) n = -n;
    vec3 light = mix(ground, sky, 0.5 * dot(n, up) + 0.5) + sunlight * max(dot(n, toSun), 0.0)
      + rimlight * max(dot(n, toRim), 0.0) + lamplight * max(dot(n, toEye), 0.0);
    // as the screen wants it, here already: there are fewer vertices than pixels
    vec3 bright = color * light * 0.31831;
    vColour = mix(12.92 * bright, 1.055 * pow(bright, vec3(1.0 / 2.4)) - 0.055, step(0.0031308, bright));
    vRest = rest;
    gl_Position = projectionMatrix * viewMatrix * vec4(position, 1.0);
  }`;
const plainFragment = `
  varying vec3 vColour;
  ${patternNames}
  void main() {
    vec3 paint = vec3(1.0);
    #ifdef PATTERN
    ${drawPattern}
    #endif
    gl_FragColor = vec4(vColour * sqrt(paint), 1.0);
  }`;

export class Skin {
  constructor() {
    const common = { vertexColors: true, polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1 };
    this.uniforms = { pattern: { value: 0 }, cell: { value: 0.1 } };
    this.rich = new MeshStandardMaterial({ ...common, roughness: 0.62, metalness: 0, side: DoubleSide });
    this.rich.onBeforeCompile = (shader) => {
      Object.assign(shader.uniforms, this.uniforms);
      shader.vertexShader = shader.vertexShader.replace('#include <common>', '#include <common>\nattribute vec3 rest;\nvarying vec3 vRest;')
        .replace('#include <begin_vertex>', '#include <begin_vertex>\nvRest = rest;');
      shader.fragmentShader = shader.fragmentShader.replace('#include <common>', `#include <common>\n${patternNames}`)
        .replace('#include <color_fragment>', `#include <color_fragment>\nvec3 paint = diffuseColor.rgb;${drawPattern}\ndiffuseColor.rgb = paint;`);
    };
    this.lights = Object.fromEntries(['up', 'toSun', 'toRim', 'eye', 'sky', 'ground', 'sunlight', 'rimlight', 'lamplight'].map((name) => [name, { value: new Vector3() }]));
    this.lights.shell = { value: false };
    this.plain = new ShaderMaterial({ ...common, uniforms: { ...this.uniforms, ...this.lights }, vertexShader: plainVertex, fragmentShader: plainFragment });
  }

  setShell(shell) {
    this.lights.shell.value = shell;
    this.plain.side = shell ? DoubleSide : FrontSide;
  }

  setPattern(name, cell) {
    this.uniforms.pattern.value = patterns.indexOf(name);
    const defines = name === 'plain' ? {} : { PATTERN: 1 };
    if ('PATTERN' in defines !== 'PATTERN' in this.plain.defines) {
      this.plain.defines = defines;
      this.plain.needsUpdate = true;
    }
    this.uniforms.cell.value = cell;
  }

  // The stage's lights as the plain material knows them.
  light({ sky, sun, rim, lamp, upAxis, camera }) {
    const { lights } = this, way = (light) => light.position.clone().sub(light.target.position).normalize();
    const bright = (name, colour, intensity) => lights[name].value.set(colour.r, colour.g, colour.b).multiplyScalar(intensity);
    if (upAxis) lights.up.value.copy(upAxis);
    lights.toSun.value.copy(way(sun));
    lights.toRim.value.copy(way(rim));
    lights.eye.value.copy(camera.position);
    bright('sky', sky.color, sky.intensity);
    bright('ground', sky.groundColor, sky.intensity);
    bright('sunlight', sun.color, sun.intensity);
    bright('rimlight', rim.color, rim.intensity);
    bright('lamplight', lamp.color, lamp.intensity);
  }
}
