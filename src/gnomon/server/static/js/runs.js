// Runs: what was done, to look at, compare, repeat, and what was sent to a model.
import { at, get, post } from "/static/js/api.js";
import { answerView, reports } from "/static/js/answer.js";
import { fill, h, heads, scrolling } from "/static/js/dom.js";
import { counted, factName, plainly, when, words } from "/static/js/format.js";
import { progressView } from "/static/js/progress.js";

const there = (v) => v !== null && v !== undefined;
const TONE = { success: "good", running: "warm", partial_success: "warm", needs_feedback: "warm", interrupted: "bad", refused: "warm", failed: "bad", cancelled: "warm" };
const ENDED = { success: "complete", partial_success: "complete in part", needs_feedback: "needs an answer" };
const KINDS = { ask: "question", insights: "what stands out", opening: "data", analysis: "analysis", investigation: "investigation", plan: "plan of tools" };
const badge = (status) => h("span", { class: `badge ${TONE[status] ?? "warm"}` }, ENDED[status] ?? words(status));
const kind = (name) => KINDS[name] ?? words(name);

export async function runsView(place, id, other) {
  if (id === "compare") return compared(place, other.split("+"));
  if (id) return one(place, id);
  const picked = new Set();
  const compare = h("button", { type: "button", disabled: true, onclick: () => { location.hash = `#runs/compare/${[...picked].join("+")}`; } }, "Compare two");
  const shown = h("div");
  fill(place, h("div", { class: "card" }, h("div", { class: "row between" }, h("h1", {}, "Runs"), compare),
    h("p", { class: "meta" }, "Everything that was done here, newest first; it survives a restart. Tick two to compare them."), shown));
  const { runs } = await get("/api/runs?limit=100");
  const tick = (r) => h("input", { type: "checkbox", "aria-label": `Compare ${r.title}`, onchange: (e) => { if (e.target.checked) picked.add(r.id); else picked.delete(r.id); compare.disabled = picked.size !== 2; } });
  fill(shown, runs.length ? scrolling("Runs", h("table", { class: "data runs" }, heads(["", "What", "Kind", "Status", "When", "Seconds"], [0, 0, 0, 0, 0, 1]),
    h("tbody", {}, runs.map((r) => h("tr", {}, h("td", {}, tick(r)), h("td", { class: "wide" }, h("a", { href: `#runs/${r.id}` }, r.title || r.id.slice(0, 8))), h("td", { class: "nowrap" }, kind(r.kind)),
      h("td", {}, badge(r.status)), h("td", { class: "nowrap" }, when(r.started_at)), h("td", { class: "n" }, r.duration_seconds === null ? "–" : r.duration_seconds.toFixed(2))))))) : h("p", {}, "Nothing yet."));
}

async function compared(place, ids) {
  const both = await Promise.all(ids.map((i) => get(at("runs", i))));
  const facts = both.map((r) => new Map((r.answer?.facts ?? []).map((f) => [f.name, f.value])));
  const names = [...new Set(facts.flatMap((f) => [...f.keys()]))];
  const told = (f, n) => (f.has(n) ? plainly(f.get(n)) : "–");
  const differing = names.filter((n) => facts[0].get(n) !== facts[1].get(n));
  fill(place, h("div", { class: "card" }, h("p", {}, h("a", { href: "#runs" }, "← All runs")), h("h1", {}, "Two runs, fact by fact"),
    h("p", { class: "meta" }, names.length ? (differing.length ? `${counted(differing.length, "fact")} of ${names.length} differ.` : `All ${counted(names.length, "fact")} are the same.`) : "Neither of them tells a fact."),
    names.length ? scrolling("Facts of both runs", h("table", { class: "data" }, heads(["Figure", ...both.map((r) => `${r.title} (${when(r.started_at)})`)], [0, 1, 1]),
      h("tbody", {}, names.map((n) => h("tr", { class: differing.includes(n) ? "meant" : null }, h("td", {}, factName(n)), facts.map((f) => h("td", { class: "n" }, told(f, n)))))))) : null));
}

async function one(place, id) {
  let run;
  try {
    run = await get(at("runs", id));
  } catch (e) {
    return fill(place, h("div", { class: "card" }, h("p", {}, h("a", { href: "#runs" }, "← All runs")), h("p", { class: "error" }, e.message)));
  }
  const told = h("div", { class: "told" });
  const tell = (...children) => fill(told, ...children);
  const doing = (work) => async () => { try { await work(); } catch (e) { tell(h("p", { class: "error", role: "status" }, e.message)); } };
  const replay = doing(async () => {
    tell(h("p", { class: "meta" }, "Doing it again …"));
    const found = await post(`${at("runs", id)}/replay`);
    tell(h("p", { role: "status", class: `ended ${found.same ? "good" : "bad"}` }, found.same ? "Done again: the same facts and tables came out." : "Done again: something differs."),
      found.differences.length ? scrolling("Differences", h("table", { class: "data" }, heads(["What", "Before", "Now"]), h("tbody", {}, found.differences.map((d) => h("tr", {}, [factName(d.what.replace(/^fact /, "")), d.before, d.after].map((v) => h("td", {}, there(v) && typeof v === "object" ? JSON.stringify(v) : plainly(v)))))))) : null);
  });
  const resume = doing(async () => {
    const view = progressView(run.title);
    await post(`${at("runs", id)}/resume`);
    tell(view.element);
    await view.follow(id);
    await one(place, id);
  });
  const sent = doing(async () => {
    const { entries } = await get(`${at("runs", id)}/egress`);
    tell(entries.length ? entries.map((e) => h("div", {}, h("h3", {}, [when(e.at), e.channel, e.level].filter(Boolean).join(" · ")), h("pre", { tabIndex: 0 }, typeof e.body === "string" ? e.body : JSON.stringify(e, null, 1)))) : h("p", { role: "status" }, "Nothing was sent to a language model."));
  });
  const failure = run.status !== "success" && run.answer && run.answer.prose === undefined ? run.answer.message : null;
  fill(place, h("div", { class: "card" }, h("p", {}, h("a", { href: "#runs" }, "← All runs")), h("h1", {}, run.title || "Run"),
    h("p", { class: "meta row" }, badge(run.status), h("span", {}, kind(run.kind)), h("span", {}, when(run.started_at)), run.duration_seconds ? h("span", {}, `${run.duration_seconds.toFixed(2)} s`) : null),
    run.answer?.investigation_id ? h("p", {}, h("a", { href: `#investigate/${run.answer.investigation_id}` }, "Open the investigation")) : null,
    run.kind === "plan" && run.answer?.result ? h("div", {}, run.results.map((s) => h("p", {}, h("strong", {}, words(s.tool_id)), " ", s.output.summary ?? s.error ?? "")), run.status === "success" ? reports("runs", id) : null) : null,
    failure ? h("p", { class: "error" }, [failure, ...(run.answer.suggestions ?? [])].join(" ")) : null,
    h("div", { class: "row" }, run.can_repeat && run.answer?.prose !== undefined ? h("button", { type: "button", onclick: replay }, "Replay") : null,
      ["interrupted", "failed", "cancelled"].includes(run.status) && run.can_repeat ? h("button", { type: "button", onclick: resume }, "Do it again") : null,
      h("button", { type: "button", onclick: sent }, "What was sent to a model")), told,
    run.events?.length ? h("details", { class: "meta-fold" }, h("summary", {}, counted(run.events.length, "event")), h("ol", { class: "steps" }, run.events.slice(0, 200).map((e) => h("li", {}, [words(e.kind), e.step, e.data?.message].filter(Boolean).join(" · "))))) : null),
    run.answer?.prose !== undefined ? answerView({ ...run.answer, run_id: run.id, question: run.answer.question || run.title }) : null);
}
