// The face of a WebSocket in front of the worker that simulates: the page's connection does not see the difference.
export class WorkerSocket {
  constructor(worker, onOther) {
    this.readyState = 1;
    this.worker = worker;
    worker.onmessage = ({ data }) => {
      if (data.message !== undefined) this.onmessage?.({ data: data.message });
      else onOther(data);
    };
    worker.onerror = (event) => onOther({ failed: event.message || 'The worker could not be started.' });
    if (worker.broken) worker.onerror(worker.broken);
  }
  send(line) { this.worker.postMessage({ line }); }
}
