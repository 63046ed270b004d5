// What the page knows: tables, runs and cards as the server last said, and who wants to hear of changes.
import { t } from "./texts.js";

export const LIVE = ["queued", "starting", "running", "stopping"];

export function createApp(transport) {
  const listeners = new Map();
  let asked = 0;
  // Answers can overtake each other: only that of the last question about the table counts.
  async function latest(answer) {
    asked += 1;
    const mine = asked;
    const table = await answer;
    return mine === asked ? table : null;
  }
  const app = {
    transport,
    about: null,
    linked: true,
    tables: new Map(),
    table: null, // the whole of the table in use
    runs: new Map(),
    cards: new Map(),
    traces: new Map(), // run -> [{ seconds, best, bound, stage }]
    form: null,
    run: null, // id of the run looked at
    card: null, // id of the card in hand
    edit: null, // id of the edit in hand

    on(topic, call) {
      if (!listeners.has(topic)) listeners.set(topic, new Set());
      listeners.get(topic).add(call);
      return () => listeners.get(topic).delete(call);
    },
    emit(topic, value) {
      for (const call of [...(listeners.get(topic) || [])]) call(value);
    },
    async request(method, path, body, progress) {
      return (await transport.request(method, path, body, progress)).body;
    },
    async loadAll() {
      const [tables, runs] = await Promise.all([app.request("GET", "/api/tables"),
          app.request("GET", "/api/runs")]);
      app.tables = new Map(tables.tables.map((one) => [one.id, one]));
      app.runs = new Map(runs.runs.map((one) => [one.id, one]));
      if (app.table && app.tables.has(app.table.id)) await app.openTable(app.table.id);
      else if (app.table) app.table = null;
      app.emit("tables");
      app.emit("runs");
    },
    async openTable(name) {
      const changed = !app.table || app.table.id !== name;
      const found = await latest(app.request("GET", `/api/tables/${name}`));
      if (!found) return;
      app.table = found;
      if (changed) { app.run = null; app.card = null; app.edit = null; }
      app.emit("table", app.table);
    },
    async changeTable(change) {
      const found = await latest(app.request("PATCH", `/api/tables/${app.table.id}`, change));
      if (found) app.setTable(found);
    },
    setTable(table) {
      app.table = table;
      app.emit("table", table);
    },
    runsOfTable() {
      return [...app.runs.values()].filter((one) => app.table && one.table === app.table.id)
        .sort((a, b) => (a.added < b.added ? 1 : a.added > b.added ? -1 : 0));
    },
    async getCard(name, fresh = false) {
      if (fresh || !app.cards.has(name)) app.cards.set(name, await app.request("GET", `/api/cards/${name}`));
      return app.cards.get(name);
    },
    async trace(run) {
      if (!app.traces.has(run)) {
        app.traces.set(run, []);
        const stored = await app.request("GET", `/api/runs/${run}/trace`);
        const points = stored.stages.flatMap((one) => one.points.map(([seconds, best, bound]) => ({ seconds, best,
              bound, stage: one.stage })));
        const since = app.traces.get(run);
        const last = points.length ? points.at(-1).seconds : -1;
        app.traces.set(run, [...points, ...since.filter((one) => one.seconds > last)]);
      }
      return app.traces.get(run);
    },
    forgetTrace(run) { app.traces.delete(run); },
    chooseCard(name) { app.card = name; app.edit = null; app.emit("card-chosen", name); },
    isFavourite(card) { return app.favouritesOfTable().includes(card); },
    // They are kept by the server: every browser sees them.
    favouritesOfTable() { return app.tables.get(app.table?.id)?.favourites || []; },
    toggleFavourite(card) {
      const here = app.favouritesOfTable();
      const cards = here.includes(card) ? here.filter((one) => one !== card)
        : [...here, card].slice(-app.about.limits.cards_compared);
      const { id } = app.table;
      app.tables.set(id, { ...app.tables.get(id), favourites: cards });
      app.emit("favourites");
      return app.attempt(() => app.request("PUT", `/api/tables/${id}/favourites`, { cards }));
    },
  };

  app.receive = (name, data) => {
    if (name === "hello") {
      if (app.server && app.server !== data.server) { app.traces.clear(); app.loadAll().catch(() => {}); }
      app.server = data.server;
    } else if (name === "reset") app.loadAll().catch(() => {});
    else if (name === "table") {
      const before = app.tables.get(data.id);
      app.tables.set(data.id, data);
      app.emit("tables");
      if (!before || String(before.favourites) !== String(data.favourites)) app.emit("favourites");
      const wanted = app.table ? app.table.id === data.id : true; // another browser may have brought the first table
      if (wanted && data.state !== "reading" && !onlyFavourites(before, data)) app.openTable(data.id).catch(() => {});
      else if (app.table && app.table.id === data.id && before
        && before.state !== data.state) app.emit("table-state", data);
    } else if (name === "table-removed") {
      app.tables.delete(data.id);
      if (app.table && app.table.id === data.id) app.setTable(null);
      app.emit("tables");
    } else if (name === "run") {
      app.runs.set(data.id, { ...data, progress: data.progress || app.runs.get(data.id)?.progress || null });
      app.emit("runs", data.id);
    } else if (name === "run-removed") {
      app.runs.delete(data.id);
      if (app.run === data.id) app.run = null;
      app.emit("runs", data.id);
    } else if (name === "progress") {
      const run = app.runs.get(data.run);
      if (run) { run.progress = data; run.stage = data.stage; run.seconds = Math.max(run.seconds || 0, data.t); }
      const trace = app.traces.get(data.run);
      if (trace && data.t !== null && (!trace.length || data.t >= trace.at(-1).seconds)) {
        trace.push({ seconds: data.t, best: data.objective, bound: data.bound, stage: data.stage });
        if (trace.length > 4000) app.traces.set(data.run, trace.filter((_, k) => k % 2 === 0 || k > 3000));
      }
      app.emit("progress", data);
    } else if (name === "card") {
      app.cards.set(data.card.id, data.card);
      app.emit("card", data);
    } else if (name === "edit") app.emit("edit", data);
  };
  return app;
}

function onlyFavourites(before, now) {
  const rest = (one) => JSON.stringify({ ...one, favourites: null });
  return before && String(before.favourites) !== String(now.favourites) && rest(before) === rest(now);
}

// An error as a sentence for people.
export function inWords(error) {
  if (!error) return "";
  if (error.error) error = error.error;
  if (error.code === "lost") return t("errors.lost");
  if (error.code === "token") return t("errors.token");
  const text = error.message || String(error);
  return error.remedy && !text.includes(error.remedy) ? `${text} ${error.remedy}` : text;
}
