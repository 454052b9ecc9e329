// Elements from data: text is always text, never markup.
export function h(tag, given = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(given ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "class") element.className = value;
    else if (name in element && typeof value !== "string") element[name] = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).filter((c) => c !== null && c !== undefined && c !== false));
  return element;
}

export function fill(place, ...children) {
  place.replaceChildren(...children.flat(Infinity).filter((c) => c !== null && c !== undefined && c !== false));
  return place;
}

export function say(text) {
  document.getElementById("live").textContent = text;
}

const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const broken = new Intl.NumberFormat("en", { maximumSignificantDigits: 6 });
const percent = new Intl.NumberFormat("en", { style: "percent", maximumFractionDigits: 1 });

export function cell(value, rate = false) {
  if (value === null || value === undefined) return "–";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value !== "number") return String(value);
  if (rate) return percent.format(value);
  return Math.abs(value) >= 10000 || Number.isInteger(value) ? whole.format(value) : broken.format(value);
}

export function ago(at) {
  const then = new Date(at);
  return Number.isNaN(then.valueOf()) ? "" : then.toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "short" });
}

export function table(given, most = 200) {
  const numeric = given.columns.map((_, i) => given.rows.some((r) => typeof r[i] === "number"));
  const names = given.columns.map((c) => String(c).replaceAll("_", " "));
  const rates = given.columns.map((c) => (given.rates ?? []).includes(c));
  const firstNames = given.columns.length > 1;
  const rows = given.rows.slice(0, most).map((row) =>
    h("tr", {}, row.map((v, i) => {
      const named = i === 0 && firstNames && Number.isInteger(v);
      return h("td", { class: numeric[i] && !named ? "n" : null }, named ? String(v) : cell(v, rates[i]));
    })));
  const left = (given.total_rows ?? given.rows.length) - rows.length;
  return h("div", {},
    h("div", { class: "scroll", tabIndex: 0, role: "region", "aria-label": given.name || "Table" },
      h("table", { class: "data" },
        h("thead", {}, h("tr", {}, names.map((n, i) => h("th", { scope: "col", class: numeric[i] ? "n" : null }, n)))),
        h("tbody", {}, rows))),
    left > 0 ? h("p", { class: "meta" }, `${whole.format(left)} more rows are not shown; a report has them all.`) : null);
}
