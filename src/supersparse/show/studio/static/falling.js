// The chart of a search: the best card's value falls, the proven bound rises, and what lies between is the gap.
import { s } from "./dom.js";
import { number, seconds, ticks } from "./numbers.js";
import { t } from "./texts.js";

const W = 640, H = 260;

// Trace: [{ seconds, best, bound }], best is null before the first card.
export function fallingChart({ unit, compact = false }) {
  const [LEFT, RIGHT, TOP, BOTTOM] = compact ? [4, 14, 14, 8] : [52, 74, 14, 30];
  const frame = s("g", {}), area = s("path", { class: "gap-area" }), best = s("path", { class: "best-line" });
  const bound = s("path", { class: "bound-line" }), ends = s("g", {});
  const root = s("svg", { class: compact ? "falling compact" : "falling", viewBox: `0 0 ${W} ${H}`, role: "img",
      preserveAspectRatio: compact ? "none" : null },
    frame, area, bound, best, ends);
  let pending = null, scheduled = false;

  function paint() {
    scheduled = false;
    const { trace, now, running } = pending;
    const values = trace.flatMap((one) => [one.best, one.bound]).filter((v) => v !== null && v !== undefined);
    const until = Math.max(now, 1);
    const found = trace.map((one) => one.best).filter((v) => v !== null && v !== undefined);
    const highest = values.length ? Math.max(...values) : 0;
    const top = Math.min(highest, found.length ? 3 * found.at(-1) || highest : highest) * 1.06 || 1;
      // a poor first card does not flatten the rest
    const lowest = values.length ? Math.min(...values) : 0;
    const low = lowest > 0.6 * top ? lowest - 0.25 * (top - lowest) : 0;
    const x = (at) => LEFT + (W - LEFT - RIGHT) * Math.min(1, at / until);
    const y = (value) => TOP + (H - TOP - BOTTOM) * (1 - (Math.min(value, top) - low) / (top - low || 1));
    frame.replaceChildren(
      ...ticks(low, top, 4).filter((v) => v >= low).flatMap((v) => [
        s("line", { class: "grid", x1: LEFT, x2: W - RIGHT, y1: y(v), y2: y(v) }),
        s("text", { class: "tick", x: LEFT - 8, y: y(v) + 4, "text-anchor": "end" }, number(v))]),
      ...ticks(0, until, 5).filter((v) => v > 0).map((v) => s("text", { class: "tick", x: x(v), y: H - 10,
            "text-anchor": "middle" }, shortTime(v))),
      s("line", { class: "axis", x1: LEFT, x2: W - RIGHT, y1: y(low), y2: y(low) }));
    const steps = (name) => {
      let path = "", last = null;
      for (const one of trace) {
        const value = one[name];
        if (value === null || value === undefined) continue;
        path += last === null ? `M${x(one.seconds)} ${y(value)}` : `H${x(one.seconds)}V${y(value)}`;
        last = value;
      }
      return last === null ? { path: "", last } : { path: `${path}H${x(until)}`, last };
    };
    const upper = steps("best"), lower = steps("bound");
    best.setAttribute("d", upper.path);
    bound.setAttribute("d", lower.path);
    area.setAttribute("d", between(trace, until, x, y));
    const marks = [];
    const apart = upper.last !== null && lower.last !== null ? Math.abs(y(upper.last) - y(lower.last)) : 99;
    const met = upper.last !== null && upper.last === lower.last;
    if (upper.last !== null) {
      marks.push(s("circle", { class: running ? "best-end pulse" : "best-end", cx: x(until), cy: y(upper.last),
            r: compact ? 0 : 4.5 }),
        s("text", { class: "end-text best-text", x: x(until) + 10, y: y(upper.last) + (apart < 16 && !met ? -4
              : 4) }, number(upper.last, 3)));
    }
    if (lower.last !== null && !met) {
      marks.push(s("circle", { class: "bound-end", cx: x(until), cy: y(lower.last), r: compact ? 0 : 3.5 }),
        s("text", { class: "end-text bound-text", x: x(until) + 10, y: y(lower.last) + (apart < 16 ? 14 : 4) },
          number(lower.last, 3)));
    }
    ends.replaceChildren(...marks);
    root.setAttribute("aria-label", upper.last === null
      ? t("watch.chart_empty") : t(met ? "watch.chart_met" : "watch.chart_said", { best: number(upper.last, 4),
          bound: number(lower.last, 4), unit, time: seconds(now) }));
  }

  return {
    element: root,
    set(trace, now, running) {
      pending = { trace, now, running };
      if (!scheduled) { scheduled = true; requestAnimationFrame(paint); }
    },
  };
}

function shortTime(value) {
  return value < 120 ? `${number(value)} s` : `${number(value / 60, 3)} min`;
}

function between(trace, until, x, y) {
  const both = trace.filter((one) => one.best !== null && one.best !== undefined && one.bound !== null
    && one.bound !== undefined);
  if (!both.length) return "";
  let path = `M${x(both[0].seconds)} ${y(both[0].best)}`;
  for (const one of both.slice(1)) path += `H${x(one.seconds)}V${y(one.best)}`;
  path += `H${x(until)}V${y(both.at(-1).bound)}`;
  for (let k = both.length - 1; k > 0; k -= 1) path += `H${x(both[k].seconds)}V${y(both[k - 1].bound)}`;
  return `${path}H${x(both[0].seconds)}Z`;
}
