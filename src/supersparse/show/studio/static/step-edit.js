// Step 5: change the card by hand, and see at once what it costs against the proven best.
import { cardSkeleton, cardView } from "./card.js";
import { button, h, icon, intro, replace, soon } from "./dom.js";
import { number, percent, signed } from "./numbers.js";
import { t } from "./texts.js";

export function editStep(app) {
  const body = h("div", { class: "step edit-step" });
  const view = { edit: null, preview: null, pending: null, reason: "", busy: false };
  const bench = h("div", { class: "bench" }), side = h("div", { class: "edit-side" }),
    bar = h("div", { class: "pending-slot" }), past = h("div", {});
  const offs = [app.on("edit", ({ id }) => { if (view.edit && view.edit.id === id && !view.pending
        && !view.busy) refresh(id); })];
  const later = soon(draw);
  let turn = Promise.resolve(), asked = 0;
  open();

  async function open() {
    const card = app.card || (app.runsOfTable().find((run) => run.card && ["card", "repair"].includes(run.kind))
      || {}).card;
    if (!app.table || !card) {
      replace(body, h("section", { class: "empty-state" }, h("h1", {}, t("edit.title")),
          h("p", {}, t("edit.empty")), button(t("edit.to_watch"), () => app.go("watch"), { kind: "primary" })));
      return;
    }
    app.card = card;
    replace(body, intro(t("edit.title"), t("edit.lede")), cardSkeleton(t("shell.loading")));
    await app.attempt(async () => {
      if (/^e\d/.test(card)) app.edit = card;
      view.edit = app.edit ? await app.request("GET", `/api/edits/${app.edit}`) : await firstOf(card);
      app.edit = view.edit.id;
      replace(body, h("div", { class: "head" }, intro(t("edit.title"), t("edit.lede")),
          h("div", { class: "row", role: "group", "aria-label": t("edit.history") }, undoButton, redoButton)),
        bar, h("div", { class: "edit-columns" }, h("div", {}, bench, past), side));
      draw();
    });
  }

  // An edit of this card that was begun before goes on; else a new one begins.
  async function firstOf(card) {
    const { edits } = await app.request("GET", `/api/edits?table=${app.table.id}`);
    const mine = (edits || []).filter((one) => one.from === card).at(-1);
    return mine ? app.request("GET", `/api/edits/${mine.id}`) : app.request("POST", "/api/edits", { card });
  }

  async function refresh(name) {
    try { view.edit = await app.request("GET", `/api/edits/${name}`); later(); } catch { /* it was removed */ }
  }

  const undoButton = button(t("edit.undo"), () => move("undo"), { symbol: "undo", "data-key": "undo" });
  const redoButton = button(t("edit.redo"), () => move("redo"), { symbol: "redo", "data-key": "redo" });

  function move(where) {
    return queue(async () => {
      if (view.pending) { discard(); return; }
      view.edit = await app.request("POST", `/api/edits/${view.edit.id}/${where}`, {});
      app.say(t(`edit.${where}_done`));
    });
  }

  // One request after the other, so that steps keep their order.
  function queue(call) {
    turn = turn.then(async () => {
      view.busy = true;
      await app.attempt(call);
      view.busy = false;
      later();
    });
    return turn;
  }

  // A question as the card asks it.
  function worded(name) { return shown().texts[name] || view.edit.texts[name] || name; }

  function shown() { return view.pending && view.preview ? view.preview : view.edit; }

  // The stored name of a question: the change in hand may have renamed it.
  function stored(question) {
    const names = view.edit.card.items.map((one) => one.question);
    return names.includes(question) || !view.pending ? question : view.pending.base;
  }

  function consider(kind, question, make) {
    const base = question === null ? null : stored(question);
    const same = view.pending && view.pending.kind === kind && view.pending.base === base;
    if (view.pending && !same) keep();
    queue(async () => {
      asked += 1;
      const mine = asked;
      const change = make(question === null || same ? base : question);
      const preview = await app.request("POST", `/api/edits/${view.edit.id}/preview`, { change });
      if (mine !== asked) return;
      view.pending = { kind, base: same ? base : question, change };
      view.preview = preview;
      app.say(preview.price.text);
    });
  }

  function keep() {
    const { pending } = view;
    return queue(async () => {
      if (!pending || view.pending !== pending) return;
      view.edit = await app.request("POST", `/api/edits/${view.edit.id}/steps`, { change: pending.change,
          reason: view.reason.trim() });
      view.pending = null;
      view.preview = null;
      view.reason = "";
      app.cards.delete(view.edit.id);
      app.say(t("edit.kept"));
    });
  }

  function discard() {
    asked += 1;
    view.pending = null;
    view.preview = null;
    view.reason = "";
    draw();
  }

  function draw() {
    if (!view.edit) return;
    undoButton.disabled = !view.pending && !view.edit.can_undo;
    redoButton.disabled = view.pending !== null || !view.edit.can_redo;
    drawBench();
    drawBar();
    drawSide();
    drawPast();
  }

  function stepper(label, value, key, set, { low = -Infinity, high = Infinity } = {}) {
    const input = h("input", { type: "number", step: 1, value, "data-key": key, "aria-label": label,
        onchange: (event) => { const n = Number(event.target.value); if (event.target.value !== ""
            && Number.isFinite(n)) set(Math.min(high, Math.max(low, n))); } });
    return h("span", { class: "stepper", role: "group", "aria-label": label },
      h("button", { type: "button", "data-key": `${key}-less`, "aria-label": t("edit.less", { name: label }),
          disabled: value <= low, onclick: () => set(Math.max(low, value - 1)) }, "\u2212"), input,
      h("button", { type: "button", "data-key": `${key}-more`, "aria-label": t("edit.more", { name: label }),
          disabled: value >= high, onclick: () => set(Math.min(high, value + 1)) }, "+"));
  }

  // A question with points for each answer: as many steppers, and its cuts beside its name.
  function answersOf(one, k) {
    const points = one.answers.map((answer) => answer.points);
    return h("ul", { class: "answer-points" }, one.answers.map((answer, at) => h("li", {}, h("span", {}, answer.text),
      stepper(t("edit.points_of", { name: `${worded(one.question)}, ${answer.text}` }), answer.points,
          `points-${k}-${at}`, (value) => consider("points", one.question, (question) => ({ points: { question,
            to: lowest(points.map((own, j) => (j === at ? value : own))) } })), { low: 0, high: 63 }))));
  }

  // The smallest points of a question are 0: moving all by as much says the same.
  function lowest(points) {
    const least = Math.min(...points);
    return points.map((value) => value - least);
  }

  function cutsOf(one, k) {
    return !one.cuts.length ? null : h("span", { class: "field inline cut-row" }, h("span", {}, t("edit.cut")),
      one.cuts.map((cut, at) => h("input", { type: "number", step: "any", class: "short", value: cut, "data-key": `cut-${k}-${at}`,
          "aria-label": t("edit.cut_of", { name: worded(one.question) }), onchange: (event) => {
            const n = Number(event.target.value);
            if (event.target.value !== "" && Number.isFinite(n)) consider(`cut ${at}`, one.question,
              (question) => ({ cut: { question, from: storedCut(one.question, at), to: n } })); } })));
  }

  // The cut as the card in store has it: the change in hand may have moved it.
  function storedCut(question, at) {
    const own = view.edit.card.items.find((one) => one.question === stored(question));
    return own ? own.cuts[at] : null;
  }

  // Whether the card asks questions with points for each answer.
  function hasAnswers() { return view.edit.asks_questions; }

  function drawBench() {
    const { card } = shown();
    const { swaps } = view.edit;
    const all = shown().questions || [];
    const used = card.items.map((one) => one.question);
    replace(bench, h("section", { class: "panel" }, h("h2", {}, t("edit.lines")),
      h("ul", { class: "edit-lines" }, card.items.map((one, k) => h("li", {},
        h("div", { class: "edit-question" }, h("b", {}, worded(one.question)),
          h("span", { class: "row tools" }, one.cuts ? cutsOf(one, k) : null,
            one.cut !== null && one.cut !== undefined ? h("label", { class: "field inline" },
              h("span", {}, t("edit.cut")),
              h("input", { type: "number", step: "any", class: "short", value: one.cut, "data-key": `cut-${k}`,
                  "aria-label": t("edit.cut_of", { name: worded(one.question) }),
                    onchange: (event) => { const n = Number(event.target.value); if (event.target.value !== ""
                        && Number.isFinite(n)) consider("cut", one.question,
                          (question) => ({ cut: { question, to: n } })); } })) : null,
            (swaps[one.question] || []).length ? h("label", { class: "field inline" },
              h("span", {}, t("edit.swap")),
              h("select", { "data-key": `swap-${k}`, "aria-label": t("edit.swap_of", { name: worded(one.question) }),
                  onchange: (event) => { const to = event.target.value; if (to) consider("swap", one.question,
                      (question) => ({ swap: { question, for: to } })); } },
                h("option", { value: "" }, t("edit.swap_none")), swaps[one.question].slice(0,
                  60).map((name) => h("option", { value: name }, worded(name))))) : null)),
        h("span", { class: one.answers ? "row of-answers" : "row" }, one.answers ? answersOf(one, k)
          : stepper(t("edit.points_of", { name: worded(one.question) }), Number(one.points), `points-${k}`, (to) => consider("points", one.question, (question) => ({ points: { question, to } })),
              { low: one.allowed ? one.allowed[0] : -Infinity, high: one.allowed ? one.allowed[1] : Infinity }),
          h("button", { type: "button", class: "plain drop-line", "data-key": `drop-${k}`,
              "aria-label": t("edit.drop_named", { name: worded(one.question) }), title: t("edit.drop"),
                onclick: () => consider("drop", one.question, (question) => ({ drop: question })) },
                  icon("cross")))))),
      card.items.length ? null : h("p", { class: "soft" }, t("edit.no_lines")),
      h("div", { class: "row spread" },
        h("label", { class: "field inline" }, h("span", {}, t("edit.add")),
          h("select", { "data-key": "add", onchange: (event) => { const question = event.target.value;
                if (question) consider("add", null, () => ({ add: hasAnswers() ? { question } : { question, points: 1 } })); } },
          h("option", { value: "" }, t("edit.add_none")),
            all.filter((name) => !used.includes(name)).map((name) => h("option", { value: name }, worded(name))))),
        card.goal === "risk" ? null : h("span", { class: "row" }, h("span", { class: "strong" }, t("edit.threshold")),
          stepper(t("edit.threshold_label"), Number(card.threshold), "threshold", (to) => consider("threshold",
              null, () => ({ threshold: to }))),
          shown().threshold_fixed ? button(t("edit.best_threshold"), () => consider("threshold", null,
              () => ({ threshold: null })), { kind: "quiet", "data-key": "best-threshold" }) : null))));
  }

  function drawBar() {
    const { pending, preview } = view;
    if (!pending || !preview) { replace(bar); return; }
    const text = preview.change_text;
    replace(bar, h("form", { class: "pending", onsubmit: (event) => { event.preventDefault(); keep(); } },
      h("p", {}, h("b", {}, text || t("edit.change")), h("span", {}, ` ${preview.price.text}`)),
      h("label", { class: "field grow" }, h("span", {}, t("edit.reason")),
        h("input", { type: "text", maxlength: 500, value: view.reason, placeholder: t("edit.reason_example"),
            "data-key": "reason", oninput: (event) => { view.reason = event.target.value; } })),
      h("span", { class: "row" }, h("button", { type: "submit", class: "button primary", "data-key": "keep" },
          h("span", {}, t("edit.keep"))), button(t("edit.discard"), discard, { "data-key": "discard" }))));
  }

  function drawSide() {
    const { card, price, before } = shown();
    const n = card.numbers;
    const known = (v) => v !== null && v !== undefined, counts = price.measure === "error";
    const rows = [known(before.weighted_error) && known(n.weighted_error) ? ["weighted_error", before.weighted_error,
        n.weighted_error, (v) => number(v, 4), -1] : null,
      ["errors", before.errors, n.errors, number, counts ? -1 : 0], ["sensitivity", before.sensitivity,
        n.sensitivity, percent, 1], ["specificity", before.specificity, n.specificity, percent, 1],
      known(before.log_loss) && known(n.log_loss) ? ["log_loss", before.log_loss, n.log_loss, (v) => number(v, 4), -1] : null,
      ["size", before.size, n.size, number, 0]].filter(Boolean);
    const moved = (a, b, way) => (a === b || way === 0 ? "" : (b - a) * way > 0 ? "better" : "worse");
    replace(side,
      h("section", { class: price.broken && price.broken.length ? "panel price broken" : "panel price" },
        h("h2", {}, t("edit.price")),
        h("p", { class: "price-now" }, h("b", {}, counts ? signed(price.errors_more) : signed(price.cost, 3)),
          h("span", {}, t(counts ? "edit.errors_more" : "edit.of_objective"))),
        h("p", {}, price.text), h("span", { class: price.proven ? "badge proven" : "badge open" }, price.proven
          ? icon("check") : null, t(price.proven ? "edit.price_proven" : "edit.price_open")),
        price.new_questions ? h("p", { class: "soft small" }, t("edit.new_questions")) : null,
        price.broken && price.broken.length ? h("p", { class: "warning" },
          t("edit.broken", { wishes: price.broken.join("; ") })) : null,
        h("table", { class: "change" },
          h("thead", {}, h("tr", {}, h("td", {}), h("th", { scope: "col" }, t("edit.before")),
              h("th", { scope: "col" }, t("edit.now")))),
          h("tbody", {}, rows.map(([name, a, b, show, way]) => h("tr", {}, h("th", { scope: "row" },
                t(`edit.${name}`)), h("td", {}, show(a)), h("td", { class: moved(a, b, way) }, show(b),
                  moved(a, b, way) ? h("span", { class: "unseen" }, t(`edit.${moved(a, b, way)}`)) : null))))),
        h("div", { class: "row actions" },
          button(t("edit.repair"), repair, { "data-key": "repair", disabled: view.busy || view.pending !== null
              || !view.edit.can_undo, title: t("edit.repair_help") }),
          button(t("edit.take"), () => { app.card = view.edit.id; app.emit("card-chosen", app.card); app.go("take");
              }, { kind: "primary", symbol: "arrow", "data-key": "take", disabled: view.pending !== null })),
        h("p", { class: "help" }, t("edit.repair_help"))),
      cardView(card, { small: true, evidence: false }));
  }

  async function repair() {
    await app.attempt(async () => {
      const run = await app.request("POST", `/api/edits/${view.edit.id}/repair`,
        { time_limit: 30, name: t("edit.repair_name") });
      app.receive("run", run);
      app.run = run.id;
      app.go("watch");
    });
  }

  function drawPast() {
    const { steps, position } = view.edit;
    replace(past, h("section", { class: "panel" }, h("h2", {}, t("edit.past")),
      steps.length ? h("ol", { class: "past" },
        steps.map((one, k) => h("li", { class: k >= position ? "undone" : "" }, h("span", {}, one.text), one.reason
            ? h("span", { class: "why" }, one.reason) : h("span", { class: "soft" }, t("edit.no_reason")))))
        : h("p", { class: "soft" }, t("edit.no_past"))));
  }

  body.addEventListener("keydown", (event) => {
    if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== "z" || !view.edit) return;
    if (event.target.matches("input[type=text]")) return;
    event.preventDefault();
    if (event.shiftKey ? !redoButton.disabled : !undoButton.disabled) move(event.shiftKey ? "redo" : "undo");
  });

  return { element: body, close() { asked += 1; offs.forEach((off) => off()); } };
}
