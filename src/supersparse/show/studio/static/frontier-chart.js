// What the search makes least (error, weighted error or log loss) against the number of questions. Each point is a choice; the arrow keys go from one to the next.
import { s } from "./dom.js";
import { number, percent, ticks } from "./numbers.js";
import { t } from "./texts.js";

const W = 640, H = 320, LEFT = 56, RIGHT = 20, TOP = 16, BOTTOM = 44;

export function frontierChart({ sizes, measure, chosen, selected, choose }) {
  const isShare = measure === "error";
  const trained = (one) => one[measure];
  const validated = (one) => (one.cross_validated ? one.cross_validated[measure] : null);
  const spread = (one) => one.cross_validated[`${measure}_sd`];
  const known = (v) => v !== null && v !== undefined;
  const show = (v) => (isShare ? percent(v) : number(v, 3));
  const points = sizes.filter((one) => known(trained(one)));
  const top = Math.max(0.001, ...points.map(trained), ...points.map(validated).filter(known)) * 1.12;
  const last = Math.max(1, ...sizes.map((one) => one.size)), first = Math.min(...sizes.map((one) => one.size),
    last);
  const x = (size) => LEFT + 14 + (W - LEFT - RIGHT - 28) * (size - first) / (last - first || 1);
  const y = (value) => TOP + (H - TOP - BOTTOM) * (1 - value / top);
  const path = (value) => points.filter((one) => known(value(one))).map((one,
      k) => `${k ? "L" : "M"}${x(one.size)} ${y(value(one))}`).join("");
  const focus = points.some((one) => one.card === selected) ? selected : (points.find((one) => one.size === chosen)
    || points[0] || {}).card;

  function keyed(event, k) {
    const step = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 }[event.key];
    const next = event.key === "Home" ? 0 : event.key === "End" ? points.length - 1 : step ? k + step : null;
    if (next === null && event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    choose(points[Math.min(points.length - 1, Math.max(0, next === null ? k : next))]);
  }

  return s("svg", { class: "frontier", viewBox: `0 0 ${W} ${H}`, role: "radiogroup", "aria-label":
      t(`choose.chart_${measure}`) },
    ticks(0, top, 4).flatMap((v) => [
      s("line", { class: "grid", x1: LEFT, x2: W - RIGHT, y1: y(v), y2: y(v) }),
      s("text", { class: "tick", x: LEFT - 8, y: y(v) + 4, "text-anchor": "end" }, isShare ? percent(v, 0)
        : number(v, 3))]),
    sizes.map((one) => s("text", { class: "tick", x: x(one.size), y: H - BOTTOM + 20, "text-anchor": "middle" },
        String(one.size))),
    s("text", { class: "tick", x: (LEFT + W - RIGHT) / 2, y: H - 6, "text-anchor": "middle" },
      t("choose.axis_size")),
    s("path", { class: "trained-line", d: path(trained) }),
    s("path", { class: "validated-line", d: path(validated) }),
    points.filter((one) => known(validated(one))).map((one) => s("g", { class: "validated" },
      known(spread(one)) ? s("line", { x1: x(one.size), x2: x(one.size),
          y1: y(Math.min(top, validated(one) + spread(one))), y2: y(Math.max(0, validated(one) - spread(one))) })
        : null,
      s("path", { d: `M${x(one.size)} ${y(validated(one)) - 5}l5 5l-5 5l-5 -5z` }))),
    points.map((one, k) => s("g", {
      class: ["point", one.proven ? "proven" : "open", one.card === selected ? "selected" : "", one.size === chosen
        ? "chosen" : ""].join(" "),
      role: "radio", tabindex: one.card === focus ? 0 : -1, "aria-checked": one.card === selected ? "true"
        : "false", "data-key": `size-${one.size}`,
      "aria-label": t("choose.point", { size: one.size, value: show(trained(one)), validated: known(validated(one))
          ? t("choose.point_validated", { value: show(validated(one)) }) : "",
            proof: t(one.proven ? "choose.is_proven" : "choose.is_open") }),
      onclick: () => choose(one), onkeydown: (event) => keyed(event, k),
    },
    s("circle", { class: "hit", cx: x(one.size), cy: y(trained(one)), r: 18 }),
    one.card === selected ? s("circle", { class: "ring", cx: x(one.size), cy: y(trained(one)), r: 11 }) : null,
    s("circle", { class: "dot", cx: x(one.size), cy: y(trained(one)), r: 6 }))));
}
