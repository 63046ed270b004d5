
/** The risk of the positive class. */
export const risk = (person) => {
  const { slope, offset, totals, risks } = CARD.risk;
  const given = scoreValues(CARD, values(person)).total;
  if (totals === undefined) return 1 / (1 + Math.exp(-(slope * toNumber(given) + offset)));
  const k = totals.findIndex((one) => order(given, declared(one)) <= 0);
  if (k <= 0) return risks[k === 0 ? 0 : risks.length - 1];
  const [low, high] = [declared(totals[k - 1]), declared(totals[k])];
  const minus = (a, b) => add(a, times(b, { n: -1n, d: 1n }));
  const part = toNumber(minus(given, low)) / toNumber(minus(high, low));
  return risks[k - 1] + part * (risks[k] - risks[k - 1]);
};
