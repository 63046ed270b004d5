// The words of the page. They are in texts.json, which Python reads too: see texts.py beside this folder.
const words = { texts: {}, plural: null };

export function useTexts(found) {
  words.texts = found;
  words.plural = new Intl.PluralRules(found.language.code);
}

function find(key) {
  const [group, name] = key.split(".");
  return (words.texts[group] || {})[name];
}

// The text of a key such as "table.size", with its {names} filled in.
export function t(key, values = {}) {
  let text = find(key);
  if (text === undefined) return key;
  if (typeof text === "object") {
    text = text[words.plural.select(Number(String(values.n).replace(/\D/g, "")))] || text.other;
  }
  return text.replace(/\{(\w+)\}/g, (whole, word) => (word in values ? String(values[word]) : whole));
}

// What a run does at present: a code of the studio, or words of the library, which come through.
export function stageText(stage) {
  const fold = /fold (\d+) of (\d+)/.exec(stage || ""), size = /^size (\d+)$/.exec(stage || "");
  if (fold) return t("stages.fold", { at: fold[1], all: fold[2] });
  if (size) return t("stages.size", { n: size[1] });
  return find(`stages.${stage}`) === undefined ? stage || "" : t(`stages.${stage}`);
}
