// Small helpers for the page. Texts that come from outside only ever become text.

export const $ = (id) => document.getElementById(id);

// el('button', { class: 'x', title: 'y', onclick() {} }, 'text', child)
export function el(tag, properties = {}, ...children) {
  const node = document.createElement(tag);
  for (const [key, value] of Object.entries(properties)) {
    if (key.startsWith('on')) node.addEventListener(key.slice(2), value);
    else if (value === true) node.setAttribute(key, '');
    else if (value !== false && value != null) node.setAttribute(key, value);
  }
  node.append(...children.filter((child) => child != null));
  return node;
}

// Three or so figures, with the unit's prefix where it helps: 12300 Pa -> "12.3 kPa".
export function withUnit(value, unit) {
  if (!Number.isFinite(value)) return '–';
  const plain = unit === '1' || unit === '' || unit === 'count';
  const prefixes = [[1e9, 'G'], [1e6, 'M'], [1e3, 'k'], [1, ''], [1e-3, 'm'], [1e-6, 'µ']];
  const size = Math.abs(value) < 1e-12 ? 0 : Math.abs(value);
  if (size === 0) value = 0;
  if (plain || unit === 's' || /\^|\//.test(unit) || size === 0) return joined(figures(value), plain ? '' : unit);
  const [factor, letter] = prefixes.find(([least]) => size >= least) ?? prefixes.at(-1);
  return joined(figures(value / factor), letter + unit);
}

const joined = (number, unit) => (unit ? `${number} ${prettyUnit(unit)}` : number);

// m^3 -> m³; nothing for a pure number.
export function prettyUnit(unit) {
  return unit === '1' || unit === 'count' ? '' : unit.replace(/\^(\d)/g, (_, digit) => '⁰¹²³⁴⁵⁶⁷⁸⁹'[digit]);
}

export function figures(value, count = 3) {
  if (!Number.isFinite(value)) return '–';
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-3 || size >= 1e5)) return value.toExponential(count - 1).replace(/\.?0*e\+?/, 'e');
  return String(Number(value.toPrecision(count)));
}

// A download of text or bytes.
export function download(name, content, type) {
  const blob = content instanceof Blob ? content : new Blob([content], { type });
  const link = el('a', { href: URL.createObjectURL(blob), download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}
