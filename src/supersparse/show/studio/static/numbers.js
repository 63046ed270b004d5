// Numbers as people read them, and round steps for scales and cut points.
const MINUS = "\u2212";

export function number(value, digits = 6) {
  if (value === null || value === undefined || Number.isNaN(value)) return "\u2013";
  const text = Math.abs(value) >= 1e7 || (value !== 0 && Math.abs(value) < 1e-4)
    ? value.toPrecision(3) : value.toLocaleString("en", { maximumSignificantDigits: digits });
  return text.replace("-", MINUS);
}

// As short as a label on a scale.
export function short(value) {
  if (Math.abs(value) < 1e4) return number(value, 4);
  return value.toLocaleString("en", { notation: "compact", maximumSignificantDigits: 3 }).replace("-", MINUS);
}

export function whole(value) {
  return Math.round(value).toLocaleString("en");
}

export function percent(share, digits = 1) {
  if (share === null || share === undefined) return "\u2013";
  return `${(100 * share).toFixed(digits).replace("-", MINUS)} %`;
}

export function signed(value, digits) {
  const text = number(value, digits);
  return value > 0 ? `+${text}` : text;
}

export function bytes(count) {
  if (count < 1000) return `${count} B`;
  if (count < 1e6) return `${(count / 1e3).toFixed(0)} kB`;
  return `${(count / 1e6).toFixed(count < 1e7 ? 1 : 0)} MB`;
}

export function seconds(value) {
  if (value < 10) return `${value.toFixed(1)} s`;
  if (value < 90) return `${value.toFixed(0)} s`;
  const minutes = Math.floor(value / 60);
  return minutes < 60 ? `${minutes} min ${String(Math.floor(value % 60)).padStart(2, "0")} s`
    : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

// The largest of 1, 2 and 5 times a power of ten that fits about `parts` times into a range.
export function roundStep(range, parts) {
  if (!(range > 0)) return 1;
  const rough = range / parts;
  const power = 10 ** Math.floor(Math.log10(rough));
  for (const factor of [1, 2, 5, 10]) if (factor * power >= rough * 0.999) return factor * power;
  return 10 * power;
}

export function snapped(value, step) {
  const digits = Math.max(0, Math.ceil(-Math.log10(step) + 1e-9));
  return Number((Math.round(value / step) * step).toFixed(Math.min(digits, 12)));
}

export function ticks(low, high, parts) {
  const step = roundStep(high - low, parts);
  const found = [];
  for (let at = Math.ceil(low / step - 1e-9) * step; at <= high + step * 1e-9; at += step) found.push(snapped(at,
      step));
  return found;
}
