// Wishes: the constraints of the settings file, a row each, and the choice of must-have and forbidden questions.
import { button, h, icon } from "./dom.js";
import { asList, fieldRow } from "./form.js";
import { t } from "./texts.js";

const FIRST = ["min_sensitivity", "min_specificity", "max_difference", "at_most", "budget", "only_if"];

export function kindOf(constraint, kinds) {
  return kinds.find((kind) => kind.id in constraint) || null;
}

// A wish on one question is shown in the list of questions instead.
function isOfOneQuestion(constraint, questions) {
  const name = constraint.must_use ?? constraint.must_not_use;
  const list = asList(name);
  return list.length === 1 && questions.includes(list[0]) && Object.keys(constraint).length === 1;
}

// A new wish: shares begin at a usual value, everything else is to be filled in.
function blank(kind) {
  const start = (field) => {
    if (field.choices) return field.choices[0];
    if (field.widget === "by question") return {};
    if (field.name !== kind.id) return "";
    return { share: kind.id.startsWith("max_") ? 0.1 : 0.95, whole: 1, number: 1 }[field.widget] ?? "";
  };
  return Object.fromEntries(kind.fields.filter((field) => field.required).map((field) => [field.name,
        start(field)]));
}

// The kind of the first wish in which something that is needed is not filled in.
export function unfinished(wishes, kinds) {
  const isEmpty = (value) => value === undefined || value === "" || (typeof value === "object"
    && !Object.keys(value).length);
  return wishes.map((wish) => [wish, kindOf(wish, kinds)])
    .find(([wish, kind]) => kind && kind.fields.some((field) => field.required && isEmpty(wish[field.name])))?.[1]
      || null;
}

export function wishList({ settings, kinds, context, change, conflict, view, redraw }) {
  const list = settings.constraints || [];
  const inConflict = new Set((conflict ? conflict.wishes : []).map((one) => one.index));
  const shown = list.map((one, index) => ({ one, index })).filter(({ one }) => !isOfOneQuestion(one,
      context.questions));
  const order = [...kinds].sort((a, b) => rank(a) - rank(b));
  const adding = view.kind || order[0].id;

  return h("section", { class: "panel" },
    h("h2", {}, t("ask.wishes")), h("p", { class: "soft" }, t("ask.wishes_help")),
    shown.length ? h("ul", { class: "wishes" }, shown.map(({ one, index }) => {
      const kind = kindOf(one, kinds);
      return h("li", { class: inConflict.has(index) ? "wish wrong" : "wish" },
        h("div", { class: "wish-fields" }, kind ? kind.fields.map((field) =>
          fieldRow(`wish-${index}-${field.name}`, { ...field, label: field.name === kind.id ? kind.label
              : field.label || t(`ask.field_${field.name}`) }, one[field.name],
            (value) => {
              const edited = (wish) => {
                const next = { ...wish };
                if (value === undefined) delete next[field.name]; else next[field.name] = simplest(value);
                return next;
              };
              change((now) => now.map((wish, k) => (k === index ? edited(wish) : wish)));
            }, context)) : h("code", {}, JSON.stringify(one))),
        h("button", { type: "button", class: "plain remove", "data-key": `remove-wish-${index}`,
          "aria-label": t("ask.remove_wish", { name: kind ? kind.label : "" }),
          onclick: () => change((now) => now.filter((_, k) => k !== index)) }, icon("cross")));
    })) : null,
    h("div", { class: "row add-wish" },
      h("label", { class: "field inline" }, h("span", {}, t("ask.new_wish")),
        h("select", { "data-key": "new-wish", onchange: (event) => { view.kind = event.target.value; redraw(); } },
          order.map((kind) => h("option", { value: kind.id, selected: kind.id === adding }, kind.label)))),
      button(t("ask.add_wish"), () => change((now) => [...now, blank(kinds.find((kind) => kind.id === adding))]),
        { symbol: "plus", "data-key": "add-wish" })),
    h("p", { class: "help" }, (kinds.find((kind) => kind.id === adding) || {}).help));
}

function rank(kind) {
  const at = FIRST.indexOf(kind.id);
  return at < 0 ? FIRST.length : at;
}

function simplest(value) {
  return Array.isArray(value) && value.length === 1 ? value[0] : value;
}

// Free, must be in, or never: for each question.
export function questionList({ settings, context, change, view, redraw }) {
  const list = settings.constraints || [];
  const worded = (name) => context.texts[name] || name;
  const wanted = view.filter.toLowerCase();
  const questions = context.questions.filter((one) => one.toLowerCase().includes(wanted)
    || worded(one).toLowerCase().includes(wanted));
  const shown = questions.slice(0, view.shown);
  const stateOf = (name) => {
    const wish = list.find((one) => isOfOneQuestion(one, context.questions)
      && asList(one.must_use ?? one.must_not_use)[0] === name);
    return wish ? ("must_use" in wish ? "must_use" : "must_not_use") : "free";
  };
  const set = (name, state) => change((now) => {
    const others = now.filter((one) => !(isOfOneQuestion(one, context.questions)
      && asList(one.must_use ?? one.must_not_use)[0] === name));
    return state === "free" ? others : [...others, { [state]: name }];
  });
  const special = context.questions.filter((name) => stateOf(name) !== "free");
  return h("details", { class: "panel", open: view.open, ontoggle: (event) => { view.open = event.target.open; } },
    h("summary", {}, t("ask.questions", { n: context.questions.length }), special.length
      ? h("span", { class: "badge" }, t("ask.fixed", { n: special.length })) : null),
    h("p", { class: "soft" }, t("ask.questions_help")),
    context.questions.length > 12 ? h("input", { type: "search", value: view.filter, placeholder: t("ask.filter"),
        "aria-label": t("ask.filter"), "data-key": "filter-questions",
          oninput: (event) => { view.filter = event.target.value; redraw(); } }) : null,
    h("ul", { class: "question-choices" }, shown.map((name) => h("li", {},
      h("span", { class: "what" }, worded(name)),
      h("div", { class: "segments", role: "group", "aria-label": worded(name) },
        ["must_use", "free", "must_not_use"].map((state) =>
        h("button", { type: "button", "data-key": `${state}-${name}`, "aria-pressed": stateOf(name) === state
            ? "true" : "false", onclick: () => set(name, state) }, t(`ask.${state}`))))))),
    questions.length > shown.length ? button(t("ask.more_questions", { n: questions.length - shown.length }),
      () => { view.shown += 100; redraw(); }, { kind: "quiet" }) : null);
}

// Whether more of a column may raise the total, lower it, or either: the choice of the step Table, here by column.
export function directionList({ table, change, view }) {
  const columns = table.columns.filter((one) => one.role === "feature" && one.kind === "numbers");
  if (!columns.length) return null;
  const chosen = table.choices.direction || {}, shapes = table.choices.shape || {};
  const signs = { "": "either", "+": "raises", "-": "lowers" };
  const signOf = (name) => chosen[name] || { rising: "+", falling: "-" }[shapes[name]] || "";
  const decided = columns.filter((one) => signOf(one.name)).length;
  const set = (name, sign) => {
    const direction = { ...chosen }, shape = { ...shapes };
    delete direction[name];
    delete shape[name]; // a shape would say it twice, or against it
    if (sign) direction[name] = sign;
    change({ direction, shape });
  };
  return h("details", { class: "panel", open: view.open, ontoggle: (event) => { view.open = event.target.open; } },
    h("summary", {}, t("ask.directions"), decided ? h("span", { class: "badge" }, t("ask.fixed", { n: decided }))
      : null),
    h("p", { class: "soft" }, t("ask.directions_help")),
    h("ul", { class: "question-choices" }, columns.map((column) => h("li", {},
      h("span", { class: "what" }, column.label || column.name),
      h("div", { class: "segments", role: "group", "aria-label": column.label || column.name },
        Object.entries(signs).map(([sign, word]) => h("button", { type: "button",
            "data-key": `direction-${word}-${column.index}`, "aria-pressed": signOf(column.name) === sign ? "true"
              : "false", onclick: () => set(column.name, sign) }, t(`ask.${word}`))))))));
}
