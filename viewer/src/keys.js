// Keys, and the overlay that tells them.
import { $, el } from './dom.js';

const mouse = [
  ['Drag a body', 'pull it with a spring; let go in a swing: throw it'],
  ['X, then drag', 'push it with a sphere; wheel: in and out'],
  ['Drag elsewhere', 'turn the view'],
  ['Right drag', 'shift the view'],
  ['Wheel', 'nearer and farther'],
  ['Double-click', 'look at that point'],
  ['Shift-click', 'pin a point where it is'],
  ['Shift-Alt-click', 'free a point'],
];

// rows: [keys, what it does, function]
export function bindKeys(rows) {
  const list = $('key-list');
  list.append(el('h3', {}, 'Mouse and touch'), ...mouse.map(([a, b]) => el('div', {}, el('span', {}, a), el('span', {}, b))),
    el('h3', {}, 'Keys'), ...rows.map(([keys, text]) => el('div', {}, el('span', {}, ...keys.flatMap((key, i) => [i ? ' ' : null, el('kbd', {}, names[key] ?? key.toUpperCase())])), el('span', {}, text))));
  document.addEventListener('keydown', (event) => {
    if ((event.ctrlKey || event.metaKey ? event.key !== 'z' : event.altKey)) return;
    if (event.target.matches('input[type="number"], input[type="text"], select') && event.key !== 'Escape') return;
    if (document.querySelector('dialog[open]') && !['Escape', 'h', '?', 'g'].includes(event.key)) return;
    const row = rows.find(([keys]) => keys.includes(event.key.length === 1 ? event.key.toLowerCase() : event.key));
    if (!row) return;
    event.preventDefault();
    row[2](event);
  });
}

const names = { ' ': 'Space', ArrowRight: '→', ArrowLeft: '←', Escape: 'Esc', Home: 'Home' };
