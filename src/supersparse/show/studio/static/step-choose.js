// Step 4: which card to take. By size, among the almost equally good ones, or favourites side by side.
import { LIVE } from "./app.js";
import { compareView } from "./compare.js";
import { cardSkeleton, cardView } from "./card.js";
import { button, h, icon, intro, legend, replace, settled, soon } from "./dom.js";
import { frontierChart } from "./frontier-chart.js";
import { number, percent } from "./numbers.js";
import { poolView } from "./pool.js";
import { stageText, t } from "./texts.js";

const TABS = ["size", "pool", "favourites"];

export function chooseStep(app) {
  const body = h("div", { class: "step choose-step" });
  const tabs = h("div", { class: "tabs", role: "tablist", "aria-label": t("choose.title") });
  const pane = h("div", { class: "pane", role: "tabpanel", tabindex: 0, id: "choose-pane" });
  const view = app.chooseView || (app.chooseView = { tab: "size", maxSize: 6, folds: true, within: 0.05,
      limit: 120 });
  let frontier = null, inner = null;
  const fetchFrontier = settled(150, loadFrontier), later = soon(draw), sizeLater = soon(drawSize);
  const offs = [app.on("runs", (name) => { if (view.tab === "size"
        && (!name || isOurs(name, "frontier"))) fetchFrontier(); if (view.tab === "pool"
          && (!name || isOurs(name, "pool"))) later(); }),
    app.on("favourites", () => { drawTabs(); if (view.tab === "favourites") later(); }),
      app.on("card-chosen", () => { if (view.tab === "size") drawSize(); })];
  start();

  function isOurs(name, kind) { const run = app.runs.get(name); return run && run.kind === kind; }
  function latest(kind) { return app.runsOfTable().find((run) => run.kind === kind) || null; }

  function start() {
    if (!app.table || !app.table.classes) {
      replace(body, h("section", { class: "empty-state" }, h("h1", {}, t("choose.title")),
          h("p", {}, t("choose.no_table")), button(t("ask.to_table"), () => app.go("table"), { kind: "primary" })));
      return;
    }
    replace(body, intro(t("choose.title"), t("choose.lede")), tabs, pane);
    draw();
  }

  function drawTabs() {
    replace(tabs, TABS.map((name, k) => h("button", { type: "button", role: "tab", id: `tab-${name}`,
          "data-key": `tab-${name}`, "aria-selected": view.tab === name ? "true" : "false",
            "aria-controls": "choose-pane", tabindex: view.tab === name ? 0 : -1,
      onclick: () => pick(name), onkeydown: (event) => {
        const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
        if (step) { event.preventDefault(); pick(TABS[(k + step + TABS.length) % TABS.length]); }
      } }, t(`choose.tab_${name}`), name === "favourites" && app.favouritesOfTable().length
        ? h("span", { class: "badge" }, String(app.favouritesOfTable().length)) : null)));
  }

  function pick(name) {
    view.tab = name;
    draw();
    const tab = tabs.querySelector(`#tab-${name}`);
    if (tab) tab.focus();
  }

  function draw() {
    if (inner) { inner(); inner = null; }
    drawTabs();
    pane.setAttribute("aria-labelledby", `tab-${view.tab}`);
    if (view.tab === "size") { drawSize(); loadFrontier(); }
    else if (view.tab === "pool") drawPool();
    else { const shown = compareView(app, toolbar); inner = shown.close; replace(pane, shown.element); }
  }

  async function launch(kind, more) {
    await app.attempt(async () => {
      const run = await app.request("POST", "/api/runs", { table: app.table.id, kind, name: t(`choose.run_${kind}`),
          ...more });
      app.receive("run", run);
      draw();
    });
  }

  // What can be done with a card.
  function toolbar(card) {
    const star = h("button", { type: "button", class: "button", "data-key": `star-${card}`,
        "aria-pressed": app.isFavourite(card) ? "true" : "false", onclick: () => { app.toggleFavourite(card);
          star.setAttribute("aria-pressed", app.isFavourite(card) ? "true" : "false"); } }, icon("star", true),
            h("span", {}, t("choose.favourite")));
    return h("div", { class: "row actions" },
      button(t("choose.take"), () => { app.chooseCard(card); app.go("take"); }, { kind: "primary", symbol: "arrow",
          "data-key": `take-${card}` }),
      button(t("choose.edit"), () => { app.chooseCard(card); app.go("edit"); }, { "data-key": `edit-${card}` }),
        star);
  }

  async function loadFrontier() {
    const run = latest("frontier");
    if (!run) { frontier = null; drawSize(); return; }
    try { frontier = await app.request("GET", `/api/runs/${run.id}/frontier`); } catch { frontier = frontier
      || { sizes: [], goal: run.goal, measure: null, chosen: null }; }
    if (view.tab === "size") sizeLater();
  }

  function drawSize() {
    if (view.tab !== "size") return;
    const run = latest("frontier");
    if (!run) {
      const most = h("input", { type: "number", min: 1, max: 20, value: view.maxSize, class: "short",
          onchange: () => { view.maxSize = Number(most.value) || 8; }, "data-key": "max-size" });
      const folds = h("input", { type: "checkbox", checked: view.folds,
        onchange: () => { view.folds = folds.checked; }, "data-key": "folds" });
      replace(pane, h("div", { class: "panel invite" }, h("h2", {}, t("choose.size_title")),
          h("p", {}, t("choose.size_help")),
        h("div", { class: "row invite-fields" },
          h("label", { class: "field" }, h("span", {}, t("choose.max_size")), most), limitField(),
          h("label", { class: "check" }, folds, t("choose.folds"))),
        button(t("choose.start_frontier"),
          () => launch("frontier", { max_size: view.maxSize, folds: view.folds, time_limit: view.limit }),
            { kind: "primary", symbol: "play", "data-key": "start-frontier" })));
      return;
    }
    const sizes = frontier ? frontier.sizes : [];
    const measure = measured(run);
    const found = sizes.filter((one) => one.card);
    if (!view.picked || !found.some((one) => one.card === view.selected)) {
      const best = found.find((one) => one.size === frontier.chosen) || found.at(-1);
      view.selected = best ? best.card : null;
    }
    const choose = (one) => { view.selected = one.card; view.picked = true; drawSize();
      const point = pane.querySelector(`[data-key="size-${one.size}"]`); if (point) point.focus(); };
    const cardBox = h("div", { class: "card-box" }, view.selected && app.cards.has(view.selected)
      ? [cardView(app.cards.get(view.selected)), toolbar(view.selected)] : cardSkeleton(t("shell.loading")));
    replace(pane, h("div", { class: "choose-columns" },
      h("div", {},
        h("div", { class: "panel chart-panel" },
          h("div", { class: "head" }, h("h2", {}, t(`choose.heading_${measure}`)), running(run)),
          measure === "weighted_error" ? h("p", { class: "soft small" }, t("choose.about_weighted_error")) : null,
          legend(["trained", t("choose.trained")], ["validated", t("choose.validated")],
            ["hollow", t("choose.open")]),
          sizes.some((one) => one.size > 0) ? frontierChart({ sizes: sizes.filter((one) => one.size > 0),
              measure, chosen: frontier.chosen, selected: view.selected, choose })
                : h("p", { class: "soft" }, t("choose.first_sizes")),
          baseline(sizes, measure),
          frontier && frontier.chosen !== null && frontier.chosen !== undefined ? h("p", { class: "verdict" },
            t(frontier.chosen === 1 ? "choose.chosen_one" : "choose.chosen", { size: frontier.chosen })) : null),
        sizeTable(sizes, measure, choose)),
      found.length || LIVE.includes(run.state) ? cardBox : h("p", { class: "soft" }, t("watch.no_card"))));
    const wanted = view.selected;
    if (wanted && !app.cards.has(wanted)) app.getCard(wanted).then(() => { if (view.selected === wanted) drawSize();
        }).catch(app.fail);
  }

  function running(run) {
    if (LIVE.includes(run.state)) return h("span", { class: "row" }, h("span", { class: "badge live" }, stageText(run.stage)
        || t(`watch.state_${run.state}`, { place: run.place || 1 })), button(t("watch.stop"),
          () => app.attempt(() => app.request("POST", `/api/runs/${run.id}/stop`, {})),
            { kind: "quiet", "data-key": "stop-frontier" }));
    if (run.state === "failed") return h("span", { class: "badge bad" }, run.error ? run.error.message : "");
    return button(t("choose.again"),
      () => app.attempt(async () => { await app.request("DELETE", `/api/runs/${run.id}`); app.receive("run-removed",
            { id: run.id }); frontier = null; view.selected = null; view.picked = false; draw(); }),
              { kind: "quiet", "data-key": "again" });
  }

  // What one gets without any question: too far away for the chart.
  function baseline(sizes, measure) {
    const none = sizes.find((one) => one.size === 0);
    const value = none && none[measure];
    if (value === null || value === undefined) return null;
    return h("p", { class: "soft small" }, t(`choose.baseline_${measure}`,
      { value: measure === "error" ? percent(value) : number(value, 4) }));
  }

  // What is shown of each size: what the search makes least, which the first answer of a run says.
  function measured(run) { return (frontier && frontier.measure) || (run.goal === "risk" ? "log_loss" : "error"); }

  function sizeTable(sizes, measure, choose) {
    if (!sizes.length) return null;
    const show = (v) => (v === null || v === undefined ? "\u2013" : measure === "error" ? percent(v) : number(v, 4));
    const beside = measure === "error" ? [] : ["errors"];
    const auc = sizes.some((one) => one.cross_validated && one.cross_validated.auc !== undefined);
    return h("details", { class: "panel" }, h("summary", {}, t("choose.as_table")),
      h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": t("choose.as_table") },
        h("table", { class: "plain-table" },
      h("thead", {}, h("tr", {}, ["size", "trained", "validated", ...(auc ? ["auc"] : []), ...beside, "proof"].map((name) => h("th", { scope: "col" },
            t(`choose.col_${name}`))))),
      h("tbody", {}, sizes.map((one) => h("tr", { class: one.card === view.selected ? "selected" : "" },
        h("td", {}, one.card ? h("button", { type: "button", class: "link", onclick: () => choose(one) },
            String(one.size)) : String(one.size)),
        h("td", {}, show(one[measure])), h("td", {}, one.cross_validated ? show(one.cross_validated[measure])
          : "\u2013"), auc ? h("td", {}, one.cross_validated && one.cross_validated.auc !== undefined
            ? number(one.cross_validated.auc, 3) : "\u2013") : null, beside.map(() => h("td", {}, number(one.errors))),
        h("td", {}, t(one.proven ? "choose.is_proven" : "choose.is_open"))))))));
  }

  function limitField() {
    const limit = h("input", { type: "number", min: 1, max: 86400, value: view.limit, class: "short",
      onchange: () => { view.limit = Number(limit.value) || 120; }, "data-key": "limit" });
    return h("label", { class: "field" }, h("span", {}, t("choose.limit")), limit);
  }

  function drawPool() {
    const run = latest("pool");
    if (run) { const shown = poolView(app, run, toolbar, () => { draw(); }); inner = shown.close;
      replace(pane, shown.element); return; }
    const within = h("input", { type: "number", min: 0, max: 100, step: "any", value: 100 * view.within,
        class: "short", onchange: () => { view.within = Number(within.value) / 100; }, "data-key": "within" });
    replace(pane, h("div", { class: "panel invite" }, h("h2", {}, t("choose.pool_title")),
        h("p", {}, t("choose.pool_help")),
      h("div", { class: "row invite-fields" },
        h("label", { class: "field" }, h("span", {}, t("choose.within")),
          h("span", { class: "suffixed" }, within, h("span", { "aria-hidden": "true" }, "%"))), limitField()),
      button(t("choose.start_pool"),
        () => launch("pool", { within: view.within, max_models: 200, time_limit: view.limit }),
          { kind: "primary", symbol: "play", "data-key": "start-pool" })));
  }

  return { element: body, close() { if (inner) inner(); offs.forEach((off) => off()); } };
}
