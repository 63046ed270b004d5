// Fields from the server's description of the settings. An empty field means the default, and leaves no trace in the plan.
import { button, h, icon, id, replace } from "./dom.js";
import { t } from "./texts.js";

// Text as the settings file would read it: a number, JSON such as [0, 5], a word, or nothing.
export function readValue(text) {
  const trimmed = text.trim();
  if (trimmed === "") return undefined;
  if (/^[+-]?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(trimmed)) return Number(trimmed);
  if (/^[[{"]/.test(trimmed) || ["true", "false", "null"].includes(trimmed)) {
    try { return JSON.parse(trimmed); } catch { return trimmed; }
  }
  return trimmed;
}

export function writeValue(value) {
  if (value === undefined) return "";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

function defaultText(field) {
  const value = field.default;
  if (value === null || value === undefined || value === "") return t("form.default");
  if (typeof value === "boolean") return t("form.default_is", { value: t(value ? "form.yes" : "form.no") });
  return t("form.default_is", { value: writeValue(value) });
}

// One field with its label and help. `context` knows the columns, the classes and the questions.
export function fieldRow(name, field, value, change, context, problem = null) {
  const key = `field-${name}`;
  const help = id("help"), input = id("input");
  const common = { id: input, "data-key": key, "aria-describedby": problem ? `${help} ${help}-e` : help,
    "aria-invalid": problem ? "true" : null };
  const control = widget(field, value, change, context, common, name);
  const isGroup = control.dataset.group === "true";
  return h("div", { class: problem ? "setting wrong" : "setting" },
    isGroup ? h("span", { class: "setting-label", id: `${input}-label` }, field.label)
      : h("label", { class: "setting-label", for: input }, field.label),
    control,
    h("p", { class: "help", id: help }, field.help),
    problem ? h("p", { class: "error", id: `${help}-e` }, problem) : null);
}

function widget(field, value, change, context, common, name) {
  const kind = field.widget;
  if (kind === "choice" && field.choices) return choiceField(field, value, change, common);
  if (kind === "truth") {
    return h("select", { ...common, onchange: (event) => change(event.target.value === "" ? undefined
          : event.target.value === "yes") },
      h("option", { value: "", selected: value === undefined }, defaultText(field)),
      h("option", { value: "yes", selected: value === true }, t("form.yes")),
        h("option", { value: "no", selected: value === false }, t("form.no")));
  }
  if (kind === "column") {
    return h("select", { ...common, onchange: (event) => change(event.target.value || undefined) },
      h("option", { value: "", selected: !value }, t("form.none")),
      context.columns.map((one) => h("option", { value: one, selected: value === one }, one)));
  }
  const names = { columns: context.columns, questions: context.questions,
    "by column": context.columns.map((one) => `${one}*`) }[kind];
  if (names && (value === null || typeof value !== "object" || Array.isArray(value))) {
    const given = (list) => change(list.length ? list : undefined);
    return namesField(asList(value), given, names, { label: field.label, key: name,
        describedBy: common["aria-describedby"] });
  }
  if (kind === "range") return rangeField(value, change, field, name);
  if (kind === "share") return shareField(value, change, common);
  if (kind === "group") return groupField(value, change, context.columns, field, common);
  if (kind === "by question") return mappingField(value, change, context.questions, field, name);
  if (kind === "labels") return mappingField(value, change, context.labels, field, name);
  const isNumber = kind === "whole" || kind === "number";
  return h("input", { ...common, type: "text", inputmode: isNumber ? "decimal" : null, value: writeValue(value),
      placeholder: defaultText(field), autocomplete: "off",
    onchange: (event) => change(kind === "text" ? event.target.value.trim() || undefined
      : readValue(event.target.value)) });
}

function choiceField(field, value, change, common) {
  const texts = field.choices.map((one) => writeValue(one));
  const known = value === undefined || texts.includes(writeValue(value));
  return h("select", { ...common, onchange: (event) => change(event.target.value === "" ? undefined
        : field.choices[Number(event.target.value)]) },
    h("option", { value: "", selected: value === undefined }, defaultText(field)),
    texts.map((text, k) => h("option", { value: k, selected: known && text === writeValue(value) }, text)),
    known ? null : h("option", { value: "", selected: true }, writeValue(value)));
}

export function shareField(value, change, common) {
  return h("span", { class: "suffixed" },
    h("input", { ...common, type: "number", min: 0, max: 100, step: "any", value: value === undefined
        || value === null ? "" : Number((100 * value).toFixed(6)),
      onchange: (event) => change(event.target.value === "" ? undefined
        : Number((Number(event.target.value) / 100).toFixed(8))) }),
    h("span", { "aria-hidden": "true" }, "%"));
}

// All rows, each group of a column, or one group: {sex: F}.
function groupField(value, change, columns, field, common) {
  const isOne = value !== null && typeof value === "object";
  const column = isOne ? Object.keys(value)[0] : value || "";
  const label = h("input", { type: "text", class: "short", value: isOne ? Object.values(value)[0] : "",
      placeholder: t("form.each_group"),
    "data-key": `${common["data-key"]}-label`, "aria-label": t("form.one_group", { label: field.label }),
    onchange: () => change(label.value.trim() ? { [column]: label.value.trim() } : column) });
  return h("span", { class: "row", "data-group": "true" },
    h("select", { ...common, "aria-label": field.label, onchange: (event) => change(event.target.value
          || undefined) },
      h("option", { value: "", selected: !column }, t(field.required ? "form.choose_column" : "form.all_rows")),
      columns.map((one) => h("option", { value: one, selected: one === column }, one))),
    column ? label : null);
}

function rangeField(value, change, field, name) {
  if (field.choices && !Array.isArray(value)) return wordOrRange(value, change, field, name);
  const pair = Array.isArray(value) ? [...value] : [null, null];
  const read = (k) => (event) => {
    pair[k] = event.target.value.trim() === "" ? null : Number(event.target.value);
    change(pair[0] === null && pair[1] === null ? undefined : [...pair]);
  };
  const one = (k, label) => h("input", { type: "number", step: "any", value: pair[k] === null ? "" : pair[k],
      "data-key": `field-${name}-${k}`, "aria-label": `${field.label}: ${label}`, placeholder: label,
        onchange: read(k) });
  return h("span", { class: "pair", "data-group": "true" }, one(0, t("form.smallest")), one(1, t("form.largest")));
}

// One of some words, or else a range.
function wordOrRange(value, change, field, name) {
  return h("span", { "data-group": "true" },
    h("select", { "data-key": `field-${name}`, "aria-label": field.label,
      onchange: (event) => change(event.target.value === "range" ? [-10, 10] : event.target.value || undefined) },
    h("option", { value: "", selected: value === undefined }, defaultText(field)),
    field.choices.map((one) => h("option", { value: one, selected: value === one }, one)),
    h("option", { value: "range" }, t("form.range"))));
}

export function asList(value) {
  return value === undefined || value === null || value === "" ? [] : Array.isArray(value) ? value : [value];
}

// Names as chips: typed or chosen from a list; a pattern such as age* is a name as well.
export function namesField(list, change, known, { label, key, describedBy = null }) {
  const options = id("names");
  const input = h("input", { type: "text", list: options, "data-key": `names-${key}`, "aria-label": label,
      "aria-describedby": describedBy, autocomplete: "off", placeholder: t("form.add_name"),
    onkeydown: (event) => { if (event.key === "Enter") { event.preventDefault(); add(); } },
    onchange: () => { if (known.includes(input.value.trim())) add(); } });
  function add() {
    const text = input.value.trim();
    if (text && !list.includes(text)) change([...list, text]);
    input.value = "";
  }
  return h("div", { class: "names", "data-group": "true", role: "group", "aria-label": label },
    list.map((one) => h("span", { class: "chip" }, one,
      h("button", { type: "button", class: "plain", "data-key": `drop-${key}-${one}`, "aria-label": t("form.remove",
            { name: one }), onclick: () => change(list.filter((other) => other !== one)) }, icon("cross")))),
    h("span", { class: "row" }, input, button(t("form.add"), add, { kind: "quiet" })),
    h("datalist", { id: options }, known.slice(0, 500).map((one) => h("option", { value: one }))));
}

// A value for all, or one for each name.
function mappingField(value, change, known, field, name) {
  const isMapping = value !== null && typeof value === "object" && !Array.isArray(value);
  const box = h("div", { class: "mapping", "data-group": "true", role: "group", "aria-label": field.label });
  const entries = isMapping ? Object.entries(value) : [];
  const given = (list) => change(list.length ? Object.fromEntries(list) : undefined);
  const options = id("keys");
  const onlyMapping = field.name === "costs" || field.name === "ranges";
  const single = onlyMapping ? null : h("input", { type: "text", "data-key": `field-${name}`,
      "aria-label": field.label, value: isMapping ? "" : writeValue(value), placeholder: isMapping
        ? t("form.by_name") : defaultText(field),
    onchange: (event) => change(readValue(event.target.value)) });
  const key = h("input", { type: "text", list: options, placeholder: t("form.name"), "aria-label": t("form.name_of",
        { label: field.label }), "data-key": `field-${name}-key` });
  const amount = h("input", { type: "text", class: "short", placeholder: t("form.value"),
      "aria-label": t("form.value_of", { label: field.label }), "data-key": `field-${name}-value`,
    onkeydown: (event) => { if (event.key === "Enter") { event.preventDefault(); add(); } } });
  function add() {
    if (!key.value.trim() || amount.value.trim() === "") return;
    given([...entries.filter(([one]) => one !== key.value.trim()), [key.value.trim(), readValue(amount.value)]]);
  }
  replace(box, single,
    entries.map(([one, worth]) => h("span", { class: "chip" }, `${one}: ${writeValue(worth)}`,
      h("button", { type: "button", class: "plain", "aria-label": t("form.remove", { name: one }),
          onclick: () => given(entries.filter(([other]) => other !== one)) }, icon("cross")))),
    h("details", { open: onlyMapping || entries.length > 0 }, h("summary", {}, t("form.for_each")),
      h("span", { class: "row" }, key, amount, button(t("form.add"), add, { kind: "quiet" }))),
    h("datalist", { id: options }, known.slice(0, 500).map((one) => h("option", { value: one }))));
  return box;
}

// Settings are nested in one place only: `solve`.
export function getSetting(settings, name) {
  const [first, second] = name.split(".");
  return second ? (settings[first] || {})[second] : settings[first];
}

export function withSetting(settings, name, value) {
  const [first, second] = name.split(".");
  const next = { ...settings };
  if (second) {
    next[first] = { ...settings[first] };
    if (value === undefined) delete next[first][second]; else next[first][second] = value;
    if (!Object.keys(next[first]).length) delete next[first];
  } else if (value === undefined) delete next[first];
  else next[first] = value;
  return next;
}
