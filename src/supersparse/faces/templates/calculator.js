// The page: reads the controls, scores with scoreValues, shows points, total, class and risk.
const $ = (id) => document.getElementById(id);
const NUMBER = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i;

function choiceValue(choice) {
  if (choice.missing) return null;
  return choice.number === undefined ? choice.text : declared(choice.number);
}

function readValue(j) {
  const control = $(`c${j}`);
  const choices = CARD.choices[j];
  if (control.type === "checkbox") return choiceValue(choices[control.checked ? 1 : 0]);
  if (choices) return control.value === "" ? null : choiceValue(choices[Number(control.value)]);
  const text = control.value.trim();
  if (text === "") return null;
  if (NUMBER.test(text)) return Number(text);
  if (CARD.columns[j].kinds.includes("text")) return control.value;
  throw new RefusedValue("needs a number, such as 0.5");
}

function shown({ n, d }) {
  const negative = n < 0n;
  const size = negative ? -n : n;
  let digits = String((size * 10n ** 6n * 2n + d) / (2n * d)).padStart(7, "0");
  digits = `${digits.slice(0, -6)}.${digits.slice(-6)}`.replace(/\.?0+$/, "");
  const about = (size * 10n ** 6n) % d === 0n ? "" : "≈ ";
  return about + (negative && digits !== "0" ? "\u2212" : "") + digits;
}

function riskOf(total) {
  const { risk } = CARD;
  if (risk.slope !== undefined) return 1 / (1 + Math.exp(-(risk.slope * total + risk.offset)));
  const { totals, risks } = risk;
  if (total <= totals[0]) return risks[0];
  const k = totals.findIndex((t) => t >= total);
  if (k < 0) return risks[risks.length - 1];
  const part = (total - totals[k - 1]) / (totals[k] - totals[k - 1]);
  return risks[k - 1] + part * (risks[k] - risks[k - 1]);
}

function percent(risk) {
  return `${(100 * risk).toFixed(risk > 0.001 && risk < 0.999 ? 1 : 3)} %`;
}

let touched = new Set();

function complain(j, message) {
  const control = $(`c${j}`);
  const waiting = message === "needs a value" && !touched.has(j);
  $(`e${j}`).textContent = message && !waiting ? message : "";
  if (message && !waiting) control.setAttribute("aria-invalid", "true");
  else control.removeAttribute("aria-invalid");
}

function update() {
  const values = [];
  let wrong = 0;
  CARD.columns.forEach((column, j) => {
    let message = "";
    try {
      values[j] = readValue(j);
      checkValue(column, values[j]);
    } catch (error) {
      if (!(error instanceof RefusedValue)) throw error;
      message = error.message.startsWith(`${column.name}: `) ? error.message.slice(column.name.length + 2) : error.message;
      wrong += 1;
    }
    complain(j, message);
  });
  const points = wrong ? null : scoreValues(CARD, values);
  CARD.items.forEach((item, i) => {
    const given = points ? points.points[i] : null;
    $(`p${i}`).textContent = given ? shown(given) : "";
    $(`r${i}`).classList.toggle("given", Boolean(given && given.n !== 0n));
  });
  $("total").textContent = points ? shown(points.total) : "\u2013";
  $("class").textContent = points ? (points.positive ? CARD.positiveShown : CARD.negativeShown) : "\u2013";
  $("result").dataset.positive = points ? String(points.positive) : "";
  if (CARD.risk) $("risk").textContent = points ? percent(riskOf(toNumber(points.total))) : "\u2013";
  $("state").textContent = wrong ? `${wrong} of ${CARD.columns.length} values still needed` : "";
}

document.addEventListener("input", update);
document.addEventListener("change", (event) => {
  const found = /^c(\d+)$/.exec(event.target.id);
  if (found) touched.add(Number(found[1]));
  update();
});
$("form").addEventListener("submit", (event) => event.preventDefault());
$("form").addEventListener("reset", () => { touched = new Set(); setTimeout(update, 0); });
$("print").addEventListener("click", () => window.print());
update();
