// Elements from plain calls. Every text becomes a text node: nothing that a table holds is ever parsed as markup.
const SVG = "http://www.w3.org/2000/svg";

function fill(element, props, children) {
  for (const [name, value] of Object.entries(props || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "class") element.setAttribute("class", value);
    else if (name === "style") for (const [key, one] of Object.entries(value)) element.style.setProperty(key, one);
    else if (name === "value" || name === "checked" || name === "disabled" || name === "selected"
      || name === "indeterminate") element[name] = value;
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...flat(children));
  return element;
}

function flat(children) {
  return children.flat(Infinity).filter((one) => one !== null && one !== undefined && one !== false)
    .map((one) => (one instanceof Node ? one : document.createTextNode(String(one))));
}

export function h(tag, props, ...children) {
  return fill(document.createElement(tag), props, children);
}

export function s(tag, props, ...children) {
  return fill(document.createElementNS(SVG, tag), props, children);
}

// Put new children in place of the old ones. Who had the keyboard keeps it, found again by data-key;
// so does the place of the caret.
export function replace(parent, ...children) {
  const active = parent.getRootNode().activeElement;
  const inside = active && active !== parent && parent.contains(active);
  const key = inside ? active.getAttribute("data-key") : null;
  const path = inside && key === null ? pathTo(parent, active) : null;
  const caret = key && "selectionStart" in active && typeof active.selectionStart === "number"
    ? [active.selectionStart, active.selectionEnd] : null;
  parent.replaceChildren(...flat(children));
  if (!inside) return;
  const again = key === null ? path.reduce((node, k) => node && node.children[k], parent)
    : parent.querySelector(`[data-key="${CSS.escape(key)}"]`);
  if (!again || again.tagName !== active.tagName) return;
  again.focus({ preventScroll: true });
  if (caret && again.setSelectionRange && again.type !== "number") {
    try { again.setSelectionRange(...caret); } catch { /* not every kind of field has a caret */ }
  }
}

function pathTo(parent, element) {
  const path = [];
  for (let node = element; node !== parent;
    node = node.parentElement) path.unshift([...node.parentElement.children].indexOf(node));
  return path;
}

// Draw again soon, but never between the press and the release of a button: the click would be lost.
let isDown = false, release = null;
const waiting = new Set();

function released() {
  clearTimeout(release);
  isDown = false;
  const calls = [...waiting];
  waiting.clear();
  calls.forEach((call) => call());
}

window.addEventListener("pointerdown", () => {
  isDown = true;
  clearTimeout(release);
  release = setTimeout(released, 3000); // a release outside the window is never heard of
}, true);
for (const name of ["pointerup", "pointercancel", "dragend"]) window.addEventListener(name,
  () => setTimeout(released, 0), true);
window.addEventListener("change", (event) => { if (event.target instanceof HTMLSelectElement) setTimeout(released,
      0); }, true);

export function soon(draw) {
  let due = false;
  const call = () => { due = false; draw(); };
  return () => {
    if (due) return;
    due = true;
    if (isDown) waiting.add(call); else setTimeout(call, 0);
  };
}

// The entries of a legend: the class of a mark and its text.
export function legend(...entries) {
  return h("p", { class: "legend" },
    entries.map(([kind, text]) => h("span", {}, h("span", { class: `key ${kind}` }), text)));
}

let counter = 0;
export function id(prefix = "s") {
  counter += 1;
  return `${prefix}-${counter}`;
}

// Call at most once in so many milliseconds, with the last arguments.
export function calmly(milliseconds, call) {
  let timer = null, latest = null, last = 0;
  return (...args) => {
    latest = args;
    if (timer !== null) return;
    const wait = Math.max(0, milliseconds - (performance.now() - last));
    timer = setTimeout(() => { timer = null; last = performance.now(); call(...latest); }, wait);
  };
}

// Call once the calls have paused.
export function settled(milliseconds, call) {
  let timer = null;
  return (...args) => {
    clearTimeout(timer);
    timer = setTimeout(() => call(...args), milliseconds);
  };
}

// The heading of a step with the sentence under it.
export function intro(title, lede) {
  return h("div", { class: "intro" }, h("h1", {}, title), lede ? h("p", { class: "lede" }, lede) : null);
}

// A share as a bar; its number stands beside it in words.
export function shareBar(share) {
  return h("span", { class: "share-bar", "aria-hidden": "true" },
    h("span", { style: { width: `${(100 * Math.min(1, Math.max(0, share))).toFixed(2)}%` } }));
}

const ICONS = {
  check: "M3 8.5 6.5 12 13 4.5",
  cross: "M4 4l8 8M12 4l-8 8",
  plus: "M8 3v10M3 8h10",
  undo: "M6 4 3 7l3 3M3 7h6a4 4 0 0 1 0 8H7",
  redo: "M10 4l3 3-3 3M13 7H7a4 4 0 0 0 0 8h2",
  star: "M8 2.2l1.8 3.7 4 .6-2.9 2.8.7 4L8 11.4l-3.6 1.9.7-4L2.2 6.5l4-.6z",
  down: "M8 2v9M4 7.5 8 11.5l4-4M3 14h10",
  arrow: "M3 8h10M9 4l4 4-4 4",
  stop: "M4 4h8v8H4z",
  play: "M5 3l8 5-8 5z",
  more: "M4 6l4 4 4-4",
  swap: "M4 5h9l-3-3M12 11H3l3 3",
  table: "M2 3h12v10H2zM2 6.5h12M6 6.5V13",
};

export function icon(name, filled = false) {
  return s("svg", { class: filled ? "icon filled" : "icon", viewBox: "0 0 16 16", "aria-hidden": "true",
      focusable: "false" },
    s("path", { d: ICONS[name] }));
}

export function button(text, onclick, { kind = "", symbol = null, ...props } = {}) {
  return h("button", { type: "button", class: `button ${kind}`, onclick, ...props }, symbol && icon(symbol),
    h("span", {}, text));
}
