// The reading of a question as parts that can be changed: another figure, group, condition or period.
import { at, get } from "/static/js/api.js";
import { data } from "/static/js/data.js";
import { h } from "/static/js/dom.js";
import { cell, period, words } from "/static/js/format.js";

const NONE = "\u0000none";

// A part that becomes a list when it is clicked, and itself again when nothing is chosen.
function choice(text, title, options, take) {
  const button = h("button", { type: "button", class: "part", title, "aria-label": `${title}: ${text}` }, text);
  button.addEventListener("click", async () => {
    const list = await options();
    const back = () => { if (select.isConnected) select.replaceWith(button); };
    const select = h("select", { "aria-label": title, onblur: back, onkeydown: (e) => { if (e.key === "Escape") { back(); button.focus(); } }, onchange: () => take(select.value) },
      h("option", { value: "", disabled: true, selected: true }, text), list.map(([value, label]) => h("option", { value }, label)));
    button.replaceWith(select);
    select.focus();
  });
  return button;
}

function dates(range, title, text, take) {
  const button = h("button", { type: "button", class: "part", title, "aria-label": `${title}: ${text}` }, text);
  button.addEventListener("click", () => {
    const field = (value, label) => h("input", { type: "date", value, required: true, "aria-label": label });
    const [from, to] = [field(range.start, "From"), field(range.end, "To")];
    const form = h("form", { class: "dates", onkeydown: (e) => { if (e.key === "Escape") { form.replaceWith(button); button.focus(); } },
      onsubmit: (e) => { e.preventDefault(); take({ ...range, start: from.value, end: to.value, granularity: "day" }); } },
      from, "to", to, h("button", {}, "Apply"), range.set ? h("button", { type: "button", onclick: () => take(null) }, "All days") : null);
    button.replaceWith(form);
    from.focus();
  });
  return button;
}

function condition(filter, dimensions, changed) {
  const name = dimensions.find((d) => d.name === filter.field)?.label ?? words(filter.field);
  const values = (filter.values ?? []).map((v) => cell(v)).join(", ");
  const text = filter.operator === "=" || filter.operator === "in" ? `${name}: ${values}` : `${name} ${filter.operator} ${values}`;
  const simple = !filter.having && !filter.relative && ["=", "!="].includes(filter.operator);
  return choice(text, "Another condition", async () => {
    const found = simple ? await get(`${at("datasets", data.current)}/values?dimension=${encodeURIComponent(filter.field)}`).catch(() => ({ values: [] })) : { values: [] };
    return [[NONE, "without this condition"], ...found.values.map((v) => [v.value, v.value])];
  }, (value) => changed(value === NONE ? null : { ...filter, values: [value] }));
}

export function readingView(answer, vocabulary, correct) {
  const requests = answer.reading?.parts ?? [];
  const said = answer.reading?.said ?? [];
  if (!said.length && !requests.length) return null;
  if (!correct || !vocabulary || requests.length !== 1 || answer.reading.ask) return said.length ? h("p", { class: "reading" }, h("span", {}, `Read as ${said.join("; and ")}`)) : null;
  const [request] = requests;
  const { metrics, dimensions } = vocabulary;
  const label = (list, name) => list.find((x) => x.name === name)?.label ?? answer.reading.labels?.[name] ?? words(name);
  const named = (list) => async () => list.map((x) => [x.name, x.label]);
  const swapped = (list, i, name) => list.map((x, k) => (k === i ? name : x));
  const changed = (update) => correct({ ...request, ...update });
  const groups = named(dimensions.filter((d) => !d.personal));
  const parts = request.metrics.map((m, i) => choice(label(metrics, m), "Another figure", named(metrics), (name) => changed({ metrics: swapped(request.metrics, i, name) })));
  request.dimensions.forEach((d, i) => parts.push("by", choice(label(dimensions, d), "Another group", async () => [...(request.dimensions.length > 1 ? [[NONE, "without this group"]] : []), ...(await groups())],
    (name) => changed({ dimensions: name === NONE ? request.dimensions.filter((_, k) => k !== i) : swapped(request.dimensions, i, name) }))));
  if (request.grain) parts.push("per", choice(request.grain, "Another length of periods", async () => ["day", "week", "month", "quarter", "year"].map((g) => [g, g]), (grain) => changed({ grain })));
  request.filters.forEach((f, i) => parts.push(condition(f, dimensions, (next) => changed({ filters: next ? swapped(request.filters, i, next) : request.filters.filter((_, k) => k !== i) }))));
  const range = request.time_range;
  const coverage = dimensions.find((d) => d.coverage && (!request.time_dimension || d.name === request.time_dimension))?.coverage;
  if (range) parts.push(dates({ ...range, set: true }, "Another period", period(range.start, range.end), (next) => changed({ time_range: bare(next) })));
  else if (coverage) parts.push(dates({ start: coverage[0], end: coverage[1] }, "Another period", "all days", (next) => changed({ time_range: bare(next) })));
  if (!request.metrics.length) return h("p", { class: "reading" }, h("span", {}, `Read as ${said.join("; ")}`));
  return h("div", { class: "reading", role: "group", "aria-label": "How the question was read; choose a part to change it" }, h("span", {}, "Read as"), parts);
}

const bare = (range) => (range ? { start: range.start, end: range.end, granularity: range.granularity } : null);
