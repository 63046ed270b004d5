// The studio: six steps from a table to a card. Mounted by page.js in a browser and by anywidget in a notebook.
import { createApp, inWords } from "./app.js";
import { h, icon, replace, soon } from "./dom.js";
import { t, useTexts } from "./texts.js";
import { widgetTransport } from "./transport.js";
import { askStep } from "./step-ask.js";
import { chooseStep } from "./step-choose.js";
import { editStep } from "./step-edit.js";
import { tableStep } from "./step-table.js";
import { takeStep } from "./step-take.js";
import { watchStep } from "./step-watch.js";

const STEPS = { table: tableStep, ask: askStep, watch: watchStep, choose: chooseStep, edit: editStep,
  take: takeStep };
const NAMES = Object.keys(STEPS);

export async function mount(element, transport, { page = false } = {}) {
  const app = createApp(transport);
  useTexts((await transport.request("GET", "/static/texts.json")).body);
  const nav = h("nav", { class: "steps", "aria-label": t("shell.steps") });
  const main = h("main", { id: page ? "main" : null, tabindex: -1 });
  const live = h("div", { class: "unseen", role: "status", "aria-live": "polite" });
  const alerts = h("div", { class: "alerts", role: "alert" });
  const tables = h("div", { class: "which" });
  let current = null, step = null;

  app.say = (text) => { live.textContent = text; };
  app.fail = (error) => {
    if (error && error.error && error.error.code === "aborted") return;
    replace(alerts, h("p", {}, inWords(error),
        h("button", { type: "button", class: "plain", "aria-label": t("shell.dismiss"),
            onclick: () => replace(alerts) }, icon("cross"))));
  };
  app.clearAlert = () => replace(alerts);
  // Run something that may be refused; what went wrong is shown at the top.
  app.attempt = async (call) => {
    try {
      app.clearAlert();
      return await call();
    } catch (error) {
      app.fail(error);
      if (!(error && error.error)) throw error;
      return undefined;
    }
  };
  app.go = (name, { focus = true } = {}) => {
    if (!STEPS[name]) return;
    if (page && location.hash !== `#${name}`) history.pushState(null, "", `#${name}`);
    show(name, focus);
  };

  function reached(name) {
    if (name === "table") return true;
    if (!app.table || app.table.state !== "ready") return false;
    if (name === "ask") return app.table.classes !== null;
    if (name === "watch" || name === "choose") return app.table.classes !== null;
    return app.card !== null || app.runsOfTable().some((run) => run.card);
  }

  function done(name) {
    if (!app.table) return false;
    if (name === "table") return app.table.state === "ready" && app.table.classes !== null;
    if (name === "ask") return app.runsOfTable().length > 0;
    if (name === "watch") return app.runsOfTable().some((run) => run.card);
    return false;
  }

  function drawNav() {
    replace(nav, h("ol", {}, NAMES.map((name, k) => h("li", {},
      h("a", {
        href: `#${name}`, "data-key": `step-${name}`, class: reached(name) ? "" : "later",
        "aria-current": name === current ? "step" : null,
        onclick: (event) => { event.preventDefault(); app.go(name); },
      },
      h("span", { class: "number", "aria-hidden": "true" }, done(name) && name !== current ? icon("check")
        : String(k + 1)),
      h("span", { class: "step-name" }, t(`steps.${name}`)))))));
    const list = [...app.tables.values()];
    replace(tables, app.table
      ? h("label", {}, h("span", { class: "unseen" }, t("shell.table")),
        h("select", { "data-key": "which-table",
            onchange: (event) => app.attempt(async () => { await app.openTable(event.target.value);
                show(current, false); }) },
          list.map((one) => h("option", { value: one.id, selected: one.id === app.table.id }, one.name))))
      : null);
  }

  function show(name, focus) {
    if (step) step.close();
    app.clearAlert();
    current = name;
    step = STEPS[name](app);
    replace(main, step.element);
    drawNav();
    if (page) document.title = `${t(`steps.${name}`)} \u2013 ${t("shell.title")}`;
    if (focus) {
      const heading = main.querySelector("h1");
      if (heading) { heading.tabIndex = -1; heading.focus({ preventScroll: true }); }
      if (page) window.scrollTo(0, 0); else element.scrollIntoView({ block: "nearest" });
    }
  }

  const link = h("p", { class: "offline", role: "status", hidden: true }, t("shell.offline"));
  replace(element, h("div", { class: page ? "studio" : "studio widget" },
    page ? h("a", { class: "skip", href: "#main", onclick: (event) => { event.preventDefault(); main.focus(); } },
      t("shell.skip")) : null,
    h("header", { class: "top" },
      h("div", { class: "brand" }, h("span", { class: "mark", "aria-hidden": "true" }),
        h("span", {}, t("shell.brand")), h("b", {}, t("shell.studio"))),
      nav, tables),
    link, alerts, main,
    h("footer", { class: "bottom" }, h("p", { class: "promise" }, t("shell.promise"))), live));

  try {
    if (page) await openSession(transport);
    app.about = await app.request("GET", "/api/about");
    await app.loadAll();
  } catch (error) {
    replace(main, h("section", { class: "empty-state" }, h("h1", {}, t(error.status === 401 ? "shell.locked"
          : "shell.unreachable")), h("p", {}, inWords(error))));
    return () => {};
  }
  const close = transport.subscribe(app.receive, (linked) => {
    link.hidden = linked;
    if (linked && !app.linked) app.loadAll().catch(() => {});
    app.linked = linked;
  });
  for (const topic of ["table", "tables", "runs", "card-chosen"]) app.on(topic, soon(drawNav));
  await openFirst(app);
  const wanted = page ? location.hash.slice(1) : "";
  show(STEPS[wanted] ? wanted : firstStep(app), false);
  if (page) window.addEventListener("popstate", () => { const name = location.hash.slice(1);
      if (STEPS[name] && name !== current) show(name, true); });
  return () => { close(); if (step) step.close(); };
}

async function openSession(transport) {
  const found = /^#token=(.+)$/.exec(location.hash);
  if (!found) return;
  history.replaceState(null, "", location.pathname);
  await transport.session(decodeURIComponent(found[1]));
}

async function openFirst(app) {
  const open = app.about.open || {};
  if (open.run && app.runs.has(open.run)) app.run = open.run;
  const last = [...app.tables.values()].sort((a, b) => (a.added < b.added ? 1 : -1))[0];
  const name = open.table || (open.run && app.runs.get(open.run)?.table) || (last && last.id);
  if (!name || !app.tables.has(name)) return;
  const run = app.run;
  await app.openTable(name).catch(() => {});
  app.run = run;
}

function firstStep(app) {
  return app.table && app.runsOfTable().length ? "watch" : "table";
}

export default {
  render({ model, el }) {
    let close = () => {};
    mount(el, widgetTransport(model)).then((end) => { close = end; });
    return () => close();
  },
};
