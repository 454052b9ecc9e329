// Runs: what was done, to look at, compare, repeat, and what was sent to a model.
import { get, post } from "/static/js/api.js";
import { answerView, reports } from "/static/js/answer.js";
import { data } from "/static/js/data.js";
import { ago, cell, fill, h } from "/static/js/dom.js";

const TONE = { success: "good", running: "warm", partial_success: "warm", needs_feedback: "warm", interrupted: "bad", failed: "bad", cancelled: "warm" };

export async function runsView(place, id) {
  if (id) return one(place, id);
  const picked = new Set();
  const compare = h("button", { type: "button", disabled: true, onclick: () => sideBySide([...picked]) }, "Compare");
  const shown = h("div");
  fill(place, h("div", { class: "card" }, h("h1", {}, "Runs"), h("p", { class: "meta" }, "Everything that was done here, newest first; it survives a restart."), h("div", { class: "row" }, compare), shown));
  const { runs } = await get("/api/runs?limit=100");
  const box = (r) => h("input", { type: "checkbox", "aria-label": `Compare ${r.title}`, onchange: (e) => { if (e.target.checked) picked.add(r.id); else picked.delete(r.id); compare.disabled = picked.size !== 2; } });
  fill(shown, runs.length ? h("div", { class: "scroll", tabIndex: 0, role: "region", "aria-label": "Runs" }, h("table", { class: "data" },
    h("thead", {}, h("tr", {}, ["", "what", "kind", "status", "when", "seconds"].map((c) => h("th", { scope: "col" }, c)))),
    h("tbody", {}, runs.map((r) => h("tr", {}, h("td", {}, box(r)), h("td", {}, h("a", { href: `#runs/${r.id}` }, r.title || r.id.slice(0, 8))), h("td", {}, r.kind),
      h("td", {}, h("span", { class: `badge ${TONE[r.status] ?? "warm"}` }, r.status.replaceAll("_", " "))), h("td", {}, ago(r.started_at)), h("td", { class: "n" }, cell(r.duration_seconds))))))) : h("p", {}, "Nothing yet."));

  async function sideBySide(ids) {
    const both = await Promise.all(ids.map((i) => get(`/api/runs/${i}`)));
    const facts = both.map((r) => new Map((r.answer?.facts ?? []).map((f) => [f.name, f.value])));
    const names = [...new Set(facts.flatMap((f) => [...f.keys()]))];
    fill(place, h("div", { class: "card" }, h("a", { href: "#runs", onclick: () => runsView(place) }, "← All runs"), h("h1", {}, "Two runs, fact by fact"),
      h("div", { class: "scroll", tabIndex: 0, role: "region", "aria-label": "Facts of both runs" }, h("table", { class: "data" }, h("thead", {}, h("tr", {}, ["fact", ...both.map((r) => r.title)].map((c) => h("th", { scope: "col" }, c)))),
        h("tbody", {}, names.map((n) => h("tr", {}, h("td", {}, n), facts.map((f) => h("td", { class: "n" }, f.has(n) ? cell(f.get(n)) : "–")))))))));
  }
}

async function one(place, id) {
  let run;
  try {
    run = await get(`/api/runs/${encodeURIComponent(id)}`);
  } catch (e) {
    return fill(place, h("p", { class: "error" }, e.message), h("a", { href: "#runs" }, "← All runs"));
  }
  const told = h("div", { role: "status" });
  const again = h("button", { type: "button", disabled: !run.can_repeat, onclick: async () => {
    fill(told, h("p", { class: "meta" }, "Doing it again …"));
    try {
      const found = await post(`/api/runs/${id}/replay`);
      fill(told, h("p", { class: found.same ? "meta" : "error" }, found.same ? "The same facts came out." : "Something differs:"),
        found.differences.length ? h("pre", { tabIndex: 0 }, found.differences.map((d) => JSON.stringify(d)).join("\n")) : null);
    } catch (e) {
      fill(told, h("p", { class: "error" }, e.message));
    }
  } }, "Replay");
  const resume = ["interrupted", "failed", "cancelled"].includes(run.status) ? h("button", { type: "button", onclick: async () => { await post(`/api/runs/${id}/resume`); one(place, id); } }, "Resume") : null;
  const sent = h("button", { type: "button", onclick: async () => {
    const { entries } = await get(`/api/runs/${id}/egress`);
    fill(told, entries.length ? entries.map((e) => h("div", {}, h("h3", {}, `${e.at ?? ""} ${e.channel ?? ""}`), h("pre", { tabIndex: 0 }, typeof e.body === "string" ? e.body : JSON.stringify(e, null, 1)))) : h("p", {}, "Nothing was sent to a language model."));
  } }, "What was sent to a model");
  const answer = run.answer ? { ...run.answer, run_id: run.id, question: run.answer.question || run.title } : null;
  fill(place, h("div", { class: "card" }, h("a", { href: "#runs" }, "← All runs"), h("h1", {}, run.title || "Run"),
    h("p", { class: "meta" }, h("span", { class: `badge ${TONE[run.status] ?? "warm"}` }, run.status.replaceAll("_", " ")), run.kind, ago(run.started_at), run.duration_seconds ? `${cell(run.duration_seconds)} s` : null),
    h("div", { class: "row" }, again, resume, sent), told,
    run.events?.length ? h("details", {}, h("summary", {}, `${run.events.length} events`), h("ol", { class: "steps" }, run.events.slice(0, 200).map((e) => h("li", {}, `${e.kind}${e.step ? ` ${e.step}` : ""} ${e.data?.message ?? ""}`)))) : null,
    answer ? null : reports(run.id)),
    answer?.prose !== undefined && answer ? answerView(answer, { vocabulary: data.profile?.vocabulary, ask: () => { location.hash = "#ask"; }, correct: () => {} }) : null);
}
