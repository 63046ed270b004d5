// The page: reads the answers, adds their points up as exact fractions, and shows total, class and risk.
// Nothing is shown as a result before every line is answered.
const $ = (id) => document.getElementById(id);
const NUMBER = /^[+-]?(\d+([.,]\d*)?|[.,]\d+)(e[+-]?\d+)?$/i;

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
  if (risk.slope !== undefined) {
    const largest = Math.max(-Number.MAX_VALUE, Math.min(Number.MAX_VALUE, total)); // 0 times it is 0
    const odds = Math.exp(-Math.abs(risk.slope * largest + risk.offset)); // small risks are accurate too
    return (risk.slope * largest + risk.offset < 0 ? odds : 1) / (1 + odds);
  }
  const { totals, risks } = risk;
  if (total <= totals[0]) return risks[0];
  const k = totals.findIndex((t) => t >= total);
  if (k < 0) return risks[risks.length - 1];
  const part = (total - totals[k - 1]) / (totals[k] - totals[k - 1]);
  return risks[k - 1] + part * (risks[k] - risks[k - 1]);
}

// What is neither 0 nor 1 never reads so.
function percent(risk) {
  const text = (100 * risk).toFixed(risk > 0.001 && risk < 0.999 ? 1 : 3);
  if (text === "0.000" && risk > 0) return "< 0.001 %";
  if (text === "100.000" && risk < 1) return "> 99.999 %";
  return `${text} %`;
}

// What a line says of a number: a refusal, a hint, or nothing.
function remarkOn(line, number) {
  const outside =
    (line.low !== undefined && order(number, declared(line.low)) < 0) ||
    (line.high !== undefined && order(number, declared(line.high)) > 0) ||
    (line.known !== undefined && !line.known.some((k) => order(number, declared(k)) === 0)) ||
    (line.whole && number.n % number.d !== 0n);
  if (!outside) return { refused: "", hint: "" };
  const seen = line.low !== undefined && line.high !== undefined ? ` (${line.low} to ${line.high})` : "";
  const text = `outside the values that the card was learned from${seen}`;
  const [least, most] = line.far ? line.far.map(declared) : [number, number];
  if (order(number, least) < 0 || order(number, most) > 0)
    return { refused: `far ${text}; please correct it`, hint: "" };
  return line.refuses ? { refused: text, hint: "" } : { refused: "", hint: `Please check: ${text}` };
}

// The points of a line, or null while it is not answered; what is wrong is written beside it.
function pointsOf(line, n) {
  if (line.points) {
    const chosen = document.querySelector(`input[name="c${n}"]:checked`);
    return chosen ? declared(line.points[Number(chosen.value)]) : null;
  }
  const control = $(`c${n}`), unknown = $(`u${n}`);
  const text = control.value.trim();
  const read = Number(text.replace(",", "."));
  let points = null, remark = "", wrong = false;
  if (unknown && unknown.checked) points = declared(line.missing);
  else if (text !== "" && !NUMBER.test(text)) { remark = "Please enter a number, such as 0.5"; wrong = true; }
  else if (text !== "" && !Number.isFinite(read)) { remark = "This number is too large"; wrong = true; }
  else if (text !== "") {
    const number = fraction(String(read));
    const { refused, hint } = remarkOn(line, number);
    remark = refused || hint;
    wrong = refused !== "";
    if (!wrong) points = times(declared(line.each), number);
  }
  control.disabled = Boolean(unknown && unknown.checked);
  $(`e${n}`).textContent = remark;
  if (wrong) control.setAttribute("aria-invalid", "true"); else control.removeAttribute("aria-invalid");
  $(`p${n}`).textContent = points ? shown(points) : "";
  return points;
}

function update() {
  const points = CARD.lines.map(pointsOf);
  const answered = points.filter((p) => p !== null).length;
  const done = answered === points.length;
  const total = done ? points.reduce(add, ZERO) : null;
  const beyond = done ? order(total, declared(CARD.threshold)) : -1;
  const positive = beyond > 0 || (CARD.reached && beyond === 0);
  $("total").textContent = done ? shown(total) : "\u2013";
  $("class").textContent = done ? (positive ? CARD.positive : CARD.negative) : "";
  $("state").textContent = done ? "" : `${answered} of ${points.length} answered`;
  $("result").dataset.positive = done ? String(positive) : "";
  if (CARD.risk) $("risk").textContent = done ? percent(riskOf(toNumber(total))) : "";
  (CARD.strip || []).forEach(([low, high], k) => {
    const here = done && order(total, declared(low)) >= 0 && order(total, declared(high)) <= 0;
    $(`s${k}`).classList.toggle("now", here);
  });
}

document.addEventListener("input", update);
document.addEventListener("change", update);
$("form").addEventListener("submit", (event) => event.preventDefault());
$("form").addEventListener("reset", () => setTimeout(update, 0));
$("print").addEventListener("click", () => window.print());
update();
