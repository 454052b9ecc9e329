// Values as people read them: numbers of one column alike, days and periods in words, names without their signs.
const there = (c) => c !== null && c !== undefined && c !== false;
const digits = new Map();
const numbers = (decimals) => {
  if (!digits.has(decimals)) digits.set(decimals, new Intl.NumberFormat("en", { minimumFractionDigits: decimals, maximumFractionDigits: decimals }));
  return digits.get(decimals);
};
const broken = new Intl.NumberFormat("en", { maximumSignificantDigits: 5 });
const fine = new Intl.NumberFormat("en", { maximumSignificantDigits: 15 });
const minus = (text) => (/[1-9]/.test(text) ? text.replace("-", "−") : text.replace("-", "")); // no minus before nothing
const MONTHS = ["January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"];
const DAY = /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?)?(?:Z|\+00:00)?$/;

export const words = (name) => String(name).replace(/_+/g, " ").trim() || String(name);
export const capital = (text) => `${String(text).charAt(0).toUpperCase()}${String(text).slice(1)}`;
export const counted = (n, one, many = `${one}s`) => `${numbers(0).format(n)} ${n === 1 ? one : many}`;
export const plainly = (value) => (typeof value === "number" ? minus(fine.format(Number(value.toPrecision(12)))) : cell(value));

export function cell(value, rate = false) {
  if (!there(value) && value !== false) return "–";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value !== "number") return day(value) ?? String(value);
  if (rate) return minus(`${numbers(1).format(100 * value)} %`);
  return minus(Math.abs(value) >= 10000 || Number.isInteger(value) ? numbers(0).format(value) : broken.format(value));
}

const CURRENCIES = new Set(Intl.supportedValuesOf("currency"));

// A number in its unit, as sentences write it: €1,200.50, 17.8 %, 22.67 minutes.
export function figure(value, unit) {
  const size = Math.abs(value);
  const decimals = Number.isInteger(value) || size >= 10000 ? 0 : size >= 1 ? 2 : Math.min(8, 2 - Math.floor(Math.log10(size || 1)));
  if (CURRENCIES.has(unit)) {
    const cents = Number.isInteger(value) || size >= 100000 ? 0 : undefined;
    return minus(new Intl.NumberFormat("en", { style: "currency", currency: unit, minimumFractionDigits: cents, maximumFractionDigits: cents }).format(value));
  }
  const plain = (v, most) => minus(new Intl.NumberFormat("en", { maximumFractionDigits: most }).format(v));
  if (unit === "fraction") return `${plain(100 * value, 1)} %`;
  if (unit === "%" || unit === "percentage points") return `${plain(value, 1)} ${unit}`;
  return unit ? `${plain(value, decimals)} ${unit}` : plain(value, decimals);
}

function parts(value) {
  const found = DAY.exec(String(value));
  return found ? found.slice(1).map((p) => (p === undefined ? 0 : Number(p))) : null;
}

// 3 Mar 2025, with the time of day where it has one.
export function day(value, { long = false, timed = false } = {}) {
  const [y, m, d, hours, minutes] = parts(value) ?? [];
  if (!y || m < 1 || m > 12) return null;
  const name = `${d} ${long ? MONTHS[m - 1] : MONTHS[m - 1].slice(0, 3)} ${y}`;
  return timed || hours || minutes ? `${name}, ${String(hours).padStart(2, "0")}:${String(minutes).padStart(2, "0")}` : name;
}

const last = (y, m) => new Date(Date.UTC(y, m, 0)).getUTCDate();

// A period in words: 2025, Q3 2025, August 2025, 1 Jul to 15 Aug 2025.
export function period(start, end) {
  const [a, b] = [parts(start), parts(end)];
  if (!a || !b) return `${start} to ${end}`;
  const [y, m, d] = a;
  const ends = b[2] === last(b[0], b[1]);
  if (y === b[0] && d === 1 && ends) {
    if (m === b[1]) return `${MONTHS[m - 1]} ${y}`;
    if (m === 1 && b[1] === 12) return String(y);
    if (m % 3 === 1 && b[1] === m + 2) return `Q${(m + 2) / 3} ${y}`;
  }
  if (start === end) return day(start);
  return `${y === b[0] ? day(start).replace(` ${y}`, "") : day(start)} to ${day(end)}`;
}

// How the periods of a column read, by its name and by where they all begin.
function periods(name, values) {
  const known = values.map(parts);
  if (!known.length || known.some((p) => !p)) return null;
  const first = known.every((p) => p[2] === 1 && !p[3] && !p[4]);
  if (name === "year" && first) return (v) => String(parts(v)[0]);
  if (name === "quarter" && first) return (v) => `Q${Math.ceil(parts(v)[1] / 3)} ${parts(v)[0]}`;
  if (name === "month" && first) return (v) => `${MONTHS[parts(v)[1] - 1].slice(0, 3)} ${parts(v)[0]}`;
  const timed = known.some((p) => p[3] || p[4]); // then midnight is a time too
  return (v) => day(v, { timed });
}

const NAMES = /(^|[\s_])(id|code|nr|no|key|year|zip|postcode)$/i;

// How a column is written: the same number of decimals in every row, so that they stand under each other.
export function column(name, values, { rate = false, first = false } = {}) {
  const known = values.filter((v) => v !== null && v !== undefined);
  if (!known.some((v) => typeof v === "number")) {
    const told = periods(String(name).toLowerCase(), known);
    return { right: false, whole: told !== null, text: (v) => (v === null || v === undefined ? "–" : (told ?? cell)(v)) };
  }
  const sizes = known.filter((v) => typeof v === "number").map(Math.abs);
  const whole = sizes.every(Number.isInteger);
  const years = whole && sizes.every((v) => v >= 1500 && v <= 2200);
  if (whole && (NAMES.test(name) || (first && years))) {
    return { right: false, text: (v) => (typeof v === "number" ? String(v) : cell(v)) };
  }
  const most = Math.max(...sizes) * (rate ? 100 : 1);
  let decimals = whole && !rate ? 0 : most >= 10000 ? 0 : most >= 1 ? (rate ? 1 : 2) : Math.min(8, 2 - Math.floor(Math.log10(most || 1)));
  const exact = (n) => sizes.every((v) => Math.abs(v * (rate ? 100 : 1) * 10 ** n - Math.round(v * (rate ? 100 : 1) * 10 ** n)) < 1e-6);
  while (decimals > 0 && exact(decimals - 1)) decimals -= 1;
  const lost = !rate && sizes.some((v) => v > 0 && v < 0.5 / 10 ** decimals); // beside large ones, small ones would read as nothing
  const write = lost ? (v) => figure(v, null) : (v) => minus(`${numbers(decimals).format(rate ? 100 * v : v)}${rate ? " %" : ""}`);
  return { right: true, text: (v) => (typeof v === "number" ? write(v) : cell(v)) };
}

const ROLES = { top: "highest", bottom: "lowest", start: "first", end: "last", change_pct: "change", current: "now", previous: "before", top_share: "share of the highest", low: "lower end", high: "upper end" };

// What a fact is, in words: revenue, highest.
export const factName = (name) => capital([...new Set(String(name).split(".").map((p) => ROLES[p] ?? words(p)))].join(", "));

export function when(moment) {
  const then = new Date(moment);
  return Number.isNaN(then.valueOf()) ? "" : then.toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "short" });
}
