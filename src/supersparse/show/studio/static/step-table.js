// Step 1: a table comes in; what it holds, what was noticed in it, and what is to be predicted.
import { inWords } from "./app.js";
import { button, h, icon, intro, legend, replace, shareBar, soon } from "./dom.js";
import { bytes, whole } from "./numbers.js";
import { columnCard } from "./column.js";
import { t } from "./texts.js";

const SHOWN = 24; // columns drawn at once; more on demand, so that a wide table stays quick

export function tableStep(app) {
  const body = h("div", { class: "step table-step" });
  const view = { adding: false, filter: "", shown: SHOWN, upload: null, rows: null };
  const later = soon(draw);
  const offs = [app.on("table", later), app.on("tables", () => { if (!app.table || view.adding) later(); }),
    app.on("table-state", later)];
  draw();

  async function patch(change, said) {
    await app.attempt(async () => {
      body.setAttribute("aria-busy", "true");
      const { answers, reading, ...known } = change;
      Object.assign(app.table.choices, known); // the next change builds on this one, whenever the answer comes
      try {
        await app.changeTable(change);
        if (said) app.say(said);
      } finally { body.removeAttribute("aria-busy"); }
    });
  }

  async function add(file) {
    if (!file) return;
    const limit = app.about.limits.upload_bytes;
    if (file.size > limit) {
      app.fail({ code: "large", message: t("table.too_large", { size: bytes(file.size), limit: bytes(limit) }) });
      return;
    }
    const call = app.transport.request("POST", `/api/tables?name=${encodeURIComponent(file.name)}`, file,
      (sent, total) => {
      if (!view.upload) return;
      view.upload.sent = sent;
      view.upload.total = total || file.size;
      drawUpload();
    });
    view.upload = { name: file.name, sent: 0, total: file.size, abort: () => call.abort && call.abort() };
    draw();
    await app.attempt(async () => {
      try {
        const { body: table } = await call;
        view.upload = null;
        opened(table);
      } finally { view.upload = null; draw(); }
    });
  }

  function opened(table) {
    view.adding = false;
    view.shown = SHOWN;
    view.filter = "";
    view.rows = null;
    app.tables.set(table.id, table);
    app.run = null;
    app.card = null;
    app.edit = null;
    app.setTable(table);
    app.emit("tables");
    app.say(t("table.reading", { name: table.name }));
  }

  let uploadBox = null;
  function drawUpload() {
    if (!uploadBox || !view.upload) return;
    const { name, sent, total, abort } = view.upload;
    const share = total ? sent / total : 0;
    replace(uploadBox,
      h("p", { class: "strong" }, t(share < 1 ? "table.uploading" : "table.received", { name })),
      h("progress", { max: 1, value: share, "aria-label": t("table.uploading", { name }) }),
      h("p", { class: "soft" }, t("table.uploaded", { sent: bytes(sent), total: bytes(total) })),
      share < 1 ? button(t("table.abort"), abort, { "data-key": "abort" }) : null);
  }

  function dropZone() {
    const input = h("input", { type: "file", id: "file", hidden: true,
        accept: ".csv,.tsv,.txt,.parquet,.xlsx,.xlsm,.ods,.sav,.sas7bdat,.dta", onchange: () => add(input.files[0]) });
    const zone = h("div", { class: "drop" },
      h("div", { class: "drop-picture", "aria-hidden": "true" }, icon("table")),
      h("p", { class: "drop-title" }, t("table.drop")),
      h("p", { class: "soft" }, t("table.kinds", { limit: bytes(app.about.limits.upload_bytes) })),
      h("div", { class: "row centre" },
        button(t("table.choose_file"), () => input.click(), { kind: "primary", "data-key": "choose-file" }), input,
        button(t("table.demo"), () => app.attempt(async () => opened(await app.request("POST", "/api/tables/demo",
              {}))), { "data-key": "demo" })),
      h("p", { class: "soft small" }, t("table.stays")));
    const over = (on) => (event) => { event.preventDefault(); zone.classList.toggle("over", on); };
    zone.addEventListener("dragover", over(true));
    zone.addEventListener("dragleave", over(false));
    zone.addEventListener("drop", (event) => { over(false)(event); add(event.dataTransfer.files[0]); });
    return zone;
  }

  function earlier() {
    const list = [...app.tables.values()].sort((a, b) => (a.added < b.added ? 1 : -1));
    if (!list.length) return null;
    return h("section", { class: "panel" }, h("h2", {}, t("table.earlier")),
      h("ul", { class: "list" }, list.map((one) => h("li", {},
        h("button", { type: "button", class: "plain grow left", "data-key": `open-${one.id}`,
            onclick: () => app.attempt(async () => { view.adding = false; await app.openTable(one.id); }) },
          h("b", {}, one.name), h("span", { class: "soft" },
            ` ${one.rows === null ? t(`table.state_${one.state}`) : t("table.size", { rows: whole(one.rows), columns: one.columns_count })}`)),
        button(t("table.remove"), () => app.attempt(() => app.request("DELETE", `/api/tables/${one.id}?runs=1`)),
          { kind: "quiet", "data-key": `remove-${one.id}`, "aria-label": t("table.remove_named",
              { name: one.name }) })))));
  }

  function draw() {
    const table = app.table;
    if (view.upload) {
      uploadBox = h("section", { class: "panel upload", "aria-live": "off" });
      replace(body, h("h1", {}, t("table.title")), uploadBox);
      drawUpload();
      return;
    }
    if (!table || view.adding) {
      replace(body,
        intro(t("table.welcome"), t("table.lede")), dropZone(),
        view.adding && table ? button(t("table.back", { name: table.name }), () => { view.adding = false; draw(); },
          { kind: "quiet" }) : null,
        earlier());
      return;
    }
    if (table.state === "failed") {
      replace(body, head(table), h("section", { class: "panel problem" }, h("h2", {}, t("table.failed")),
        h("p", { class: "warning" }, inWords(table.error)), h("p", { class: "soft" }, t("table.read_again")),
        readingForm(table)));
      return;
    }
    if (!table.columns || (table.state === "reading" && !table.columns.length)) {
      replace(body, head(table), h("section", { class: "panel loading", role: "status" },
          h("span", { class: "spinner", "aria-hidden": "true" }),
            h("p", {}, t("table.reading", { name: table.name }))), columnGhosts());
      return;
    }
    body.toggleAttribute("data-reading", table.state === "reading");
    replace(body, head(table), h("div", { class: "two" }, targetPanel(table), noticedPanel(table)), table.problem
      ? h("p", { class: "warning", role: "alert" }, inWords(table.problem)) : null, columnsPanel(table),
        rowsPanel(table), readingPanel(table), onward(table));
  }

  function readingPanel(table) {
    return h("details", { class: "panel", open: view.reading === true,
        ontoggle: (event) => { view.reading = event.target.open; } }, h("summary", {}, t("table.how_read")),
      readingForm(table));
  }

  function columnGhosts() {
    return h("div", { class: "columns ghosts", "aria-hidden": "true" },
      [1, 2, 3].map(() => h("div", { class: "column ghost-box" })));
  }

  function other() {
    return button(t("table.other"), () => { view.adding = true; draw(); }, { "data-key": "other" });
  }

  function head(table) {
    return h("div", { class: "head" },
      h("div", {}, h("h1", {}, table.name),
        h("p", { class: "lede" }, table.rows === null || table.rows === undefined ? bytes(table.bytes)
          : t("table.size", { rows: whole(table.rows), columns: table.columns_count }), table.state === "reading"
            && table.columns && table.columns.length ? h("span", { class: "busy-note" },
              ` \u00b7 ${t("table.updating")}`) : null)),
      other());
  }

  function targetPanel(table) {
    const chosen = table.choices.target;
    const classes = table.classes;
    const values = (table.targets.find((one) => one.name === chosen) || { values: [] }).values;
    const all = values.reduce((sum, [, n]) => sum + n, 0) || 1;
    const known = table.targets.some((one) => one.name === chosen);
    return h("section", { class: "panel" },
      h("h2", {}, t("table.target_title")),
      h("label", { class: "field" }, h("span", {}, t("table.target")),
        h("select", { "data-key": "target", onchange: (event) => patch({ target: event.target.value || null,
              positive: null }) },
          h("option", { value: "", selected: !chosen }, t("table.target_none")),
          chosen && !known ? h("option", { value: chosen, selected: true }, chosen) : null,
          table.targets.map((one) => h("option", { value: one.name, selected: one.name === chosen }, one.suggested
              ? t("table.suggested", { name: one.name }) : one.name)))),
      chosen && values.length
        ? h("fieldset", { class: "classes" }, h("legend", {}, t("table.positive")),
          values.map(([value, n]) => h("label", { class: "class-choice" },
            h("input", { type: "radio", name: "positive", value, checked: classes ? classes.positive === value
                : false, "data-key": `positive-${value}`, onchange: () => patch({ positive: value }) }),
            h("span", { class: "what" }, value),
            shareBar(n / all), h("span", { class: "soft tabular" }, t("table.rows", { n: whole(n) })))),
          classes && classes.why ? h("p", { class: "soft small" }, t("table.why_positive",
              { positive: classes.positive, why: classes.why })) : null,
          classes && classes.skipped ? h("p", { class: "soft small" }, t("table.skipped", { n: classes.skipped }))
            : null)
        : h("p", { class: "soft" }, t(table.targets.length ? "table.target_help" : "table.no_target")));
  }

  function noticedPanel(table) {
    const list = table.noticed;
    const open = list.filter((one) => one.needs_answer).length;
    return h("section", { class: "panel" },
      h("h2", {}, t("table.noticed"), list.length ? h("span", { class: "badge" }, String(list.length)) : null),
      open ? h("p", { class: "warning" }, t("table.needs_answer", { n: open })) : null,
      list.length ? h("ul", { class: "noticed", tabindex: list.length > 4 ? 0 : null,
          "aria-label": t("table.noticed") },
        list.map((one) => h("li", { class: one.needs_answer ? "needed" : "" },
        h("p", {}, one.column && !one.text.includes(one.column) ? h("b", {}, `${one.column}: `) : null, one.text),
        one.answers.length ? h("div", { class: "segments", role: "group", "aria-label": one.question },
          h("span", { class: "soft" }, one.question),
          one.answers.map((answer) => h("button", { type: "button", "data-key": `${one.id}-${answer.id}`,
                "aria-pressed": one.answer === answer.id ? "true" : "false",
            onclick: () => patch({ answers: { [one.id]: answer.id } },
              t("table.answered", { answer: answer.text })) }, answer.text))) : null)))
        : h("p", { class: "soft" }, t("table.nothing_noticed")));
  }

  function columnsPanel(table) {
    const wanted = table.columns.filter((one) => one.role !== "target"
      && one.name.toLowerCase().includes(view.filter.toLowerCase()));
    const used = wanted.filter((one) => one.role === "feature"),
      rest = wanted.filter((one) => one.role !== "feature");
    const list = [...used, ...rest];
    const grid = h("div", { class: "columns" }, list.slice(0, view.shown).map((column) => columnCard(app, table,
          column, patch)));
    return h("section", { class: "columns-section" },
      h("div", { class: "head" }, h("div", {}, h("h2", {}, t("table.columns")), h("p", { class: "soft" },
            t("table.columns_help"))),
        table.columns.length > 8 ? h("label", { class: "field inline" }, h("span", { class: "unseen" },
            t("table.filter")),
          h("input", { type: "search", placeholder: t("table.filter"), value: view.filter, "data-key": "filter",
              oninput: (event) => { view.filter = event.target.value; view.shown = SHOWN; draw(); } })) : null),
      table.classes ? legend(["positive", table.classes.positive], ["negative", table.classes.negative]) : null,
      list.length ? grid : h("p", { class: "soft" }, t("table.no_column", { text: view.filter })),
      list.length > view.shown ? button(t("table.more_columns", { n: list.length - view.shown }),
        () => { view.shown += 48; draw(); }, { "data-key": "more" }) : null);
  }

  function rowsPanel(table) {
    const box = h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": t("table.preview") });
    const fill = () => {
      if (!view.rows) return;
      replace(box, h("table", { class: "cells" },
        h("thead", {}, h("tr", {}, view.rows.names.map((name) => h("th", { scope: "col" }, name)))),
        h("tbody", {}, view.rows.rows.map((row) => h("tr", {},
              row.map((one) => h("td", { class: one === null ? "soft" : "" }, one === null ? t("table.blank")
                  : one)))))));
    };
    fill();
    return h("details", { class: "panel", open: view.rows !== null, ontoggle: (event) => {
      if (!event.target.open || view.rows) return;
      app.attempt(async () => { view.rows = await app.request("GET",
            `/api/tables/${table.id}/rows?from=0&count=20`); fill(); });
    } }, h("summary", {}, t("table.preview")), box);
  }

  function readingForm(table) {
    const reading = (table.choices && table.choices.reading) || {};
    const field = (name, options) => h("label", { class: "field" }, h("span", {}, t(`table.reading_${name}`)),
      h("select", { "data-key": `reading-${name}`,
          onchange: (event) => patch({ reading: { [name]: event.target.value || null } }) },
        options.map(([value, text]) => h("option", { value, selected: (reading[name] || "") === value }, text))));
    const words = (name) => h("label", { class: "field" }, h("span", {}, t(`table.reading_${name}`)),
      h("input", { type: "text", value: (reading[name] || []).join(", "), "data-key": `reading-${name}`,
          onchange: (event) => patch({ reading: { [name]: event.target.value.split(",").map((one) => one.trim())
            .filter(Boolean) } }) }));
    const sheet = h("input", { type: "text", value: reading.sheet || "", "data-key": "reading-sheet",
        placeholder: t("table.first_sheet"),
          onchange: () => patch({ reading: { sheet: sheet.value.trim() || null } }) });
    return h("div", { class: "row" },
      field("separator", [["", t("table.auto")], [",", ","], [";", ";"], ["\t", t("table.tab")], ["|", "|"]]),
      field("decimal", [["", t("table.auto")], [".", "."], [",", ","]]),
      field("encoding", [["", t("table.auto")], ["utf-8", "UTF-8"], ["cp1252", "Windows-1252"],
          ["latin-1", "Latin-1"]]),
      field("dates", [["", t("table.auto")], ["dmy", t("table.day_first")], ["mdy", t("table.month_first")]]),
      /\.(xls\w?|ods)$/i.test(table.name) ? h("label", { class: "field" }, h("span", {}, t("table.reading_sheet")),
        sheet) : null,
      words("na"), words("as_written"));
  }

  function onward(table) {
    const blocked = table.noticed.some((one) => one.needs_answer) ? t("table.first_answer") : table.problem
      ? inWords(table.problem) : !table.classes ? t("table.first_target") : null;
    return h("div", { class: "onward" },
      h("p", {}, blocked || t("table.ready", { questions: table.questions_count,
            columns: table.columns.filter((one) => one.role === "feature").length })),
      button(t("table.onward"), () => app.go("ask"), { kind: "primary", "data-key": "onward",
          disabled: blocked !== null }));
  }

  return { element: body, close() { offs.forEach((off) => off()); } };
}
