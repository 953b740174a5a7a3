// The page without a server: the viewer's page over a worker, with dropped files and links.
import { WorkerSocket } from './socket.js';

const worker = pliantWorker; // begun by the page itself, before this
const $ = (id) => document.getElementById(id);
const link = /^#s=([\w-]+)$/.exec(location.hash)?.[1];
const isOddHash = location.hash.length > 1 && !link;

const others = {
  notice: ({ notice, error }) => show(notice, error),
  busy: ({ busy, same }) => { $('busy').hidden = !busy; $('busy-text').textContent = busy ?? ''; if (same) pliant.app.ready = !!pliant.app.scene; },
  failed: ({ failed }) => { $('lost').hidden = false; $('lost-title').textContent = 'The simulation has ended'; $('lost-text').textContent = `${failed} Load this page again.`; },
  threads: ({ threads: count }) => { document.body.dataset.threads = count; },
  facts: ({ facts }) => { $('hash').hidden = false; $('hash').textContent = facts.hash; $('hash').dataset.steps = facts.steps; },
  link: ({ link: text, hash }) => {
    history.replaceState(null, '', `#s=${text}`);
    navigator.clipboard?.writeText(location.href).then(() => show(`The link is copied. It ends at the state ${hash}.`, false), () => show('The link stands in the address bar.', false));
  },
  replayed: ({ replayed }) => {
    others.facts({ facts: replayed });
    document.body.dataset.replayed = replayed.same ? 'same' : 'other';
    show(replayed.same ? `Replayed ${replayed.steps} steps to the very bits of the link: ${replayed.hash}` : `This state is ${replayed.hash}, the link's was ${replayed.expected}: the page or the scene has changed since.`, !replayed.same);
  },
};

function show(text, error) {
  const notice = document.createElement('div');
  notice.className = error ? 'notice bad' : 'notice';
  notice.textContent = text;
  $('notices').append(notice);
  setTimeout(() => notice.remove(), error ? 12000 : 6000);
}

globalThis.pliantSocket = () => new WorkerSocket(worker, (data) => { for (const key of Object.keys(others)) if (key in data) return others[key](data); });

// ---- files of one's own ----

async function take(list) {
  const files = [];
  for (const file of list) {
    if (file.size > 50 << 20) return show(`${file.name} has ${(file.size / 1048576).toFixed(0)} MB; this page takes at most 50 MB.`, true);
    files.push({ name: file.name, bytes: new Uint8Array(await file.arrayBuffer()) });
  }
  if (globalThis.pliant) pliant.app.ready = false; // another scene: the view is set again
  if (files.length) worker.postMessage({ drop: files }, files.map(({ bytes }) => bytes.buffer));
}
addEventListener('dragover', (event) => { event.preventDefault(); document.body.classList.add('dropping'); });
addEventListener('dragleave', (event) => { if (!event.relatedTarget) document.body.classList.remove('dropping'); });
addEventListener('drop', (event) => {
  event.preventDefault();
  document.body.classList.remove('dropping');
  take(event.dataTransfer.files);
});
$('own').addEventListener('click', () => $('own-file').click());
$('own-file').addEventListener('change', () => take($('own-file').files));
$('share').addEventListener('click', () => worker.postMessage({ share: true }));
addEventListener('hashchange', () => { const found = /^#s=([\w-]+)$/.exec(location.hash); if (found) worker.postMessage({ link: found[1] }); });

worker.postMessage({ begin: { link } });
if (isOddHash) show('This link is damaged: ask for it again, and copy all of it.', true);
