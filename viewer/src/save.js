// What can be taken away: a picture, a video, the surface, the charts.
import { $, download } from './dom.js';
import { Film, rate } from './film.js';

const filmText = `Start video, every picture (${rate}/s)`;

export class Save {
  constructor(app, stage, charts, send, name) {
    this.app = app;
    this.stage = stage;
    this.charts = charts;
    this.send = send;
    this.name = name; // () => file name without ending
    $('save').addEventListener('click', () => { $('saving').hidden = !$('saving').hidden; });
    document.addEventListener('pointerdown', (event) => {
      if (!$('saving').contains(event.target) && !$('save').contains(event.target)) $('saving').hidden = true;
    });
    for (const button of document.querySelectorAll('[data-save]'))
      button.addEventListener('click', () => { $('saving').hidden = true; this[button.dataset.save](); });
  }

  picture() {
    this.stage.draw();
    this.stage.canvas.toBlob((blob) => blob && download(`${this.name()}.png`, blob));
  }

  mesh() {
    if (this.stage.surface) download(`${this.name()}.obj`, this.stage.surface.toObj(this.name()), 'text/plain');
  }

  // The server writes the files; they come as a message, to all pages.
  state() {
    this.wanted = true;
    this.send('save');
  }

  files({ xml, state }) {
    if (!this.wanted) return;
    this.wanted = false;
    download(`${this.name()}-state.xml`, new Blob([xml], { type: 'application/xml' }));
    setTimeout(() => download(`${this.name()}-state.plr`, new Blob([state], { type: 'application/octet-stream' })), 200);
  }

  table() {
    download(`${this.name()}.csv`, this.charts.toCsv(), 'text/csv');
  }

  // Starts, and ends what was started.
  video() {
    const text = document.querySelector('[data-save="video"] span');
    if (this.recorder) {
      this.recorder.stop();
      return;
    }
    const parts = [], recorder = new MediaRecorder(this.stage.canvas.captureStream(60), { mimeType: 'video/webm', videoBitsPerSecond: 12e6 });
    recorder.ondataavailable = (event) => parts.push(event.data);
    recorder.onstop = () => {
      download(`${this.name()}.webm`, new Blob(parts, { type: 'video/webm' }));
      this.recorder = null;
      text.textContent = 'Start video (WebM)';
      document.body.classList.remove('filming');
    };
    recorder.start(500);
    this.recorder = recorder;
    text.textContent = 'End video';
    document.body.classList.add('filming');
  }

  // Starts, and ends what was started: a video for which the simulation waits.
  async film() {
    const text = document.querySelector('[data-save="film"] span');
    if (this.filming) {
      this.filming.ending = true;
      return;
    }
    if (!('VideoEncoder' in window)) {
      this.onProblem('This browser cannot encode a video picture by picture; take Chromium, or “pliant run”, which writes pictures.');
      return;
    }
    const told = (count) => { text.textContent = `End video (${(count / rate).toFixed(1)} s)`; $('filming').lastElementChild.textContent = `${(count / rate).toFixed(1)} s`; };
    this.filming = new Film(this.app, this.stage, this.send, told);
    told(0);
    document.body.classList.add('filming');
    $('filming').hidden = false;
    try {
      download(`${this.name()}.webm`, await this.filming.record());
    } catch (error) {
      this.onProblem(`The video could not be made: ${error.message}`);
    }
    this.filming = null;
    $('filming').hidden = true;
    document.body.classList.remove('filming');
    text.textContent = filmText;
  }
}
