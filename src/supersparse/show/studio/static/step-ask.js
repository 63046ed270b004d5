// Step 2: what is asked of the card. The form is the settings file, with its help texts.
import { inWords } from "./app.js";
import { button, h, icon, intro, replace, settled, soon } from "./dom.js";
import { asList, fieldRow, getSetting, withSetting } from "./form.js";
import { whole } from "./numbers.js";
import { directionList, questionList, unfinished, wishList } from "./wishes.js";
import { t } from "./texts.js";

const DRAWN = ["goal", "constraints", "positive"]; // these have places of their own
const LATER = ["C0", "class_weight"]; // which few need on a card of questions
const OF_TEACHER = ["questions", "teacher", "blend"];

export function askStep(app) {
  const body = h("div", { class: "step ask-step" });
  const view = { plan: null, check: null, problem: null, conflict: undefined, checking: false, searching: false,
    name: "",
    wish: { kind: null }, questions: { filter: "", shown: 60, open: false }, directions: { open: false }, open: new Set(), starting: false };
  const left = h("div", { class: "ask-form" }),
    right = h("aside", { class: "ask-summary", "aria-label": t("ask.summary") });
  const later = soon(draw), summaryLater = soon(drawSummary);
  const offs = [app.on("table", () => load())];
  let asked = 0, kept = 0, changes = 0; // checks; changes that the server has, and all of this page
  load();

  async function load() {
    if (!app.table || app.table.state === "failed" || (app.table.state === "ready" && !app.table.classes)) {
      replace(body, h("section", { class: "empty-state" }, h("h1", {}, t("steps.ask")),
          h("p", {}, t("ask.no_table")), button(t("ask.to_table"), () => app.go("table"), { kind: "primary" })));
      return;
    }
    if (!body.contains(left)) replace(body,
      intro(t("ask.title"), t("ask.lede", { target: app.table.choices ? app.table.choices.target : "" })),
        h("div", { class: "ask-columns" }, left, right));
    if (!view.plan) replace(left, h("div", { class: "panel loading", role: "status" },
        h("span", { class: "spinner" }), h("p", {}, t("shell.loading"))));
    await app.attempt(async () => {
      if (!app.form) app.form = await app.request("GET", "/api/form");
      const plan = await app.request("GET", `/api/tables/${app.table.id}/plan`);
      if (kept === changes) view.plan = plan; // else what was changed here is on its way there
      draw();
      runCheck();
    });
  }

  const context = () => ({
    questions: view.check ? view.check.features : !app.table.columns ? [] : asksQuestions()
      ? app.table.columns.filter((one) => one.role === "feature").map((one) => one.name) : app.table.columns.flatMap((one) => one.questions.map((q) => q.name)),
    columns: app.table.columns ? app.table.columns.filter((one) => one.role !== "target").map((one) => one.name)
      : [],
    texts: view.check ? view.check.texts : {},
    labels: app.table.classes ? [app.table.classes.positive, app.table.classes.negative].map(String) : [],
  });

  const runCheck = settled(250, async () => {
    asked += 1;
    const mine = asked, sent = changes;
    view.checking = true;
    summaryLater();
    let problem = null, check = null;
    const unfilled = unfinished(view.plan.settings.constraints || [], app.form.constraints);
    if (unfilled) problem = { code: "input", message: t("ask.unfinished", { name: unfilled.label }), thing: null };
    else try {
      check = await app.request("POST", `/api/tables/${app.table.id}/check`, view.plan);
      if (sent !== changes) return; // the check of the later change follows
      await app.request("PUT", `/api/tables/${app.table.id}/plan`, view.plan);
      kept = sent;
    } catch (error) {
      if (!error.error) throw error;
      problem = error.error;
    }
    if (mine !== asked) return;
    view.checking = false;
    view.problem = problem;
    const before = view.check ? view.check.features.join("\n") : null;
    if (check) view.check = check;
    if (problem || (check && check.features.join("\n") !== before)) later(); else summaryLater();
  });

  // What is drawn may be older than the plan: changes of wishes are made to the list as it is now.
  function changeWishes(edit) {
    const { settings } = view.plan;
    const next = edit(settings.constraints || []);
    const columnOf = ({ group }) => (group && typeof group === "object" ? Object.keys(group)[0] : group);
    const columns = next.map(columnOf).filter(Boolean);
    const groups = [...new Set([...asList(settings.rate_groups), ...columns])]; // groups of a wish are no questions
    changeSettings({ ...settings, constraints: next.length ? next : undefined,
      rate_groups: groups.length ? groups : undefined });
  }

  function changePlan(change) {
    view.plan = { ...view.plan, ...change };
    changes += 1;
    later();
    runCheck();
  }

  function changeSettings(settings) {
    const clean = Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
    changePlan({ settings: clean });
    view.conflict = undefined;
  }

  // Directions are kept with the table. The answer makes the step load again, with the questions that are left.
  function changeTable(change) {
    Object.assign(app.table.choices, change); // the next change builds on this one
    draw();
    return app.attempt(() => app.changeTable(change));
  }

  // Settings are of the plan, but what becomes of the columns is kept with the table.
  function valueOf(name) {
    if (!name.startsWith("prepare.")) return getSetting(view.plan.settings, name);
    const value = (app.table.choices || {})[name.slice(8)];
    return value === app.form.fields[name].default ? undefined : value;
  }

  function changeValue(name, value) {
    if (!name.startsWith("prepare.")) return changeSettings(withSetting(view.plan.settings, name, value));
    return changeTable({ [name.slice(8)]: value === undefined ? app.form.fields[name].default : value });
  }

  function field(name) {
    const one = app.form.fields[name];
    if (!one) return null;
    const wrong = view.problem && view.problem.thing && (view.problem.thing === name
      || name.endsWith(`.${view.problem.thing}`));
    return fieldRow(name, one, valueOf(name), (value) => changeValue(name, value), context(), wrong
      ? inWords(view.problem) : null);
  }

  const asksQuestions = () => view.plan.settings.questions ?? (view.plan.settings.goal === "risk");

  function hidden(name) {
    return (asksQuestions() ? app.form.of_features : app.form.of_questions).includes(name);
  }

  // What only the other kind of card has leaves with it.
  function changeGoal(goal) {
    const gone = goal === "risk" ? app.form.of_features : [...app.form.of_questions, ...OF_TEACHER];
    const kept = Object.fromEntries(Object.entries(view.plan.settings).filter(([name]) => !gone.includes(name)));
    const size = goal === "risk" ? { max_questions: 6 } : {};
    return changeSettings({ ...kept, ...size, goal });
  }

  function goal() {
    const settings = view.plan.settings, chosen = settings.goal || "errors";
    return h("fieldset", { class: "panel goal" }, h("legend", {}, h("h2", {}, t("ask.goal"))),
      h("div", { class: "goal-choices" }, ["errors", "risk"].map((one) => h("label", { class: "goal-choice" },
        h("input", { type: "radio", name: "goal", value: one, checked: chosen === one, "data-key": `goal-${one}`,
            onchange: () => changeGoal(one) }),
        h("span", {}, h("b", {}, t(`ask.goal_${one}`)), h("span", { class: "soft" },
            t(`ask.goal_${one}_help`)))))));
  }

  function validation() {
    const v = view.plan.validate;
    const set = (validate) => changePlan({ validate });
    const count = (name, low, high) => h("div", { class: "setting" },
      h("label", { class: "setting-label", for: `validate-${name}` }, t(`ask.${name}`)),
      h("input", { type: "number", id: `validate-${name}`, min: low, max: high, value: v[name],
          "data-key": `validate-${name}`, onchange: (event) => { const n = Math.round(Number(event.target.value));
            if (n >= low && n <= high) set({ ...v, [name]: n }); else later(); } }));
    return h("section", { class: "panel" }, h("h2", {}, t("ask.validation")),
      h("label", { class: "check" }, h("input", { type: "checkbox", checked: v !== null, "data-key": "validate",
            onchange: (event) => set(event.target.checked ? { cv: 5, repeats: 2 } : null) }),
              h("span", {}, t("ask.validate"))),
      h("p", { class: "help" }, t("ask.validate_help")),
      v ? h("div", { class: "settings-grid" }, count("cv", 2, 20), count("repeats", 1, 10)) : null);
  }

  function draw() {
    const { groups, fields } = app.form;
    const isCommon = (name) => fields[name].common && !(asksQuestions() && LATER.includes(name));
    const commonNames = Object.keys(fields).filter((name) => isCommon(name) && !DRAWN.includes(name) && !hidden(name));
    replace(left,
      goal(),
      h("section", { class: "panel" }, h("h2", {}, t("ask.size")), h("div", { class: "settings-grid" },
          commonNames.map(field))),
      wishList({ settings: view.plan.settings, kinds: app.form.constraints, context: context(),
          change: changeWishes, conflict: view.conflict, view: view.wish, redraw: draw }),
      questionList({ settings: view.plan.settings, context: context(), change: changeWishes, view: view.questions,
          redraw: draw }),
      directionList({ table: app.table, change: changeTable, view: view.directions }),
      validation(),
      h("h2", { class: "everything" }, t("ask.everything")), h("p", { class: "soft" }, t("ask.everything_help")),
      groups.map((group) => {
        const names = group.fields.filter((name) => fields[name] && !isCommon(name) && !DRAWN.includes(name)
          && !hidden(name));
        if (!names.length) return null;
        const changed = names.filter((name) => valueOf(name) !== undefined).length;
        return h("details", { class: "panel", ...remembered(group.id) },
          h("summary", {}, group.title, changed ? h("span", { class: "badge" }, t("ask.changed", { n: changed }))
            : null),
          h("div", { class: "settings-grid" }, names.map(field)));
      }));
    drawSummary();
  }

  async function findConflict() {
    view.searching = true;
    drawSummary();
    await app.attempt(async () => {
      const found = await app.request("POST", `/api/tables/${app.table.id}/conflicts`, view.plan);
      view.conflict = found.conflict;
      app.say(found.conflict ? found.conflict.text : t("ask.no_conflict"));
    });
    view.searching = false;
    draw();
  }

  async function start() {
    view.starting = true;
    drawSummary();
    await app.attempt(async () => {
      const run = await app.request("POST", "/api/runs", { table: app.table.id, kind: "card",
          name: view.name.trim() || defaultName(), plan: view.plan });
      app.runs.set(run.id, run);
      app.run = run.id;
      app.emit("runs");
      app.go("watch");
    });
    view.starting = false;
    if (body.isConnected) drawSummary();
  }

  function defaultName() {
    return t("ask.run_name", { n: app.runsOfTable().filter((run) => run.kind === "card").length + 1 });
  }

  function drawSummary() {
    if (!view.plan) return;
    const { check, problem } = view;
    replace(right, h("div", { class: "panel sticky" },
      h("h2", {}, t("ask.summary")),
      check ? h("p", {}, t("ask.rows_questions", { rows: whole(check.rows), questions: check.questions })) : null,
      check && check.wishes.length ? h("ul", { class: "ticks" }, check.wishes.slice(0, 8).map((one) => h("li", {},
            icon("check"), h("span", {}, one))), check.wishes.length > 8 ? h("li", { class: "soft" },
              t("ask.more_wishes", { n: check.wishes.length - 8 })) : null) : null,
      problem ? h("p", { class: "warning" }, inWords(problem)) : null,
      conflictBox(),
      h("label", { class: "field" }, h("span", {}, t("ask.name")),
        h("input", { type: "text", maxlength: 80, value: view.name, placeholder: defaultName(),
            "data-key": "run-name", oninput: (event) => { view.name = event.target.value; } })),
      button(t(view.starting ? "ask.starting" : "ask.start"), start, { kind: "primary wide", symbol: "play",
          "data-key": "start", disabled: view.starting || problem !== null }),
      button(t(view.searching ? "ask.searching" : "ask.find_conflict"), findConflict,
        { kind: "wide", "data-key": "conflict", disabled: view.searching || problem !== null }),
      view.checking ? h("p", { class: "soft small" }, t("ask.checking")) : null,
      check ? h("details", remembered("as file"), h("summary", {}, t("ask.as_file")),
        h("pre", { tabindex: 0, "aria-label": t("ask.as_file") }, check.yaml || "{}"), check.command
          ? h("pre", { tabindex: 0, "aria-label": t("ask.command") }, check.command) : null) : null,
      check && check.notes.length ? h("details", remembered("notes"), h("summary", {}, t("ask.notes", { n: check.notes.length })),
        h("ul", { class: "notes" }, check.notes.map((one) => h("li", {}, one)))) : null));
  }

  // What was opened stays open when it is drawn again.
  function remembered(name) {
    return { open: view.open.has(name),
      ontoggle: (event) => { if (event.target.open) view.open.add(name); else view.open.delete(name); } };
  }

  function conflictBox() {
    if (view.conflict === undefined) return null;
    if (view.conflict === null) return h("p", { class: "good" }, icon("check"), t("ask.no_conflict"));
    return h("div", { class: "conflict" }, h("h3", {}, t(view.conflict.smallest ? "ask.conflict_smallest"
          : "ask.conflict")),
      h("ul", {}, view.conflict.wishes.map((one) => h("li", {}, h("span", {}, one.text),
        one.index === null ? null : button(t("ask.give_up"),
          () => changeWishes((now) => now.filter((_, k) => k !== one.index)),
            { kind: "quiet", "aria-label": t("ask.give_up_named", { name: one.text }) })))),
      view.conflict.wishes.length ? null : h("p", {}, view.conflict.text));
  }

  return { element: body, close() { asked += 1; offs.forEach((off) => off()); } };
}
