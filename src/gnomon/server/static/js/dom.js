// Elements from data: text is always text, never markup.
const there = (c) => c !== null && c !== undefined && c !== false;

export function h(tag, given = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(given ?? {})) {
    if (!there(value)) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "class") element.className = value;
    else if (name in element && typeof value !== "string") element[name] = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).filter(there));
  return element;
}

export function fill(place, ...children) {
  place.replaceChildren(...children.flat(Infinity).filter(there));
  return place;
}

export function say(text) {
  document.getElementById("live").textContent = text;
}

// A window over the page; Escape and its button close it, and the focus goes back to where it was.
export function dialog(title, ...children) {
  const before = document.activeElement;
  const heading = `dialog-${crypto.randomUUID().slice(0, 8)}`;
  const made = h("dialog", { "aria-labelledby": heading, onclose: () => { made.remove(); if (before?.isConnected) before.focus(); } },
    h("h2", { id: heading }, title), ...children,
    h("form", { method: "dialog" }, h("button", { class: "primary", autofocus: true }, "Close")));
  document.body.append(made);
  made.showModal();
  return made;
}

const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const broken = new Intl.NumberFormat("en", { maximumSignificantDigits: 5 });
const percent = new Intl.NumberFormat("en", { style: "percent", maximumFractionDigits: 1 });

export const words = (name) => String(name).replaceAll("_", " ");
export const counted = (n, one, many = `${one}s`) => `${whole.format(n)} ${n === 1 ? one : many}`;

export function cell(value, rate = false) {
  if (!there(value) && value !== false) return "–";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value !== "number") return String(value).replace(/[T ]00:00:00$/, "");
  if (rate) return percent.format(value).replace("%", " %");
  return Math.abs(value) >= 10000 || Number.isInteger(value) ? whole.format(value) : broken.format(value);
}

export function when(moment) {
  const then = new Date(moment);
  return Number.isNaN(then.valueOf()) ? "" : then.toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "short" });
}

export const scrolling = (label, ...children) => h("div", { class: "scroll", tabIndex: 0, role: "region", "aria-label": label }, ...children);

export const heads = (names, numeric = []) => h("thead", {}, h("tr", {}, names.map((n, i) =>
  n ? h("th", { scope: "col", class: numeric[i] ? "n" : null }, n) : h("td", {}))));

// A table of results; `marked` tells which of its rows are meant.
export function table(given, { most = 200, marked = () => false } = {}) {
  const numeric = given.columns.map((_, i) => given.rows.some((r) => typeof r[i] === "number"));
  const rates = given.columns.map((c) => (given.rates ?? []).includes(c));
  // a whole number in the first of several columns is a name: a year, an id
  const named = numeric.map((n, i) => n && i === 0 && given.columns.length > 1 && given.rows.every((r) => r[0] === null || Number.isInteger(r[0])));
  const right = numeric.map((n, i) => n && !named[i]);
  const rows = given.rows.slice(0, most).map((row) => h("tr", { class: marked(row) ? "meant" : null }, row.map((v, i) =>
    h("td", { class: right[i] ? "n" : null }, named[i] ? String(v ?? "–") : cell(v, rates[i])))));
  const left = (given.total_rows ?? given.rows.length) - rows.length;
  return h("div", { class: "results" },
    scrolling(given.name || "Table", h("table", { class: "data" }, heads(given.columns.map(words), right), h("tbody", {}, rows))),
    left > 0 ? h("p", { class: "meta" }, `${counted(left, "more row")} not shown here.`) : null);
}
