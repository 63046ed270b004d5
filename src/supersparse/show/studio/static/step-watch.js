// Step 3: runs as they go. The best card so far, and how much better one could still be.
import { inWords, LIVE } from "./app.js";
import { cardSkeleton, cardView } from "./card.js";
import { button, calmly, h, icon, legend, replace, soon } from "./dom.js";
import { fallingChart } from "./falling.js";
import { number, percent, seconds } from "./numbers.js";
import { stageText, t } from "./texts.js";

const SEARCHES = ["card", "repair"]; // these have a chart and a card

export function stateBadge(run) {
  const proven = SEARCHES.includes(run.kind) && run.state === "done" && run.progress && run.progress.gap === 0;
  const kind = proven ? "proven" : LIVE.includes(run.state) ? "live" : run.state === "failed" ? "bad" : "open";
  return h("span", { class: `badge ${kind}` }, proven ? icon("check") : null, t(proven ? "watch.state_proven"
      : `watch.state_${run.state}`, { place: run.place || 1 }));
}

// Only the search for the card itself is drawn, from its start: a fold is another problem with other bounds.
function drawn(run, trace) {
  const scale = run.goal === "risk" ? 1 : 100;
  const searches = trace.filter((one) => !isFold(one.stage) && one.bound !== null && one.bound !== undefined);
  if (!searches.length) return { points: [], now: run.seconds || 0, running: run.state === "running" };
  const stage = searches.at(-1).stage;
  const same = searches.filter((one) => one.stage === stage);
  const start = same[0].seconds;
  const times = (v) => (v === null || v === undefined ? null : v * scale);
  const points = same.map((one) => ({ seconds: one.seconds - start, best: times(one.best),
        bound: times(one.bound) }));
  const running = run.state === "running" && !isFold(run.stage);
  const now = running && run.progress && run.progress.t ? run.progress.t - start : points.at(-1).seconds;
  return { points, now: Math.max(now, points.at(-1).seconds), running };
}

function isFold(stage) { return /^fold/.test(stage || ""); }

// First card, held-out rows, final card: where the run is.
function phases(run) {
  if (!run.plan || !run.plan.validate || run.kind !== "card") return null;
  const stage = run.stage || "", at = /(\d+) of (\d+)/.exec(stage);
  const place = !LIVE.includes(run.state) ? 3 : isFold(stage) ? 1 : /final/.test(stage) ? 2 : 0;
  const names = [t("watch.phase_first"), place === 1 && at ? t("watch.phase_folds_at", { at: at[1], all: at[2] })
    : t("watch.phase_folds"), t("watch.phase_final")];
  return h("ol", { class: "phases", "aria-label": t("watch.phases") },
    names.map((name, k) => h("li", { class: k < place ? "past-phase" : k === place ? "now-phase" : "",
          "aria-current": k === place ? "step" : null }, k < place ? icon("check") : null, name)));
}

export function watchStep(app) {
  const body = h("div", { class: "step watch-step" });
  const tiles = h("div", { class: "tiles", role: "group", "aria-label": t("watch.runs") });
  const main = h("div", { class: "watch-main" });
  const small = new Map(); // run -> the parts of its tile
  let panel = null; // the parts of the run looked at
  const later = soon(drawRuns);
  const offs = [app.on("runs", later), app.on("progress", progressed),
    app.on("card", ({ run, card }) => { if (panel && panel.run === run) panel.showCard(card); }),
      app.on("table", later)];
  const announce = calmly(4000, (text) => app.say(text));
  let said = null;
  drawRuns();

  function list() {
    return app.runsOfTable();
  }

  function drawRuns() {
    const runs = list();
    if (!app.table || !runs.length) {
      panel = null;
      const ready = app.table && app.table.classes;
      replace(body, h("section", { class: "empty-state" }, h("h1", {}, t("watch.empty_title")),
          h("p", {}, t("watch.empty")), button(t(ready ? "watch.to_ask" : "ask.to_table"),
            () => app.go(ready ? "ask" : "table"), { kind: "primary" })));
      return;
    }
    if (!body.contains(main)) replace(body, h("div", { class: "head" }, h("h1", {}, t("watch.title")),
        button(t("watch.another"), () => app.go("ask"), { symbol: "plus" })), tiles, main);
    if (!app.run || !runs.some((run) => run.id === app.run)) app.run = (runs.find((run) => SEARCHES.includes(run.kind)) || runs[0]).id;
    drawTiles(runs);
    const run = app.runs.get(app.run);
    if (!panel || panel.run !== run.id) { panel = runPanel(run); replace(main, panel.element); }
    panel.update(run);
  }

  function drawTiles(runs) {
    for (const name of [...small.keys()]) if (!runs.some((run) => run.id === name)) small.delete(name);
    tiles.hidden = runs.length < 2;
    replace(tiles, runs.map((run) => tile(run)));
  }

  function tile(run) {
    if (!small.has(run.id)) {
      const parts = { chart: SEARCHES.includes(run.kind) ? fallingChart({ unit: "", compact: true }) : null,
        gap: h("span", { class: "tile-gap" }) };
      if (parts.chart) {
        parts.chart.element.setAttribute("aria-hidden", "true");
        app.trace(run.id).then(() => refreshTile(run.id)).catch(() => {});
      }
      small.set(run.id, parts);
    }
    const parts = small.get(run.id);
    refreshTile(run.id);
    return h("button", { type: "button", class: "tile", "data-key": `run-${run.id}`,
        "aria-pressed": run.id === app.run ? "true" : "false", onclick: () => { app.run = run.id; drawRuns(); } },
      h("span", { class: "tile-name" }, run.name || run.id), h("span", { class: "tile-kind" },
        t(`watch.kind_${run.kind}`)),
      parts.chart ? parts.chart.element : h("span", { class: "tile-stage" }, stageText(run.stage)),
      h("span", { class: "tile-foot" }, stateBadge(run), parts.gap));
  }

  function refreshTile(name) {
    const run = app.runs.get(name), parts = small.get(name);
    if (!run || !parts) return;
    const p = run.progress;
    parts.gap.textContent = p && p.gap ? t("watch.gap_short", { gap: percent(p.gap, p.gap < 0.1 ? 1 : 0) }) : p
      && p.errors !== null && p.errors !== undefined ? t("watch.errors_short", { n: number(p.errors) }) : "";
    if (parts.chart) { const { points, now, running } = drawn(run, app.traces.get(name) || []);
      parts.chart.set(points, now, running); }
  }

  function progressed(data) {
    if (small.has(data.run)) refreshTile(data.run);
    if (!panel || panel.run !== data.run) return;
    const run = app.runs.get(data.run);
    panel.update(run);
    if (data.errors !== null && data.errors !== undefined) {
      const text = t("watch.said", { errors: number(data.errors), gap: data.gap === null || data.gap === undefined
          ? "\u2013" : percent(data.gap) });
      if (text !== said) { said = text; announce(text); }
    }
  }

  function runPanel(run) {
    const isSearch = SEARCHES.includes(run.kind);
    const chart = fallingChart({ unit: t(run.goal === "risk" ? "watch.unit_risk" : "watch.unit_errors") });
    const cardBox = h("div", { class: "card-box" }), numbers = h("div", { class: "stats" }),
      actions = h("div", { class: "row actions" });
    const head = h("div", { class: "run-head" }), notes = h("div", {}), stages = h("div", {}),
      verdict = h("p", { class: "verdict" });
    let shownCard = null, key = "";

    function showCard(card) {
      shownCard = card.id;
      replace(cardBox, cardView(card));
    }

    async function wantCard(now) {
      if (app.cards.has(now.card) && shownCard === null) showCard(app.cards.get(now.card));
      const ended = !LIVE.includes(now.state);
      if (shownCard === null || ended) {
        try { showCard(await app.getCard(now.card, ended)); } catch { /* it comes with the next event */ }
      }
    }

    function update(now) {
      const p = now.progress || {};
      const live = LIVE.includes(now.state);
      const next = [now.state, now.card, now.can_continue, now.name, now.place, now.error && now.error.message,
        (now.notes || []).length].join("|");
      if (isSearch) {
        const { points, now: until, running } = drawn(now, app.traces.get(now.id) || []);
        chart.set(points, until, running);
        replace(stages, phases(now));
        replace(numbers, stats(now, p));
        replace(verdict, verdictOf(now, p));
      }
      if (next === key) { const stage = head.querySelector(".stage"); if (stage) stage.textContent = live
        ? doing(now) : ""; return; }
      key = next;
      replace(head, h("h2", {}, now.name || now.id), stateBadge(now), h("span", { class: "stage soft" }, live
          ? doing(now) : ""));
      replace(actions, actionsOf(now, live));
      replace(notes, now.error ? failure(now) : null,
        now.notes && now.notes.length ? h("details", {}, h("summary", {}, t("ask.notes", { n: now.notes.length })),
          h("ul", { class: "notes" }, now.notes.map((one) => h("li", {}, one)))) : null);
      if (isSearch && now.card) wantCard(now);
      else if (isSearch && shownCard === null) replace(cardBox, live ? cardSkeleton(t("watch.waiting"))
        : h("p", { class: "soft" }, t("watch.no_card")));
    }

    if (isSearch) app.trace(run.id).then(() => update(app.runs.get(run.id) || run)).catch(() => {});
    const element = h("section", { class: "run", "aria-label": run.name || run.id }, head,
      isSearch ? h("div", { class: "watch-columns" },
        h("div", { class: "watch-side" }, stages, numbers, h("div", { class: "panel chart-panel" },
          legend(["best", t("watch.best")], ["bound", t("watch.bound")]),
          h("p", { class: "soft small axis-title" }, t(run.goal === "risk" ? "watch.unit_risk"
              : "watch.unit_errors")), chart.element, verdict), actions, notes),
        cardBox) : h("div", { class: "panel" }, h("p", {}, t(`watch.about_${run.kind}`)), actions, notes));
    return { run: run.id, element, update, showCard };
  }

  function doing(run) {
    if (run.state === "queued") return t("watch.queued", { place: run.place || 1 });
    return phases(run) && /^(first|fold|final)/.test(run.stage || "") ? "" : stageText(run.stage);
  }

  function stats(run, p) {
    const one = (label, value, note) => h("div", { class: "stat" }, h("span", { class: "stat-label" }, label),
      h("b", {}, value), note ? h("span", { class: "soft small" }, note) : null);
    const risk = run.goal === "risk";
    const has = (v) => v !== null && v !== undefined;
    const show = (v) => (has(v) ? (risk ? number(v, 4) : percent(v, 2)) : "\u2013");
    const card = run.card ? app.cards.get(run.card) : null;
    const rows = card && card.numbers ? card.numbers.rows : null;
    return [
      risk ? one(t("watch.loss"), has(p.objective) ? number(p.objective, 4) : "\u2013") : one(t("watch.errors"),
        has(p.errors) ? number(p.errors) : "\u2013", rows ? t("watch.of", { n: number(rows) }) : null),
      one(t("watch.gap"), has(p.gap) ? percent(p.gap, p.gap > 0 && p.gap < 0.1 ? 1 : 0) : "\u2013", has(p.bound)
        ? t("watch.at_least", { bound: show(p.bound) }) : null),
      one(t("watch.size"), has(p.size) ? number(p.size) : "\u2013"),
      one(t("watch.time"), seconds(p.t || run.seconds || 0), run.time_limit && LIVE.includes(run.state)
        ? t("watch.of_limit", { limit: seconds(run.time_limit) }) : null)];
  }

  function verdictOf(run, p) {
    const has = (v) => v !== null && v !== undefined;
    if (run.state === "failed") return t("watch.verdict_failed");
    if (p.gap === 0) return [icon("check"), t("watch.verdict_proven")];
    if (!has(p.objective)) return t(LIVE.includes(run.state) ? "watch.verdict_first" : "watch.verdict_none");
    const live = LIVE.includes(run.state), gap = { gap: has(p.gap) ? percent(p.gap) : "\u2013" };
    return t(live ? "watch.verdict_open" : "watch.verdict_unproven", gap)
      + (live && p.proof ? ` ${t("watch.verdict_when", { when: p.proof })}` : "");
  }

  function actionsOf(run, live) {
    const act = (path, body) => () => app.attempt(async () => { const next = await app.request("POST",
          `/api/runs/${run.id}/${path}`, body); app.receive("run", next); });
    const use = (step) => () => { app.chooseCard(run.card); app.go(step); };
    return [
      live && run.state !== "queued" ? button(t("watch.stop"), act("stop", {}),
        { symbol: "stop", "data-key": "stop", disabled: run.state === "stopping" }) : null,
      live ? button(t("watch.cancel"), act("cancel", {}), { kind: "quiet", "data-key": "cancel" }) : null,
      !live && run.card && SEARCHES.includes(run.kind) ? button(t("watch.to_take"), use("take"),
        { kind: "primary", symbol: "arrow", "data-key": "to-take" }) : null,
      !live && run.card && SEARCHES.includes(run.kind) ? button(t("watch.to_edit"), use("edit"),
        { "data-key": "to-edit" }) : null,
      !live && SEARCHES.includes(run.kind) && run.card ? button(t("watch.to_choose"), use("choose"),
        { "data-key": "to-choose" }) : null,
      run.can_continue && !live ? continuing(run) : null,
      live ? null : button(t("watch.delete"),
        () => app.attempt(async () => { await app.request("DELETE", `/api/runs/${run.id}`);
            app.receive("run-removed", { id: run.id }); }), { kind: "quiet", "data-key": "delete" })];
  }

  function continuing(run) {
    const limit = h("input", { type: "number", min: 1, max: 86400, value: 60, class: "short",
        "aria-label": t("watch.more_seconds"), "data-key": "more-seconds" });
    return h("span", { class: "row joined" }, button(t("watch.continue"), () => app.attempt(async () => {
      const next = await app.request("POST", `/api/runs/${run.id}/continue`, { time_limit: Number(limit.value)
          || 60 });
      app.receive("run", next);
    }), { symbol: "play", "data-key": "continue" }), h("span", { class: "suffixed" }, limit,
      h("span", { "aria-hidden": "true" }, "s")));
  }

  function failure(run) {
    const conflict = run.error.conflict;
    return h("div", { class: "conflict", role: "alert" }, h("h3", {}, t(run.error.code === "infeasible"
          ? "watch.infeasible" : "watch.failed")),
      conflict && conflict.wishes.length ? h("ul", {}, conflict.wishes.map((one) => h("li", {}, one.text)))
        : h("p", {}, inWords(run.error)),
      button(t("watch.change_wishes"), () => app.go("ask"), {}));
  }

  return { element: body, close() { offs.forEach((off) => off()); } };
}
