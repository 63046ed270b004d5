// The pool: every card almost as good as the best, filtered by what one can do without.
import { LIVE } from "./app.js";
import { cardSkeleton, cardView } from "./card.js";
import { button, h, icon, replace, settled, soon } from "./dom.js";
import { number, percent } from "./numbers.js";
import { stageText, t } from "./texts.js";

const PAGE = 25;

export function poolView(app, run, toolbar, again) {
  const view = { without: [], monotone: false, cheaper: "", most: "", from: 0, selected: null };
  const filters = h("div", { class: "panel filters" }), list = h("div", { class: "pool-list" }),
    side = h("div", { class: "card-box" });
  const element = h("div", {}, filters, h("div", { class: "choose-columns" }, list, side));
  let found = null, closed = false;
  const reload = settled(120, load);
  const later = soon(() => { drawFilters(); drawList(); });
  drawFilters();
  load();

  function query() {
    const words = new URLSearchParams();
    view.without.forEach((name) => words.append("without", name));
    if (view.monotone) words.set("monotone", "1");
    if (view.cheaper !== "") words.set("cheaper_than", view.cheaper);
    if (view.most !== "") words.set("at_most", view.most);
    words.set("from", view.from);
    words.set("count", PAGE);
    return words.toString();
  }

  async function load() {
    if (run.state === "failed") { replace(list, h("p", { class: "warning" }, run.error ? run.error.message : ""),
        button(t("choose.again"), remove, {})); return; }
    try { found = await app.request("GET", `/api/runs/${run.id}/pool?${query()}`); } catch (error) {
      if (!LIVE.includes(run.state)) app.fail(error);
      found = null;
    }
    if (!closed) later();
  }

  async function remove() {
    await app.attempt(async () => { await app.request("DELETE", `/api/runs/${run.id}`); app.receive("run-removed",
          { id: run.id }); again(); });
  }

  const change = (call) => (event) => { call(event); view.from = 0; reload(); };

  function drawFilters() {
    const live = LIVE.includes(run.state);
    replace(filters,
      h("div", { class: "head" }, h("div", {}, h("h2", {}, t("choose.pool_title")),
        h("p", { class: "soft" }, found && (found.total || !live) ? t(!found.complete ? "choose.pool_sample"
            : found.left_out ? "choose.pool_best" : "choose.pool_complete", { total: found.total,
              more: found.left_out, within: percent(found.within, 0) }) : live
              ? t("choose.pool_running") : "")),
      live ? h("span", { class: "badge live" }, stageText(run.stage) || t(`watch.state_${run.state}`,
          { place: run.place || 1 })) : button(t("choose.again"), remove,
            { kind: "quiet", "data-key": "pool-again" })),
      found && found.total ? [
        found.always.length ? h("p", {}, h("b", {}, t("choose.always")), ` ${found.always.map(worded).join(", ")}`) : null,
        h("div", { class: "row filter-row" },
          h("label", { class: "field inline" }, h("span", {}, t("choose.without")),
            h("select", { "data-key": "without",
                onchange: change((event) => { if (event.target.value) view.without = [...new Set([...view.without,
                      event.target.value])]; }) },
              h("option", { value: "" }, t("choose.without_any")),
              found.questions.filter((one) => one.cards > 0
                && !view.without.includes(one.name)).map((one) => h("option", { value: one.name },
                  t("choose.question_count", { name: worded(one.name), n: one.cards }))))),
          h("label", { class: "field inline" }, h("span", {}, t("choose.at_most")),
            h("input", { type: "number", min: 0, class: "short", value: view.most, "data-key": "at-most",
                onchange: change((event) => { view.most = event.target.value; }) })),
          h("label", { class: "field inline" }, h("span", {}, t(found.has_costs ? "choose.cheaper"
                : "choose.fewer_points")), h("input", { type: "number", min: 0, class: "short", value: view.cheaper,
                  "data-key": "cheaper", onchange: change((event) => { view.cheaper = event.target.value; }) })),
          h("label", { class: "check" }, h("input", { type: "checkbox", checked: view.monotone,
                "data-key": "monotone", onchange: change((event) => { view.monotone = event.target.checked; }) }),
                  t("choose.monotone"))),
        view.without.length ? h("div", { class: "names" }, view.without.map((name) => h("span", { class: "chip" },
              t("choose.without_one", { name: worded(name) }),
          h("button", { type: "button", class: "plain", "data-key": `with-${name}`, "aria-label": t("form.remove",
                { name: worded(name) }), onclick: change(() => { view.without = view.without.filter((one) => one !== name); }) },
                  icon("cross"))))) : null] : null);
  }

  function worded(name) { return (found.texts || {})[name] || name; }

  function drawList() {
    if (!found || (LIVE.includes(run.state) && !found.total)) { replace(list,
        cardSkeleton(t("choose.pool_running"))); replace(side); return; }
    if (!found.cards.length) { replace(list, h("p", { class: "soft", role: "status" }, t("choose.none_left")));
      replace(side); return; }
    if (!found.cards.some((one) => one.card === view.selected)) view.selected = found.cards[0].card;
    replace(list,
      h("p", { class: "soft", role: "status" }, t("choose.shown", { count: found.count, total: found.total })),
      h("ul", { class: "pool" }, found.cards.map((one) => h("li", { class: one.card === view.selected ? "selected"
            : "" },
        h("button", { type: "button", class: "pool-card", "data-key": one.card,
            "aria-pressed": one.card === view.selected ? "true" : "false",
              onclick: () => { view.selected = one.card; drawList(); } },
          h("span", { class: "pool-points" }, Object.entries(one.points).map(([name, points]) => h("span", {},
                h("b", {}, points), ` ${worded(name)}`))),
          h("span", { class: "pool-numbers soft" }, t("choose.pool_numbers", { errors: number(one.errors),
                sensitivity: percent(one.sensitivity), specificity: percent(one.specificity) }), one.cost !== null
                  && one.cost !== undefined ? ` \u00b7 ${t("choose.cost", { cost: number(one.cost) })}` : "")),
        h("button", { type: "button", class: "plain star", "data-key": `star-${one.card}`,
            "aria-pressed": app.isFavourite(one.card) ? "true" : "false", "aria-label": t("choose.favourite"),
              onclick: () => { app.toggleFavourite(one.card); drawList(); } }, icon("star", true))))),
      h("div", { class: "row" },
        view.from > 0 ? button(t("choose.before"), () => { view.from = Math.max(0, view.from - PAGE); load(); },
          { "data-key": "before" }) : null,
        view.from + found.cards.length < found.count ? button(t("choose.next"), () => { view.from += PAGE; load();
            }, { "data-key": "next" }) : null));
    drawSide();
  }

  function drawSide() {
    const wanted = view.selected;
    if (app.cards.has(wanted)) { replace(side, cardView(app.cards.get(wanted)), toolbar(wanted)); return; }
    replace(side, cardSkeleton(t("shell.loading")));
    app.getCard(wanted).then(() => { if (view.selected === wanted && !closed) drawSide(); }).catch(app.fail);
  }

  return { element, close() { closed = true; } };
}
