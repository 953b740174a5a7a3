// The WebSocket to the server that this page came from: says hello, confirms frames, tries again
// when it is lost. A page without a server hands in another socket (viewer/site).
import { decode } from './messages.js';

export class Connection {
  // handlers: message(m), open(), lost({ wrongToken, full }), malformed(error)
  constructor(token, handlers) {
    this.token = token;
    this.handlers = handlers;
    this.wait = 300;
    this.connect();
  }

  connect() {
    const socket = globalThis.pliantSocket?.() ?? new WebSocket(`ws://${location.host}/`, 'pliant-view');
    socket.binaryType = 'arraybuffer';
    socket.onopen = () => socket.send(`hello ${this.token}`);
    socket.onmessage = (event) => this.receive(event.data);
    socket.onclose = (event) => this.closed(event);
    this.socket = socket;
    this.greeted = false;
  }

  receive(data) {
    if (!this.greeted) {
      this.greeted = true;
      this.wait = 300;
      this.handlers.open();
    }
    let message = null;
    try {
      message = decode(data);
      this.handlers.message(message);
    } catch (error) {
      this.handlers.malformed(error);
    }
    // also where it could not be shown: the server waits for it
    if (message?.type === 'frame') this.send('ack');
  }

  closed(event) {
    const wrongToken = event.code === 1008 && event.reason === 'token';
    this.handlers.lost({ wrongToken, full: event.reason === 'too many pages' });
    setTimeout(() => this.connect(), wrongToken ? 3000 : this.wait);
    this.wait = Math.min(2 * this.wait, 2000);
  }

  send(line) {
    if (this.socket.readyState === 1) this.socket.send(line);
  }
}
