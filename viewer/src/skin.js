// How bodies look: their colours under light, with a pattern over the shape at rest or a picture.
// One material for machines that can draw, one for those that cannot: light met at vertices only,
// and of bodies with a volume the outside only.
import { DoubleSide, FrontSide, MeshStandardMaterial, RepeatWrapping, ShaderMaterial, SRGBColorSpace, Texture, Vector3 } from 'three';

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
  #include <clipping_planes_pars_vertex>
  #ifdef PICTURE
  varying vec2 vSpot;
  #endif
  void main() {
    #ifdef PICTURE
    vSpot = uv;
    #endif
    vec3 toEye = normalize(eye - position), n = normal;
    if (shell && dot(n, toEye) < 0.0) n = -n;
    vec3 light = mix(ground, sky, 0.5 * dot(n, up) + 0.5) + sunlight * max(dot(n, toSun), 0.0)
      + rimlight * max(dot(n, toRim), 0.0) + lamplight * max(dot(n, toEye), 0.0);
    // as the screen wants it, here already: there are fewer vertices than pixels
    vec3 bright = color * light * 0.31831;
    vColour = mix(12.92 * bright, 1.055 * pow(bright, vec3(1.0 / 2.4)) - 0.055, step(0.0031308, bright));
    vRest = rest;
    vec4 mvPosition = viewMatrix * vec4(position, 1.0);
    #include <clipping_planes_vertex>
    gl_Position = projectionMatrix * mvPosition;
  }`;
const plainFragment = `
  varying vec3 vColour;
  uniform float opacity;
  ${patternNames}
  #include <clipping_planes_pars_fragment>
  #ifdef PICTURE
  uniform sampler2D picture;
  varying vec2 vSpot;
  #endif
  void main() {
    #include <clipping_planes_fragment>
    vec3 paint = vec3(1.0);
    #ifdef PICTURE
    paint = texture2D(picture, vSpot).rgb;
    #endif
    #ifdef PATTERN
    ${drawPattern}
    #endif
    gl_FragColor = vec4(vColour * sqrt(paint), opacity);
  }`;

function meanColour(bitmap) {
  const canvas = new OffscreenCanvas(1, 1), context = canvas.getContext('2d');
  context.imageSmoothingQuality = 'high';
  context.drawImage(bitmap, 0, 0, 1, 1);
  return `#${[...context.getImageData(0, 0, 1, 1).data.slice(0, 3)].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}

export class Skin {
  constructor() {
    this.uniforms = { pattern: { value: 0 }, cell: { value: 0.1 } };
    this.lights = Object.fromEntries(['up', 'toSun', 'toRim', 'eye', 'sky', 'ground', 'sunlight', 'rimlight', 'lamplight'].map((name) => [name, { value: new Vector3() }]));
    this.lights.shell = { value: false };
    this.bare = this.both(null);
    this.nothing = new MeshStandardMaterial({ visible: false });
    this.cut = []; // planes; what lies behind one is not drawn
    this.pictures = []; // by body: materials of their own
  }

  // What can be seen through and what cannot.
  both(picture) { return { ...this.make(picture, 1), glass: this.make(picture, 0.28) }; }

  // Both materials, with a picture or without.
  make(picture, opacity) {
    const common = { vertexColors: true, polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1, clippingPlanes: this.cut ?? [], clipShadows: true,
      transparent: opacity < 1, depthWrite: opacity === 1 };
    const rich = new MeshStandardMaterial({ ...common, roughness: 0.62, metalness: 0, side: DoubleSide, map: picture, opacity });
    rich.onBeforeCompile = (shader) => {
      Object.assign(shader.uniforms, this.uniforms);
      shader.vertexShader = shader.vertexShader.replace('#include <common>', '#include <common>\nattribute vec3 rest;\nvarying vec3 vRest;')
        .replace('#include <begin_vertex>', '#include <begin_vertex>\nvRest = rest;');
      shader.fragmentShader = shader.fragmentShader.replace('#include <common>', `#include <common>\n${patternNames}`)
        .replace('#include <color_fragment>', `#include <color_fragment>\nvec3 paint = diffuseColor.rgb;${drawPattern}\ndiffuseColor.rgb = paint;`);
    };
    const plain = new ShaderMaterial({ ...common, clipping: true, defines: picture ? { PICTURE: 1 } : {},
      uniforms: { ...this.uniforms, ...this.lights, picture: { value: picture }, opacity: { value: opacity } }, vertexShader: plainVertex, fragmentShader: plainFragment });
    return { rich, plain };
  }

  // images: [{ body, image }] in bytes; done is called for each that is there, with its mean colour.
  setPictures(images, done) {
    for (const one of this.pictures.filter(Boolean)) for (const material of [one.rich, one.plain, one.glass.rich, one.glass.plain]) material.dispose();
    const pictures = (this.pictures = []);
    for (const { body, image } of images) {
      createImageBitmap(new Blob([image]), { imageOrientation: 'flipY', premultiplyAlpha: 'none' }).then((bitmap) => {
        if (this.pictures !== pictures) return;
        const picture = new Texture(bitmap);
        Object.assign(picture, { flipY: false, colorSpace: SRGBColorSpace, wrapS: RepeatWrapping, wrapT: RepeatWrapping, anisotropy: 4, needsUpdate: true });
        pictures[body] = this.both(picture);
        this.setCut(this.cut);
        done(null, body, meanColour(bitmap));
      }, (error) => done(error));
    }
  }

  // One for each body; shown: 'shown', 'glass' or 'hidden' by body.
  materials(rich, bodies, withPictures, shown = []) {
    const kind = rich ? 'rich' : 'plain', inside = this.lights.shell.value || this.cut.length > 0;
    for (const one of this.each()) one.plain.side = inside ? DoubleSide : FrontSide;
    if (!bodies) return this.bare[kind];
    return Array.from({ length: bodies }, (_, i) => {
      const own = (withPictures && this.pictures[i]) || this.bare;
      return shown[i] === 'hidden' ? this.nothing : (shown[i] === 'glass' ? own.glass : own)[kind];
    });
  }

  setCut(planes) {
    this.cut = planes;
    for (const one of this.each()) for (const material of [one.rich, one.plain]) {
      material.clippingPlanes = planes;
      material.needsUpdate = true;
    }
  }

  each() { return [this.bare, ...this.pictures.filter(Boolean)].flatMap((one) => [one, one.glass]); }

  setPattern(name, cell) {
    this.uniforms.pattern.value = patterns.indexOf(name);
    this.uniforms.cell.value = cell;
    for (const { plain } of this.each()) {
      if ('PATTERN' in plain.defines === (name !== 'plain')) continue;
      plain.defines = { ...plain.defines };
      if (name === 'plain') delete plain.defines.PATTERN;
      else plain.defines.PATTERN = 1;
      plain.needsUpdate = true;
    }
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
