// Elements from data: text is always text, never markup.
import { column, counted, figure, words } from "/static/js/format.js";

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

export const scrolling = (label, ...children) => h("div", { class: "scroll", tabIndex: 0, role: "region", "aria-label": label }, ...children);

export const heads = (names, numeric = []) => h("thead", {}, h("tr", {}, names.map((n, i) =>
  n ? h("th", { scope: "col", class: numeric[i] ? "n" : null }, n) : h("td", {}))));

// How the cells of a column are written: in the unit of their row, where the rows are different figures; "change in" holds
// the units of "change".
function cells(given, i) {
  const { columns, rows, units } = given;
  const rate = (given.rates ?? []).includes(columns[i]);
  const alike = column(columns[i], rows.map((r) => r[i]), { rate, first: i === 0 && columns.length > 1 });
  if (!units?.length || rate || !alike.right) return alike;
  const own = columns[i + 1] === `${columns[i]} in`;
  return { right: true, text: (v, row) => (typeof v === "number" ? figure(v, own ? rows[row][i + 1] : units[row]) : alike.text(v)) };
}

// A table of results; `marked` tells which of its rows are meant.
export function table(given, { most = 200, marked = () => false } = {}) {
  const told = given.columns.map((_, i) => i).filter((i) => !(given.units?.length && i && given.columns[i] === `${given.columns[i - 1]} in`));
  const written = given.columns.map((_, i) => cells(given, i));
  const rows = given.rows.slice(0, most).map((row, k) => h("tr", { class: marked(row) ? "meant" : null }, told.map((i) =>
    h("td", { class: written[i].right ? "n" : written[i].whole ? "nowrap" : null }, long(written[i].text(row[i], k))))));
  const left = (given.total_rows ?? given.rows.length) - rows.length;
  return h("div", { class: "results" },
    scrolling(given.name || "Table", h("table", { class: "data" }, heads(told.map((i) => words(given.columns[i])), told.map((i) => written[i].right)), h("tbody", {}, rows))),
    left > 0 ? h("p", { class: "meta" }, `${counted(left, "more row")} not shown here.`) : null);
}

// A long text is cut in its cell; the whole of it is there on hovering.
const LONGEST = 160;
const long = (text) => (text.length > LONGEST ? h("span", { title: text }, `${text.slice(0, LONGEST).trimEnd()} …`) : text);
