// A small histogram by class. Its cut points are sliders: dragged with a pointer, moved with the arrow keys.
import { h, replace, s, settled } from "./dom.js";
import { number, roundStep, short, snapped } from "./numbers.js";
import { t } from "./texts.js";

const WIDTH = 320, HEIGHT = 64, TOP = 8, FOOT = 16;

export function bars(bins, { width = WIDTH, height = HEIGHT, top = TOP } = {}) {
  const tallest = Math.max(1, ...bins.map((bin) => bin.negative + bin.positive));
  const wide = width / bins.length;
  return bins.flatMap((bin, k) => {
    const scale = (height - top) / tallest;
    const positive = bin.positive * scale, negative = bin.negative * scale;
    const x = k * wide + 0.5, w = Math.max(0.5, wide - 1);
    return [
      s("rect", { class: "bar-negative", x, width: w, y: height - positive - negative, height: negative }),
      s("rect", { class: "bar-positive", x, width: w, y: height - positive, height: positive }),
    ];
  });
}

export function plainHistogram(bins, label) {
  return s("svg", { class: "histogram", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": label,
      preserveAspectRatio: "none" },
    bars(bins), s("line", { class: "axis", x1: 0, x2: WIDTH, y1: HEIGHT, y2: HEIGHT }));
}

// Categories as bars with their names, the most frequent first.
export function categoryBars(categories) {
  const most = Math.max(1, ...categories.map((one) => one.negative + one.positive));
  return h("ul", { class: "categories" }, categories.map((one) =>
    h("li", {},
      h("span", { class: "name" }, one.name),
      s("svg", { class: "category", viewBox: "0 0 100 8", preserveAspectRatio: "none", "aria-hidden": "true" },
        s("rect", { class: "bar-positive", x: 0, y: 0, height: 8, width: 100 * one.positive / most }),
        s("rect", { class: "bar-negative", x: 100 * one.positive / most, y: 0, height: 8,
            width: 100 * one.negative / most })),
      h("span", { class: "count" }, String(one.negative + one.positive)))));
}

// The histogram of a numeric column with its cut points. `change` gets the new ones, in order.
export function cutHistogram({ name, bins, low, high, isWhole, cuts, change, preview = () => {} }) {
  const step = Math.max(roundStep(high - low, 200), isWhole ? 1 : 0);
  const changeSoon = settled(400, change); // a key held down is one change
  let current = [...cuts].sort((a, b) => a - b);
  const place = (value) => Math.min(WIDTH, Math.max(0, WIDTH * (value - low) / (high - low || 1)));
  const root = s("svg", { class: "histogram cut", viewBox: `0 0 ${WIDTH} ${HEIGHT + FOOT}`, role: "group",
      "aria-label": t("table.cut_group", { name }) });
  const handles = s("g", {});
  root.append(...bars(bins), s("line", { class: "axis", x1: 0, x2: WIDTH, y1: HEIGHT, y2: HEIGHT }), handles);

  function told(k, value, finished) {
    const others = current.filter((_, i) => i !== k);
    const lower = Math.max(low, ...current.slice(0, k).map((c) => c + step)),
      upper = Math.min(high, ...current.slice(k + 1).map((c) => c - step));
    const next = Math.min(upper, Math.max(lower, snapped(value, step)));
    current = [...others, next].sort((a, b) => a - b);
    move();
    preview(current);
    if (finished) changeSoon(current);
  }

  function keyed(event, k) {
    const large = event.shiftKey || event.key.startsWith("Page") ? 10 : 1;
    const moves = { ArrowLeft: -1, ArrowDown: -1, PageDown: -1, ArrowRight: 1, ArrowUp: 1, PageUp: 1 };
    if (event.key in moves) told(k, current[k] + moves[event.key] * large * step, true);
    else if (event.key === "Home") told(k, low, true);
    else if (event.key === "End") told(k, high, true);
    else if (event.key === "Delete" || event.key === "Backspace") { current.splice(k, 1); draw(); change(current); }
    else return;
    event.preventDefault();
  }

  function dragged(event, k, handle) {
    if (event.button !== 0) return;
    event.preventDefault();
    handle.focus();
    handle.setPointerCapture(event.pointerId);
    const box = root.getBoundingClientRect();
    const at = (x) => low + (high - low) * (x - box.left) / box.width;
    const moved = (e) => told(k, at(e.clientX), false);
    const ended = () => {
      handle.removeEventListener("pointermove", moved);
      handle.removeEventListener("pointerup", ended);
      handle.removeEventListener("pointercancel", ended);
      change(current);
    };
    handle.addEventListener("pointermove", moved);
    handle.addEventListener("pointerup", ended);
    handle.addEventListener("pointercancel", ended);
  }

  function attributes(handle, k) {
    const x = place(current[k]);
    handle.setAttribute("transform", `translate(${x} 0)`);
    handle.setAttribute("aria-valuenow", current[k]);
    handle.setAttribute("aria-valuetext", number(current[k]));
    const label = handle.lastChild;
    label.textContent = short(current[k]);
    label.setAttribute("text-anchor", x < 16 ? "start" : x > WIDTH - 16 ? "end" : "middle");
  }

  function move() {
    let free = -Infinity; // where the label before ends: labels that would overlap show only in use
    [...handles.children].forEach((handle, k) => {
      attributes(handle, k);
      const wide = 3.2 * handle.lastChild.textContent.length + 2, x = place(current[k]);
      const start = x < 16 ? x : x > WIDTH - 16 ? x - 2 * wide : x - wide;
      const crowded = start < free;
      handle.classList.toggle("crowded", crowded);
      if (!crowded) free = start + 2 * wide;
    });
  }

  function draw() {
    replace(handles, current.map((_, k) => {
      const handle = s("g", { class: "handle", role: "slider", tabindex: 0, "data-key": `cut-${name}-${k}`,
        "aria-label": t("table.cut_point", { name, n: k + 1 }), "aria-valuemin": low, "aria-valuemax": high,
        onkeydown: (event) => keyed(event, k), onpointerdown: (event) => dragged(event, k, handle) },
      s("rect", { class: "grip-area", x: -10, y: 0, width: 20, height: HEIGHT + FOOT }),
      s("line", { class: "cut-line", x1: 0, x2: 0, y1: 4, y2: HEIGHT }),
      s("circle", { class: "grip", cx: 0, cy: 6, r: 5 }),
      s("text", { class: "cut-text", x: 0, y: HEIGHT + 13 }));
      return handle;
    }));
    move();
  }

  draw();
  return { element: root, set(values) { current = [...values].sort((a, b) => a - b); draw(); }, step };
}
