// One column of the table: its kind, its histogram by class, its cut points and the questions that they make.
import { button, calmly, h, replace } from "./dom.js";
import { number, percent } from "./numbers.js";
import { categoryBars, cutHistogram, plainHistogram } from "./histogram.js";
import { t } from "./texts.js";

function binned({ positive, negative }) {
  return positive.map((n, k) => ({ positive: n, negative: negative[k] }));
}

export function columnCard(app, table, column, patch) {
  const isUsed = column.role === "feature";
  const questions = h("ul", { class: "questions" });
  const note = h("p", { class: "note" }, column.why_left_out ? t("column.left_out", { why: column.why_left_out })
    : column.note || "");
  drawQuestions(column.questions);

  function drawQuestions(list) {
    replace(questions, list.slice(0, 8).map((one) => h("li", {}, one.text || one.name)), list.length > 8
      ? h("li", { class: "more" }, t("column.more", { n: list.length - 8 })) : null);
  }

  const setCuts = (cuts) => patch({ cut_points: { ...table.choices.cut_points, [column.name]: cuts } },
    t("column.cuts_set", { name: column.name, cuts: cuts.map((c) => number(c)).join(", ") || t("column.none") }));
  const look = calmly(120, async (cuts) => {
    try {
      const found = await app.request("POST", `/api/tables/${table.id}/cuts`, { column: column.name, cuts });
      drawQuestions(found.questions);
    } catch { /* the PATCH on release says what is wrong */ }
  });

  function picture() {
    const shape = column.histogram;
    if (!shape) return null;
    if (shape.labels) {
      const all = shape.labels.map((name, k) => ({ name, positive: shape.positive[k],
            negative: shape.negative[k] }));
      return h("div", {}, categoryBars(all.slice(0, 5)), all.length > 5 || shape.others
        ? h("p", { class: "soft small" }, t("column.more_values",
            { n: all.length - Math.min(5, all.length) + (shape.others || 0) })) : null);
    }
    const edges = shape.edges, low = edges[0], high = edges.at(-1);
    if (!isUsed || !table.classes || !(high > low)) {
      return h("div", { class: "picture" }, plainHistogram(binned(shape),
          t("column.histogram", { name: column.name })), scale(low, high));
    }
    const cut = cutHistogram({ name: column.name, bins: binned(shape), low, high, isWhole: column.whole,
        cuts: column.cuts, change: setCuts, preview: look });
    return h("div", { class: "picture" }, cut.element, scale(low, high), cutField(cut));
  }

  function scale(low, high) {
    return h("p", { class: "scale", "aria-hidden": "true" }, h("span", {}, number(low)),
      h("span", {}, number(high)));
  }

  function cutField() {
    const field = h("input", { type: "text", inputmode: "decimal",
        value: column.cuts.map((c) => String(c)).join(", "), "data-key": `cuts-${column.index}`,
          "aria-label": t("column.cuts_of", { name: column.name }),
      onchange: () => {
        const words = field.value.split(/[,;\s]+/).filter(Boolean);
        const values = words.map(Number);
        const wrong = words.find((_, k) => !Number.isFinite(values[k]));
        field.setAttribute("aria-invalid", wrong === undefined ? "false" : "true");
        if (wrong !== undefined) app.fail({ message: t("column.not_a_number",
              { text: wrong, name: column.name }) });
        else setCuts([...new Set(values)].sort((a, b) => a - b));
      } });
    const isOwn = table.choices.cut_points && column.name in table.choices.cut_points;
    return h("div", { class: "cuts row" }, h("span", { class: "soft", "aria-hidden": "true" }, t("column.cuts")),
      field,
      isOwn ? button(t("column.suggested"), () => {
        const others = { ...table.choices.cut_points };
        delete others[column.name];
        patch({ cut_points: others });
      }, { kind: "quiet", "data-key": `suggest-${column.index}` }) : null);
  }

  function toggle() {
    if (column.role === "target" || column.role === "weights" || column.role === "groups") return null;
    const { drop = [], keep = [] } = table.choices;
    const byHand = drop.includes(column.name);
    if (!isUsed && !byHand && !column.can_keep) return null;
    return h("label", { class: "switch" },
      h("input", { type: "checkbox", role: "switch", checked: isUsed, "data-key": `use-${column.index}`,
          onchange: (event) => {
        if (event.target.checked) patch(byHand ? { drop: drop.filter((one) => one !== column.name) }
          : { keep: [...keep, column.name] });
        else if (keep.includes(column.name)) patch({ keep: keep.filter((one) => one !== column.name), drop });
        else patch({ drop: [...drop, column.name] });
      } }), h("span", {}, t("column.use")), h("span", { class: "unseen" }, column.name));
  }

  function details() {
    if (!isUsed || column.kind === "nothing") return null;
    const setting = (name, options, value) => h("label", { class: "field" }, h("span", {}, t(`column.${name}`)),
      h("select", { "data-key": `${name}-${column.index}`, onchange: (event) => {
        const next = { ...table.choices[name] };
        if (event.target.value) next[column.name] = event.target.value; else delete next[column.name];
        patch({ [name]: next });
      } }, options.map(([key, text]) => h("option", { value: key, selected: (value || "") === key }, text))));
    const unit = h("input", { type: "text", value: column.unit || "", maxlength: 40,
        "data-key": `unit-${column.index}`, onchange: () => {
      const next = { ...table.choices.units };
      if (unit.value.trim()) next[column.name] = unit.value.trim(); else delete next[column.name];
      patch({ units: next });
    } });
    const numeric = column.kind === "numbers";
    const asCategory = (table.choices.category || []).includes(column.name);
    return h("details", { class: "column-more" }, h("summary", {}, t("column.more_settings"),
        h("span", { class: "unseen" }, ` (${column.name})`)),
      h("div", { class: "row" },
        setting("direction", [["", t("column.either")], ["+", t("column.raises")], ["-", t("column.lowers")]],
          (table.choices.direction || {})[column.name]),
        numeric ? setting("shape", [["", t("column.shape_auto")], ["monotone", t("column.monotone")],
            ["rising", t("column.rising")], ["falling", t("column.falling")], ["any", t("column.any")]],
              (table.choices.shape || {})[column.name]) : null,
        numeric ? h("label", { class: "field" }, h("span", {}, t("column.unit")), unit) : null,
        numeric || asCategory ? h("label", { class: "check" }, h("input", { type: "checkbox", checked: asCategory,
              "data-key": `category-${column.index}`, onchange: (event) => {
          const others = (table.choices.category || []).filter((one) => one !== column.name);
          patch({ category: event.target.checked ? [...others, column.name] : others });
        } }), t("column.category")) : null));
  }

  const facts = [t(`column.kind_${column.kind.replaceAll(" ", "_")}`), column.different !== null
    && column.different !== undefined ? t("column.different", { n: column.different }) : null,
    column.missing ? t("column.missing", { n: column.missing, share: percent(column.missing / (table.rows || 1),
          0) }) : null].filter(Boolean).join(" \u00b7 ");
  return h("article", { class: isUsed ? "column" : "column unused", "aria-label": column.name },
    h("header", {}, h("h3", {}, column.name, column.unit ? h("span", { class: "soft" }, ` ${column.unit}`) : null),
      toggle()),
    h("p", { class: "facts" }, facts), picture(), isUsed ? questions : null, note.textContent ? note : null,
      details());
}
