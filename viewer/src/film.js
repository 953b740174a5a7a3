// A video in which every picture is there: the simulation waits for each, however long it takes. Picture k shows
// the first state at or after k / rate simulated seconds, times the speed.
import { webm } from './webm.js';

export const rate = 60;
const soon = () => new Promise((done) => setTimeout(done, 4));

export class Film {
  // app: { frame, state }; told: (pictures so far) after each
  constructor(app, stage, send, told) {
    Object.assign(this, { app, stage, send, told, pictures: [], ending: false, problem: null });
  }

  async record() {
    const { width, height } = this.stage.canvas, even = (x) => x - (x % 2);
    this.track = { rate, width: even(width), height: even(height), codec: 'V_VP8', pictures: this.pictures };
    this.encoder = new VideoEncoder({ output: (chunk) => this.take(chunk), error: (error) => { this.problem = error; } });
    this.encoder.configure({ codec: 'vp8', width: this.track.width, height: this.track.height, bitrate: 16e6, framerate: rate });
    this.send('pause');
    await this.settled();
    const start = this.app.frame.time, scene = this.app.frame.scene;
    for (let k = 0; !this.ending && !this.problem; k++) {
      if (!(await this.reach(start + (k * this.app.state.speed) / rate)) || this.app.frame?.scene !== scene) break;
      await this.shoot(k);
    }
    if (!this.problem) await this.encoder.flush();
    this.encoder.close();
    if (this.problem) throw this.problem;
    return webm(this.track);
  }

  take(chunk) {
    const data = new Uint8Array(chunk.byteLength);
    chunk.copyTo(data);
    this.pictures.push({ data, key: chunk.type === 'key' });
    this.told(this.pictures.length);
  }

  // Nothing moves, and the last frame is here.
  async settled() {
    while (!this.ending && !(this.app.frame && this.app.state && !this.app.frame.playing && !this.app.state.playing)) await soon();
  }

  // On to that time; false: it does not get there.
  async reach(time) {
    const { app } = this;
    while (!this.ending && app.frame && app.frame.time < time - 1e-9) {
      const before = app.frame.time, { dt } = app.state.world;
      const steps = app.state.replaying ? 1 : Math.max(1, Math.floor((time - before) / dt + 1e-6));
      this.send(`step ${Math.min(steps, 10000)}`);
      while (!this.ending && app.frame?.time === before && !this.stands) await soon();
      await this.settled();
      if (!app.frame || app.frame.time <= before) return false;
    }
    return !this.ending;
  }

  // At the end of a recorded run nothing more comes.
  get stands() { return this.app.state?.replaying && this.app.frame.place + 1 >= this.app.frame.count; }

  async shoot(k) {
    this.stage.beforeDraw();
    this.stage.draw();
    const picture = new VideoFrame(this.stage.canvas, { timestamp: Math.round((k * 1e6) / rate), duration: Math.round(1e6 / rate) });
    this.encoder.encode(picture, { keyFrame: k % rate === 0 });
    picture.close();
    while (this.encoder.encodeQueueSize > 4 && !this.problem) await soon();
  }
}
