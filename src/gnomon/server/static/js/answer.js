// One answer: prose whose numbers can be followed, reading that can be corrected, table and chart side by side.
import { at, get } from "/static/js/api.js";
import { chart } from "/static/js/charts.js";
import { dialog, fill, h, table } from "/static/js/dom.js";
import { capital, cell, counted, factName, period, plainly, words } from "/static/js/format.js";
import { readingView } from "/static/js/reading.js";

const STATUS = {
  answered: ["answered", "good"], partial: ["answered in part", "warm"], clarify: ["which do you mean?", "warm"],
  out_of_scope: ["not in the data", "warm"], out_of_domain: ["not about this data", "warm"], error: ["failed", "bad"],
};
const MONTHS = "(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*";
const DATES = `\\d{4}-\\d{2}(?:-\\d{2})?|(?:\\d{1,2} )?${MONTHS}(?: \\d{1,2},?)?(?: \\d{4})?|Q[1-4](?: \\d{4})?`;
const NUMBERS = "[-−]?(?:[$€£¥₹]\\s?)?\\d+(?:,\\d{3})*(?:\\.\\d+)?(?:\\s?(?:%|[KMBT]\\b))?";
const PARTS = new RegExp(`\\b(?:${DATES})\\b|(${NUMBERS})`, "g");
const MANY_COLUMNS = 5; // so many do not fit beside a chart
const SCALE = { K: 1e3, M: 1e6, B: 1e9, T: 1e12 };

// The fact that a number in the prose tells: the one whose value rounds to it.
function factOf(text, facts) {
  const letter = text.trim().slice(-1);
  const plain = Number(text.replace(/[^\d.]/g, ""));
  const digits = (text.split(".")[1] || "").replace(/\D/g, "").length;
  const scale = SCALE[letter] ?? 1;
  const slack = (0.5000001 * scale) / 10 ** digits;
  const near = (value) => Math.abs(Math.abs(value) - plain * scale) <= slack;
  return facts.find((f) => typeof f.value === "number" && (near(f.value) || (letter === "%" && near(f.value * 100)))) ?? null;
}

function meantBy(fact) {
  const groups = Object.values(fact.about?.group ?? {}).map((v) => String(v).toLowerCase());
  return (row) => groups.length > 0 && groups.every((g) => row.some((v) => String(v).toLowerCase() === g));
}

// Where a number comes from: the step, its query, the row of the result, and the rows of the data behind it.
function origin(fact, answer) {
  const about = fact.about ?? {};
  const groups = Object.entries(about.group ?? {}).map(([k, v]) => `${words(k)}: ${v}`);
  const filters = (about.filters ?? []).map((f) => `${words(f.field)} ${f.operator} ${(f.values ?? []).join(", ")}`);
  const step = (answer.plan?.steps ?? []).find((s) => s.id === fact.step);
  const result = (answer.tables ?? []).find((t) => t.rows.some(meantBy(fact))) ?? answer.tables?.[0];
  const rows = h("div", { class: "rows-behind" }, h("p", { class: "meta" }, "Fetching the rows …"));
  const line = (name, text) => (text ? [h("dt", {}, name), h("dd", {}, text)] : []);
  dialog("Where this number comes from",
    h("dl", {}, line("Figure", factName(fact.name)), line("Exact value", `${plainly(fact.value)}${fact.unit && fact.unit !== "fraction" ? ` ${fact.unit}` : ""}`),
      line("Period", about.period ? period(about.period.start, about.period.end) : ""), line("Group", groups.join("; ")), line("Only", filters.join("; ")),
      line("Step", words(step?.tool ?? fact.step))),
    fact.query ? [h("h3", {}, "Query"), h("pre", { tabIndex: 0, "aria-label": "Query" }, fact.query)] : null,
    result ? [h("h3", {}, "Result"), table(result, { most: 30, marked: meantBy(fact) })] : null,
    answer.run_id && fact.query ? [h("h3", {}, "Rows behind it"), rows] : null);
  if (answer.run_id && fact.query) behind(fact, answer.run_id, rows);
}

async function behind(fact, runId, place) {
  try {
    const { parts } = await get(`${at("runs", runId)}/rows?fact=${encodeURIComponent(fact.name)}`);
    const told = (p) => `${counted(p.total_rows, "row")} of ${words(p.name)}${p.rows.length < p.total_rows ? `, the first ${p.rows.length}` : ""}.${p.hidden.length ? ` Personal columns are left out: ${p.hidden.map(words).join(", ")}.` : ""}`;
    fill(place, parts.length ? parts.map((p) => [h("p", { class: "meta" }, told(p)), p.columns.length ? table({ ...p, total_rows: p.rows.length }) : null]) : h("p", { class: "meta" }, "They cannot be listed for this query."));
  } catch (e) {
    fill(place, h("p", { class: "meta" }, e.message));
  }
}

// "Why:" and "How sure:" at the beginning of a paragraph head it; of the one that answers only yes or no does.
function heading([first, ...rest], leads) {
  const found = leads ? /^(Yes|No):( )/.exec(first ?? "") : /^([A-Z][a-z]+(?: [a-z]+){0,4}):(\s)/.exec(first ?? "");
  return found && found[1] !== "Note" ? [h("strong", { class: found[2] === "\n" ? "lead" : null }, found[2] === "\n" ? found[1] : `${found[1]}:`), found[2] === "\n" ? "" : " ", first.slice(found[0].length), ...rest] : [first, ...rest];
}

function prose(text, answer, headed = true) {
  const facts = answer.facts ?? [];
  return text.split("\n\n").filter((p) => p && !p.startsWith("Read as:")).map((paragraph, place) => {
    const parts = [];
    let done = 0;
    for (const match of paragraph.matchAll(PARTS)) {
      const fact = match[1] ? factOf(match[1], facts) : null;
      const listed = /(?:^|\n)$/.test(paragraph.slice(0, match.index)) && /^\. /.test(paragraph.slice(match.index + match[0].length));
      if (!fact || listed) continue; // the number of a line is none of the data
      // a bracket before and a stop after stay on the line of the number
      const ahead = /\(?$/.exec(paragraph.slice(done, match.index))[0];
      const after = /^[).,;:]*/.exec(paragraph.slice(match.index + match[0].length))[0];
      parts.push(paragraph.slice(done, match.index - ahead.length), h("span", { class: "nowrap" }, ahead,
        h("button", { type: "button", class: "number", title: "Where this number comes from", onclick: () => origin(fact, answer) }, match[0]), after));
      done = match.index + match[0].length + after.length;
    }
    parts.push(paragraph.slice(done));
    const aside = paragraph.startsWith("Note:") ? "note" : /^The data ends on /.test(paragraph) ? "meta" : null;
    return h("p", { class: aside }, headed ? heading(parts, place === 0) : parts);
  });
}

// Whether a chart draws the rows of a table: its names or moments are in the table's first column.
function draws(spec, table) {
  const drawn = new Set((spec.data?.values ?? []).flatMap((r) => [r.name, r.group, r.x, r.day]).map((v) => String(v).replace(/Z$/, "")));
  return table.rows.some(([first]) => drawn.has(String(first)) || drawn.has(cell(first)));
}

// One table or chart to take away; `number` counts those of the whole answer from 1.
function taken(run, what, number, endings, note = "") {
  return h("p", { class: "files" }, endings.map(([ending, name]) =>
    h("a", { href: `${at("runs", run)}/${what}s/${number}.${ending}`, download: "", "aria-label": `Download this ${what} as ${name}${note}`, title: `Download this ${what} as ${name}${note}` }, name)));
}

const cut = (t) => ((t.total_rows ?? 0) > t.rows.length ? `, its first ${counted(t.rows.length, "row")}` : "");

// Tables with their charts beside them; a chart that draws no table stands beside the first that has none. Where it is a
// run that is kept, each can be taken away; `before` tells how many tables and charts came earlier in the answer.
function pairs(tables, charts, told, run = null, before = { tables: 0, charts: 0 }) {
  const beside = new Map();
  const free = (fits) => tables.findIndex((t, i) => !beside.has(i) && fits(t));
  const left = charts.filter((c) => { const i = free((t) => draws(c, t)); if (i >= 0) beside.set(i, c); return i < 0; });
  const alone = left.filter((c) => { const i = free(() => true); if (i >= 0) beside.set(i, c); return i < 0; });
  const withFiles = (shown, what, i, endings, note) => (run ? h("div", { class: "shown" }, shown, taken(run, what, i + 1, endings, note)) : shown);
  const tabled = (t) => withFiles(table(t), "table", before.tables + tables.indexOf(t), [["csv", "CSV"], ["xlsx", "Excel"]], cut(t));
  const charted = (c) => withFiles(chart(c, told), "chart", before.charts + charts.indexOf(c), [["png", "PNG"], ["svg", "SVG"]]);
  const both = (t, c) => [t?.rows.length ? tabled(t) : null, c ? charted(c) : null].filter(Boolean);
  const place = (t, shown) => h("div", { class: shown.length === 1 || (t?.columns.length ?? 0) >= MANY_COLUMNS ? "pair single" : "pair" }, shown);
  return [...tables.map((t, i) => [t, both(t, beside.get(i))]), ...alone.map((c) => [null, both(null, c)])].filter(([, shown]) => shown.length).map(([t, shown]) => place(t, shown));
}

const likely = (chance) => (chance < 0.001 ? "less than 0.1 %" : `${(100 * chance).toFixed(1)} %`);

// What stands out, as sections: a sentence with its table and chart, and how likely chance alone would do it.
const insightSections = (insights) => (insights ?? []).map((i) => ({
  title: i.title, prose: i.sentence, facts: i.facts, tables: i.table ? [i.table] : [], charts: i.chart ? [i.chart] : [],
  under: typeof i.chance === "number" ? `Chance alone would do this in ${likely(i.chance)} of cases, corrected for everything that was looked at${i.test ? ` (${words(i.test)})` : ""}.` : null,
}));

// The sections of an analysis, each with its own figures; an answer has just one without a title.
function body(answer) {
  const run = ["answered", "partial"].includes(answer.status) ? answer.run_id : null;
  const sections = answer.sections?.length ? answer.sections : insightSections(answer.insights);
  if (!sections.length) return [h("div", { class: "answer" }, prose(answer.prose ?? "", answer)), chosen(answer), pairs(answer.tables ?? [], answer.charts ?? [], answer.prose ?? "", run)];
  const before = { tables: 0, charts: 0 };
  return [...(answer.notes ?? []).map((n) => h("p", { class: "note small" }, n)), ...sections.map((s) => {
    const own = { ...answer, facts: [...(s.facts ?? []), ...(answer.facts ?? [])], tables: s.tables ?? [] };
    const shown = pairs(s.tables ?? [], s.charts ?? [], s.prose ?? "", run, { ...before });
    before.tables += s.tables?.length ?? 0;
    before.charts += s.charts?.length ?? 0;
    return h("section", {}, h("h3", {}, s.title), h("div", { class: "answer" }, prose(s.prose ?? "", own, false)), s.under ? h("p", { class: "meta" }, s.under) : null, shown);
  })];
}

function cells(answer) {
  if (!answer.cells?.length) return null;
  return h("details", { class: "meta-fold" }, h("summary", {}, `How it was computed: ${counted(answer.cells.length, "step")}`),
    answer.cells.map((c) => h("div", {}, h("h4", {}, `${c.number}. ${c.description || words(c.action)}`), c.code ? h("pre", { tabIndex: 0 }, c.code) : null,
      c.stdout ? h("pre", { tabIndex: 0 }, c.stdout) : null, c.error ? h("p", { class: "error" }, c.error.message ?? String(c.error)) : null,
      (c.figures ?? []).filter((f) => f.artefact).map((f) => h("img", { src: `${at("runs", answer.run_id)}/artefacts/${encodeURIComponent(f.artefact)}`, alt: f.title || c.description || "Figure", loading: "lazy" })))));
}

function chosen(answer) {
  const picks = answer.picks ?? [];
  if (picks.length) return h("div", { class: "chips options", role: "group", "aria-label": "What it could mean" }, picks.map((p) => h("button", { type: "button", "data-pick": p.id, "data-said": p.question, title: p.word ? `“${p.word}” is remembered as meant so` : "" }, `${p.place}. ${capital(p.said)}`)));
  const options = answer.options ?? [];
  return options.length ? h("div", { class: "chips options", role: "group", "aria-label": "What it could mean" }, options.map((o, i) => h("button", { type: "button", "data-ask": o }, `${i + 1}. ${capital(o)}`))) : null;
}

const FORMATS = [["html", "HTML"], ["pdf", "PDF"], ["md", "Markdown"], ["ipynb", "Notebook"], ["xlsx", "Excel"], ["json", "Bundle"]];

// Links to the report of a run or of an investigation; `more` are further forms of it.
export function reports(path, id, more = []) {
  return h("span", { class: "reports" }, "Report: ", [...FORMATS, ...more].map(([ending, name]) =>
    h("a", { href: `${at(path, id)}/report.${ending}`, download: "" }, name)));
}

export function answerView(answer, { vocabulary = null, ask = null, correct = null } = {}) {
  const [word, tone] = STATUS[answer.status] ?? [words(answer.status ?? ""), "warm"];
  const follow = ask ? (answer.suggestions ?? []).filter((s) => !(answer.options ?? []).includes(s)) : [];
  const seconds = answer.timings?.total;
  const told = ["answered", "partial"].includes(answer.status);
  const made = h("article", { class: "card turn", "data-status": answer.status },
    h("h2", {}, capital(answer.question)),
    readingView(answer, vocabulary, told ? correct : null),
    body(answer),
    follow.length ? h("div", { class: "chips", role: "group", "aria-label": "Further questions" }, follow.map((s) => h("button", { type: "button", "data-ask": s }, capital(s)))) : null,
    cells(answer),
    h("div", { class: "meta foot" }, h("span", { class: `badge ${tone}` }, word), seconds ? h("span", {}, `${seconds.toFixed(2)} s`) : null,
      h("span", {}, answer.privacy ? `a language model was asked, at level “${answer.privacy}”` : "no language model used"),
      answer.run_id ? h("a", { href: `#runs/${answer.run_id}` }, "This run") : null,
      answer.run_id && told ? reports("runs", answer.run_id) : null));
  made.addEventListener("click", (e) => {
    const asked = e.target.closest("[data-ask], [data-pick]")?.dataset;
    if (asked && ask) asked.pick ? ask(asked.said, asked.pick) : ask(asked.ask);
  });
  return made;
}
