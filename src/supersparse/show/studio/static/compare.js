// Favourites side by side: where they disagree, and for whom.
import { cardView } from "./card.js";
import { h, replace, shareBar } from "./dom.js";
import { number, percent } from "./numbers.js";
import { t } from "./texts.js";

export function compareView(app, toolbar) {
  const element = h("div", {});
  let closed = false;
  load();

  async function load() {
    const cards = app.favouritesOfTable();
    if (!cards.length) {
      replace(element, h("div", { class: "panel invite" }, h("h2", {}, t("choose.no_favourites")),
          h("p", {}, t("choose.no_favourites_help"))));
      return;
    }
    replace(element, h("p", { class: "soft", role: "status" }, t("shell.loading")));
    const found = await Promise.all(cards.map((name) => app.getCard(name).catch(() => null)));
    const known = cards.filter((_, k) => found[k]);
    cards.filter((_, k) => !found[k]).forEach((gone) => app.toggleFavourite(gone));
    let compared = null;
    if (known.length > 1) compared = await app.attempt(() => app.request("POST", "/api/compare", { cards: known }));
    if (!closed) draw(known, found.filter(Boolean), compared);
  }

  function letter(k) { return String.fromCharCode(65 + k); }

  function draw(names, cards, compared) {
    replace(element,
      h("div", { class: "side-by-side" }, cards.map((card, k) => h("div", {}, cards.length > 1
            ? h("p", { class: "letter" }, t("choose.letter", { letter: letter(k) })) : null,
              cardView(card, { small: true }), toolbar(names[k])))),
      compared ? disagreement(compared, cards) : cards.length < 2 ? h("p", { class: "soft" },
        t("choose.one_favourite")) : null);
  }

  function disagreement(found) {
    const all = found.agree + found.disagree || 1;
    return h("section", { class: "panel" }, h("h2", {}, t("choose.disagreements")),
      h("p", {}, t("choose.agree", { agree: number(found.agree), all: number(all),
            disagree: number(found.disagree) })),
      shareBar(found.agree / all),
      found.pairs.length ? h("ul", { class: "notes" },
        found.pairs.map((pair) => h("li", {}, t("choose.pair", { a: letter(pair.cards[0]), b: letter(pair.cards[1]),
              n: number(pair.disagree), first: number(pair.first_right), second: number(pair.second_right) }))))
                : null,
      found.for_whom.length ? [h("h3", {}, t("choose.for_whom")), h("ul", { class: "whom" },
          found.for_whom.map((one) => h("li", {}, h("b", {}, one.text),
              h("span", {}, t("choose.share", { share: percent(one.share, 0), all: percent(one.share_of_all,
                    0) })))))] : null,
      found.groups.map((group) => h("details", { class: "group" },
          h("summary", {}, group.says.map((said, k) => t("choose.says",
                { letter: letter(k), said })).join(" \u00b7 "), h("span", { class: "soft" },
                  ` ${t("choose.in_truth", { positive: number(group.positive), negative: number(group.negative) })}`)),
        group.rows.length ? h("div", { class: "scroll", tabindex: 0, role: "region",
            "aria-label": t("choose.rows") }, h("table", { class: "plain-table" },
          h("thead", {}, h("tr", {}, [t("choose.row"), t("choose.truth"), t("choose.totals"),
                ...Object.keys(group.rows[0].values)].map((name) => h("th", { scope: "col" }, name)))),
          h("tbody", {}, group.rows.map((row) => h("tr", {}, h("td", {}, String(row.row)), h("td", {}, row.label),
                h("td", {}, row.totals.join(" / ")), Object.values(row.values).map((value) => h("td", {},
                    value === null ? t("table.blank") : value)))))))
          : null)));
  }

  return { element, close() { closed = true; } };
}
