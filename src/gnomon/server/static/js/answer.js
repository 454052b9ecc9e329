// One answer: prose whose numbers can be followed, reading that can be corrected, table and chart side by side.
import { cell, h, table } from "/static/js/dom.js";
import { chart } from "/static/js/charts.js";

const STATUS = {
  answered: ["answered", "good"], partial: ["answered in part", "warm"], clarify: ["which do you mean?", "warm"],
  out_of_scope: ["not in the data", "warm"], out_of_domain: ["not about this data", "warm"], error: ["failed", "bad"],
};
const NUMBER = /[-−]?(?:[$€£¥₹]\s?)?\d+(?:,\d{3})*(?:\.\d+)?(?:\s?(?:%|[KMBT]\b))?/g;
const SCALE = { K: 1e3, M: 1e6, B: 1e9, T: 1e12 };

// The fact that a number in the prose tells: the one whose value rounds to it.
function factOf(text, facts) {
  const letter = text.trim().slice(-1);
  const plain = Number(text.replace(/[^\d.\-−]/g, "").replace("−", "-"));
  if (!Number.isFinite(plain)) return null;
  const digits = (text.split(".")[1] || "").replace(/\D/g, "").length;
  const scale = SCALE[letter] ?? 1;
  const slack = (0.5000001 * scale) / 10 ** digits;
  const near = (value) => Math.abs(Math.abs(value) - Math.abs(plain * scale)) <= slack;
  return facts.find((f) => typeof f.value === "number" && (near(f.value) || (letter === "%" && near(f.value * 100)))) ?? null;
}

export function origin(fact, answer) {
  const about = fact.about ?? {};
  const groups = Object.entries(about.group ?? {}).map(([k, v]) => `${k.replaceAll("_", " ")}: ${v}`);
  const filters = (about.filters ?? []).map((f) => `${f.field} ${f.operator} ${(f.values ?? []).join(", ")}`);
  const dialog = h("dialog", { "aria-labelledby": "origin-title", onclose: () => dialog.remove() },
    h("h2", { id: "origin-title" }, "Where this number comes from"),
    h("dl", {},
      h("dt", {}, "Fact"), h("dd", {}, fact.name.replaceAll("_", " ")),
      h("dt", {}, "Exact value"), h("dd", {}, `${fact.value}${fact.unit && fact.unit !== "fraction" ? ` ${fact.unit}` : ""}`),
      about.period ? [h("dt", {}, "Period"), h("dd", {}, `${about.period.start} to ${about.period.end}`)] : [],
      groups.length ? [h("dt", {}, "Group"), h("dd", {}, groups.join("; "))] : [],
      filters.length ? [h("dt", {}, "Only"), h("dd", {}, filters.join("; "))] : [],
      h("dt", {}, "Step"), h("dd", {}, fact.step)),
    fact.query ? h("pre", { tabIndex: 0 }, fact.query) : null,
    (answer.tables ?? []).slice(0, 1).map((t) => h("div", {}, h("h3", {}, "Rows behind it"), table(t, 30))),
    h("form", { method: "dialog" }, h("button", { class: "primary", autofocus: true }, "Close")));
  document.body.append(dialog);
  dialog.showModal();
}

function prose(text, answer) {
  const facts = answer.facts ?? [];
  return text.split("\n\n").filter((p) => p && !p.startsWith("Read as:")).map((paragraph) => {
    const parts = [];
    let at = 0;
    for (const match of paragraph.matchAll(NUMBER)) {
      const fact = factOf(match[0], facts);
      if (!fact) continue;
      parts.push(paragraph.slice(at, match.index));
      parts.push(h("button", { type: "button", class: "number", title: "Where this number comes from", onclick: () => origin(fact, answer) }, match[0]));
      at = match.index + match[0].length;
    }
    parts.push(paragraph.slice(at));
    const note = paragraph.startsWith("Note:");
    return h("p", { class: note ? "note" : null }, parts);
  });
}

// The reading as parts that can be changed: another metric, group, period or no filter.
function reading(answer, vocabulary, correct) {
  const request = answer.reading?.requests?.[0];
  const said = answer.reading?.said ?? [];
  if (!request) return said.length ? h("p", { class: "reading" }, `Read as: ${said.join("; and ")}`) : null;
  const metrics = vocabulary?.metrics ?? [];
  const dimensions = vocabulary?.dimensions ?? [];
  const label = (list, name) => list.find((x) => x.name === name)?.label ?? String(name).replaceAll("_", " ");
  const changed = (update) => correct({ ...request, ...update });
  const choose = (current, list, title, take) => {
    const button = h("button", { type: "button", title }, current);
    button.addEventListener("click", () => {
      const select = h("select", { "aria-label": title, onchange: () => take(select.value), onblur: () => select.replaceWith(button) },
        h("option", { value: "" }, current), list.map((x) => h("option", { value: x.name }, x.label)));
      button.replaceWith(select);
      select.focus();
    });
    return button;
  };
  const parts = [];
  (request.metrics ?? []).forEach((m, i) => parts.push(choose(label(metrics, m), metrics, "Another figure", (name) => name && changed({ metrics: request.metrics.map((x, k) => (k === i ? name : x)) }))));
  (request.dimensions ?? []).forEach((d, i) => parts.push("by", choose(label(dimensions, d), dimensions, "Another group", (name) => name && changed({ dimensions: request.dimensions.map((x, k) => (k === i ? name : x)) }))));
  (request.filters ?? []).forEach((f, i) => {
    const text = `${label(dimensions, f.field)} ${f.operator} ${(f.values ?? []).map((v) => cell(v)).join(", ")}`;
    parts.push(h("button", { type: "button", title: "Ask again without this condition", onclick: () => changed({ filters: request.filters.filter((_, k) => k !== i) }) }, `${text} ✕`));
  });
  if (request.time_range) {
    const period = request.time_range;
    const button = h("button", { type: "button", title: "Another period" }, `${period.start} – ${period.end} ✎`);
    button.addEventListener("click", () => {
      const from = h("input", { type: "date", value: period.start, "aria-label": "From" });
      const to = h("input", { type: "date", value: period.end, "aria-label": "To" });
      const form = h("form", { class: "row", onsubmit: (e) => { e.preventDefault(); changed({ time_range: { ...period, start: from.value, end: to.value } }); } }, from, to, h("button", {}, "Take"));
      button.replaceWith(form);
      from.focus();
    });
    parts.push(button);
  }
  return h("div", { class: "reading", "aria-label": "How the question was read; click a part to change it" }, "Read as", parts.length ? parts : said.join("; "));
}

const FORMATS = [["html", "HTML"], ["pdf", "PDF"], ["md", "Markdown"], ["ipynb", "Notebook"], ["json", "Bundle"], ["xlsx", "Excel"]];

export function reports(runId) {
  const links = FORMATS.map(([ending, name]) => h("a", { href: `/api/runs/${encodeURIComponent(runId)}/report?format=${ending}`, download: `gnomon-${runId.slice(0, 8)}.${ending}` }, name));
  return h("details", { class: "meta" }, h("summary", {}, "Take a report"), h("div", { class: "meta" }, links));
}

export function answerView(answer, { vocabulary, ask, correct }) {
  const [word, tone] = STATUS[answer.status] ?? [answer.status, "warm"];
  const choices = answer.options ?? [];
  const follow = (answer.suggestions ?? []).filter((s) => !choices.includes(s));
  const tables = answer.tables ?? [];
  const charts = answer.charts ?? [];
  const pairs = [];
  for (let i = 0; i < Math.max(tables.length, charts.length); i += 1) {
    const both = [tables[i] && tables[i].rows.length ? table(tables[i]) : null, charts[i] ? chart(charts[i]) : null].filter(Boolean);
    if (both.length) pairs.push(h("div", { class: both.length === 1 ? "pair single" : "pair" }, both));
  }
  const seconds = answer.timings?.total;
  return h("article", { class: "card turn" },
    h("h2", {}, answer.question),
    reading(answer, vocabulary, correct),
    h("div", { class: "answer" }, prose(answer.prose ?? "", answer)),
    choices.length ? h("div", { class: "chips", role: "group", "aria-label": "What it could mean" }, choices.map((o, i) => h("button", { type: "button", onclick: () => ask(o) }, `${i + 1}. ${o}`))) : null,
    pairs,
    follow.length ? h("div", { class: "chips", role: "group", "aria-label": "Further questions" }, follow.map((s) => h("button", { type: "button", onclick: () => ask(s) }, s))) : null,
    h("p", { class: "meta" }, h("span", { class: `badge ${tone}` }, word), seconds ? h("span", {}, `${seconds.toFixed(2)} s`) : null,
      h("span", {}, answer.privacy ? `a language model was asked, at level “${answer.privacy}”` : "no language model was used"), answer.run_id ? h("a", { href: `#runs/${answer.run_id}` }, "the run") : null),
    answer.run_id && ["answered", "partial"].includes(answer.status) ? reports(answer.run_id) : null);
}
