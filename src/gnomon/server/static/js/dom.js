// Elements from data: text is always text, never markup.
import { column, counted, words } from "/static/js/format.js";

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

// "change" beside "change in" is one column: a number with its unit.
function joined(given) {
  const at = given.columns.findIndex((c, i) => given.columns[i + 1] === `${c} in`);
  if (at < 0) return given;
  const { text } = column(given.columns[at], given.rows.map((r) => r[at]));
  const both = (r) => (r[at] === null || r[at] === undefined ? null : `${text(r[at])} ${r[at + 1] ?? ""}`.trim());
  return { ...given, columns: given.columns.toSpliced(at + 1, 1), rows: given.rows.map((r) => r.toSpliced(at, 2, both(r))), numeric: at };
}

// A table of results; `marked` tells which of its rows are meant.
export function table(found, { most = 200, marked = () => false } = {}) {
  const given = joined(found);
  const written = given.columns.map((c, i) => column(c, given.rows.map((r) => r[i]), { rate: (given.rates ?? []).includes(c), first: i === 0 && given.columns.length > 1 }))
    .map((c, i) => (i === given.numeric ? { ...c, right: true } : c));
  const rows = given.rows.slice(0, most).map((row) => h("tr", { class: marked(row) ? "meant" : null }, row.map((v, i) =>
    h("td", { class: written[i].right ? "n" : null }, long(written[i].text(v))))));
  const left = (given.total_rows ?? given.rows.length) - rows.length;
  return h("div", { class: "results" },
    scrolling(given.name || "Table", h("table", { class: "data" }, heads(given.columns.map(words), written.map((w) => w.right)), h("tbody", {}, rows))),
    left > 0 ? h("p", { class: "meta" }, `${counted(left, "more row")} not shown here.`) : null);
}

// A long text is cut in its cell; the whole of it is there on hovering.
const LONGEST = 160;
const long = (text) => (text.length > LONGEST ? h("span", { title: text }, `${text.slice(0, LONGEST).trimEnd()} …`) : text);
