// The scoring system as it is printed, built from data.
import { h, icon } from "./dom.js";
import { number, percent } from "./numbers.js";
import { t } from "./texts.js";

function line(one) {
  if (one.answers && one.answers.length) {
    return h("tr", {},
      h("td", { class: "n" }, `${one.number}.`),
      h("td", { colspan: 2 }, h("span", { class: "text" }, one.text),
        h("ul", { class: "answers" }, one.answers.map((answer) =>
          h("li", {}, h("span", { class: "tick" }), h("span", { class: "what" }, answer.text),
            h("b", {}, answer.points))))));
  }
  return h("tr", {},
    h("td", { class: "n" }, `${one.number}.`),
    h("td", { class: "text" }, one.text),
    h("td", { class: "points" }, one.times ? t("card.times", { points: one.points }) : one.points));
}

// The colours of the printed card: the darker, the higher.
const STOPS = [[0, 241, 246, 244], [0.1, 251, 233, 192], [0.25, 246, 194, 124], [0.5, 222, 124, 58],
  [0.75, 178, 62, 40], [1, 112, 18, 30]];

function shade(value) {
  const risk = Math.min(1, Math.max(0, value || 0));
  const k = Math.max(1, STOPS.findIndex(([at]) => risk <= at));
  const [low, ...start] = STOPS[k - 1], [high, ...end] = STOPS[k];
  const mixed = start.map((a, i) => a + (risk - low) / (high - low) * (end[i] - a));
  const linear = mixed.map((v) => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4));
  const light = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2];
  return { background: `rgb(${mixed.map(Math.round).join(" ")})`, color: light > 0.179 ? "#000" : "#fff" };
}

function riskStrip(card) {
  const note = card.risk_note ? h("p", { class: "small" }, card.risk_note) : null;
  if (!card.risks || !card.risks.length) return [observedStrip(card), note];
  return h("div", { class: "risk-block" },
    h("h4", {}, t("card.risk_by_total")),
    h("ol", { class: card.risks.length > 7 ? "strip many" : "strip" }, card.risks.map((one) => h("li", {},
      h("span", { class: "at" }, one.total), h("span", { class: "risk", style: shade(one.value) }, one.risk)))), note);
}

// Without calibrated risks: how many of the training rows with each total are positive.
function observedStrip(card) {
  const seen = (card.observed || []).filter((one) => one.rows > 0);
  if (!seen.length || seen.length > 14 || !card.lines.length) return null;
  return h("div", { class: "risk-block" },
    h("h4", {}, t("card.observed")),
    h("ol", { class: seen.length > 7 ? "strip many" : "strip" },
      seen.map((one) => h("li", { title: t("card.observed_of", { positive: number(one.positive),
            rows: number(one.rows) }) },
      h("span", { class: "at" }, one.total), h("span", { class: "risk", style: shade(one.positive / one.rows) },
        percent(one.positive / one.rows, 0))))));
}

export function proofBadge(proof) {
  if (!proof) return null;
  if (proof.proven) return h("span", { class: "badge proven" }, icon("check"), t("card.proven"));
  if (proof.gap === null || proof.gap === undefined || proof.gap >= 1) return h("span", { class: "badge open" },
    t("card.unproven"));
  return h("span", { class: "badge open" }, t("card.gap", { gap: percent(proof.gap) }));
}

export function cardView(card, { small = false, evidence = true } = {}) {
  const empty = !card.lines.length;
  return h("article", { class: small ? "card small" : "card", "data-card": card.id, "aria-label": t("card.label",
        { name: card.heading }) },
    h("header", {}, h("h3", { class: "title" }, card.heading),
      h("p", {}, empty ? card.rule : card.how)),
    card.warning ? h("p", { class: "warning" }, card.warning) : null,
    empty ? null : h("table", { class: "lines" },
      h("thead", {}, h("tr", {}, h("td", {}), h("th", { scope: "col" }, t("card.question")),
          h("th", { scope: "col", class: "points" }, t("card.points")))),
      h("tbody", {}, card.lines.map(line)),
      h("tfoot", {}, h("tr", { class: "total" }, h("td", {}), h("td", {}, t("card.total")),
          h("td", { class: "points" }, h("span", { class: "box" }))))),
    empty ? null : card.results && card.results.length
      ? h("div", { class: "results" }, card.results.map(([total, label], k) => h("p", { class: k === 0 ? "positive"
            : "" }, h("span", {}, total), h("b", {}, label))))
      : h("p", { class: "rule" }, card.rule),
    riskStrip(card),
    evidence ? evidenceTable(card) : null,
    evidence ? comparison(card) : null,
    card.proof ? h("footer", {}, proofBadge(card.proof), h("span", { class: "proof-text" }, card.proof.text))
      : null);
}

function evidenceTable(card) {
  const n = card.numbers, cv = card.cross_validated;
  if (!n) return null;
  const rows = [
    [t("card.errors"), t("card.of_rows", { errors: number(n.errors), rows: number(n.rows),
          share: percent(n.error) }), cv && percent(cv.error)],
    [t("card.sensitivity"), percent(n.sensitivity), cv && percent(cv.sensitivity)],
    [t("card.specificity"), percent(n.specificity), cv && percent(cv.specificity)],
    n.auc === null || n.auc === undefined ? null : [t("card.auc"), number(n.auc, 3), cv && cv.auc !== null
      && cv.auc !== undefined ? number(cv.auc, 3) : "\u2013"],
    n.weighted_error === null || n.weighted_error === undefined ? null : [t("card.weighted_error"),
      number(n.weighted_error, 4), cv
      && cv.weighted_error !== null && cv.weighted_error !== undefined ? number(cv.weighted_error, 4) : "\u2013"],
    n.log_loss === null || n.log_loss === undefined ? null : [t("card.log_loss"), number(n.log_loss, 4), cv
      && cv.log_loss !== null && cv.log_loss !== undefined ? number(cv.log_loss, 4) : "\u2013"],
  ].filter(Boolean);
  return h("table", { class: "evidence" },
    h("thead", {}, h("tr", {}, h("td", {}), h("th", { scope: "col" }, t("card.training")), cv
        ? h("th", { scope: "col" }, cv.folds < cv.folds_asked
          ? t("card.validated_cut", { done: cv.folds, planned: cv.folds_asked }) : t("card.validated")) : null)),
    h("tbody", {}, rows.map(([name, train, validated]) => h("tr", {}, h("th", { scope: "row" }, name),
          h("td", {}, train), cv ? h("td", {}, validated) : null))));
}

// The card beside models of all columns, and beside cards of fewer questions, on the same held-out rows.
function comparison(card) {
  const rows = card.compared;
  if (!rows || !rows.length) return null;
  const show = (v, digits) => (v === null || v === undefined ? "\u2013" : number(v, digits));
  return h("div", { class: "compared" }, h("h4", {}, t("card.compared")),
    h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": t("card.compared") },
      h("table", { class: "evidence" },
        h("thead", {}, h("tr", {}, h("td", {}), ["auc", "log_loss", "error_rate"].map((name) => h("th", { scope: "col" },
            t(`card.${name}`))))),
        h("tbody", {}, rows.map((one) => h("tr", {}, h("th", { scope: "row" }, one.of),
          h("td", {}, show(one.auc, 3)), h("td", {}, show(one.log_loss, 4)), h("td", {}, percent(one.error))))))));
}

// A card that is not there yet.
export function cardSkeleton(text) {
  return h("div", { class: "card skeleton" }, h("header", {}, h("p", { class: "title" }, text)),
    [70, 52, 61].map((width) => h("div", { class: "ghost" }, h("span", { style: { width: `${width}%` } }),
        h("span", { style: { width: "2rem" } }))));
}
