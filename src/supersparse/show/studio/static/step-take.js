// Step 6: files to take away, and the one settings file that repeats it all.
import { LIVE } from "./app.js";
import { cardSkeleton, cardView } from "./card.js";
import { button, h, intro, replace, settled, soon } from "./dom.js";
import { stageText, t } from "./texts.js";

const ORDER = ["card", "print", "use", "programs", "evidence", "repeat"];
const SHOWABLE = /\.(html|pdf|svg|png|txt)$/;

export function takeStep(app) {
  const body = h("div", { class: "step take-step" });
  const list = h("div", { class: "file-groups" }), side = h("div", { class: "card-box" });
  let files = null, card = null;
  const reload = settled(200, load), later = soon(draw);
  const offs = [app.on("runs", (name) => { const run = app.runs.get(name);
        if (run && ["report", "certificate"].includes(run.kind)) { later(); if (!LIVE.includes(run.state)) reload();
          } })];
  open();

  async function open() {
    card = app.card || (app.runsOfTable().find((run) => run.card && ["card", "repair"].includes(run.kind))
      || {}).card;
    if (!app.table || !card) {
      replace(body, h("section", { class: "empty-state" }, h("h1", {}, t("take.title")),
          h("p", {}, t("take.empty")), button(t("edit.to_watch"), () => app.go("watch"), { kind: "primary" })));
      return;
    }
    app.card = card;
    replace(body, h("div", { class: "head" }, intro(t("take.title"), t("take.lede")),
      button(t("take.all"), () => app.transport.download(`/api/cards/${card}/files/all.zip`, "card.zip"),
        { kind: "primary", symbol: "down", "data-key": "all" })),
    h("div", { class: "take-columns" }, list, side));
    replace(side, cardSkeleton(t("shell.loading")));
    await app.attempt(async () => {
      const found = await app.getCard(card, true);
      replace(side, h("h2", { class: "unseen" }, t("card.label", { name: found.heading })), cardView(found));
      await load();
    });
  }

  async function load() {
    files = (await app.attempt(() => app.request("GET", `/api/cards/${card}/files`)))?.files || files;
    later();
  }

  function draw() {
    if (!files) return;
    const groups = [...new Set([...ORDER,
          ...files.map((one) => one.group)])].filter((group) => files.some((one) => one.group === group));
    replace(list, groups.map((group) => h("section", { class: "panel files" },
          h("h2", {}, t(`take.group_${group}`)), h("p", { class: "soft small" }, t(`take.help_${group}`)),
      h("ul", { class: "list" }, files.filter((one) => one.group === group).map(fileRow)))));
  }

  function fileRow(file) {
    const path = `/api/cards/${card}/files/${file.key}`;
    const address = app.transport.address(path);
    return h("li", { class: file.available ? "" : "off" },
      h("div", { class: "grow" }, h("b", {}, file.key), h("span", { class: "soft" }, ` ${file.text}`),
        !file.available && file.why_not ? h("p", { class: "soft small" }, file.why_not) : null),
      file.available ? h("span", { class: "row" },
        address && SHOWABLE.test(file.key) ? h("a", { class: "button quiet", href: `${address}?show=1`,
            target: "_blank", rel: "noopener", "data-key": `show-${file.key}`, "aria-label": t("take.show_named",
              { name: file.key }) }, h("span", {}, t(file.group === "print" ? "take.print" : "take.show"))) : null,
        button(t("take.download"), () => app.transport.download(path, file.key),
          { symbol: "down", "data-key": `get-${file.key}`, "aria-label": t("take.download_named",
              { name: file.key }) }))
        : file.needs_run ? maker(file) : null);
  }

  // A report and a certificate are made by a run of their own.
  function maker(file) {
    const run = app.runsOfTable().find((one) => one.kind === file.needs_run && one.of === card);
    if (run && LIVE.includes(run.state)) {
      return h("span", { class: "row" }, h("span", { class: "badge live" },
          h("span", { class: "spinner", "aria-hidden": "true" }), stageText(run.stage) || t(`watch.state_${run.state}`,
            { place: run.place || 1 })),
        button(t("watch.cancel"), () => app.attempt(() => app.request("POST", `/api/runs/${run.id}/cancel`, {})),
          { kind: "quiet", "data-key": `cancel-${file.key}` }));
    }
    const failed = run && run.state === "failed" ? h("span", { class: "badge bad" }, run.error ? run.error.message
      : t("watch.state_failed")) : null;
    return h("span", { class: "row" }, failed, button(t(`take.make_${file.needs_run}`),
        () => app.attempt(async () => {
      const made = await app.request("POST", "/api/runs", { kind: file.needs_run, card, table: app.table.id,
          name: t(`watch.kind_${file.needs_run}`) });
      app.receive("run", made);
      draw();
    }), { symbol: "play", "data-key": `make-${file.key}`, "aria-label": t("take.make_named",
      { name: file.key }) }));
  }

  return { element: body, close() { offs.forEach((off) => off()); } };
}
