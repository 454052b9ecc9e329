// Investigations: score plot with a threshold to drag, anomalies with reasons, verdict, feedback, history.
import { at, get, post } from "/static/js/api.js";
import { reports } from "/static/js/answer.js";
import { data } from "/static/js/data.js";
import { fill, h, heads, say, scrolling } from "/static/js/dom.js";
import { cell, counted, when, words } from "/static/js/format.js";
import { progressView } from "/static/js/progress.js";
import { scorePlot } from "/static/js/scores.js";

const MANY = 12;
const STEPS = [["profiled", "plan", "Choosing detectors"], ["planned", "run", "Scoring every row"], ["detected", "analyze", "Weighing the evidence"]];

export function investigateView(place, id = null) {
  const tables = h("select", { id: "table" });
  const columns = h("fieldset", { class: "ticks" });
  const start = h("button", { class: "primary" }, "Investigate");
  const working = h("div");
  const results = h("div");
  const before = h("div");
  const form = h("form", { class: "card", onsubmit: begin }, h("h1", {}, "Investigation"),
    h("p", { class: "meta" }, "Which rows stand out, by up to three detectors that agree, and is it more than chance?"),
    h("div", { class: "row" }, h("label", {}, "Table", tables), start), columns);

  const known = () => data.profile?.profile?.tables ?? [];
  let shown = data.current;
  function renewed() {
    if (data.current !== shown) [results, working].forEach((p) => fill(p)); // what was found in other data is not found in this
    shown = data.current;
    const chosen = tables.value;
    const largest = known().reduce((a, t) => ((t.rows ?? 0) > (a?.rows ?? -1) ? t : a), null);
    fill(tables, known().map((t) => h("option", { value: t.name }, words(t.name))));
    tables.value = known().some((t) => t.name === chosen) ? chosen : (largest?.name ?? "");
    offered();
    earlier();
  }
  // identifiers and personal columns say nothing about what is unusual
  function offered() {
    const table = known().find((t) => t.name === tables.value);
    const fits = (c) => !c.personal && !["id", "text", "personal"].includes(c.role);
    const all = table?.columns ?? [];
    const set = (on) => () => { for (const box of columns.querySelectorAll("input")) box.checked = on; };
    fill(columns, h("legend", {}, counted(all.length, "column")),
      all.length > MANY ? h("div", { class: "row all" }, h("button", { type: "button", class: "link", onclick: set(true) }, "All"), h("button", { type: "button", class: "link", onclick: set(false) }, "None")) : null,
      h("div", { class: "boxes" }, all.map((c) => h("label", { title: c.name }, h("input", { type: "checkbox", value: c.name, checked: fits(c) }), h("span", {}, words(c.name))))));
  }
  tables.addEventListener("change", offered);

  async function earlier() {
    const { investigations } = await get("/api/investigations?limit=20").catch(() => ({ investigations: [] }));
    const own = investigations.filter((i) => i.dataset_id === data.current);
    fill(before, own.length ? h("details", { class: "card" }, h("summary", {}, `Earlier investigations: ${own.length}`), h("ul", { class: "plain" }, own.map((i) =>
      h("li", {}, h("button", { type: "button", class: "link", onclick: () => attempt(() => get(at("investigations", i.investigation_id))) }, `${words(i.subject.table ?? "")}${i.subject.columns?.length ? `: ${i.subject.columns.slice(0, 4).map(words).join(", ")}` : ""}`), h("span", { class: "soft" }, ` ${when(i.updated_at)}, ${words(i.phase)}`))))) : null);
  }

  // Goes on from where the investigation stands until it is analysed; each long step can be cancelled.
  async function settle(state) {
    let now = state;
    for (const [phase, verb, text] of STEPS) {
      if (now.phase !== phase || now.next_action?.action === "confirm_with_user") continue;
      const path = at("investigations", now.investigation_id);
      if (verb === "plan") {
        now = await post(`${path}/plan`);
        continue;
      }
      const view = progressView(text);
      fill(working, view.element);
      const ended = await view.follow((await post(`${path}/${verb}`, { wait: false })).run_id);
      if (ended.status !== "success") return null;
      fill(working);
      now = await get(path);
    }
    return now;
  }

  async function attempt(work) {
    const dataset = data.current;
    start.disabled = true;
    fill(working, h("p", { class: "meta", role: "status" }, "Working …"));
    try {
      const first = await work();
      fill(working);
      const now = await settle(first);
      if (now && (dataset === data.current || dataset === null)) { show(now); say("The investigation is complete."); }
      earlier();
    } catch (e) {
      fill(working, h("p", { class: "error", role: "alert" }, [e.message, ...(e.suggestions ?? [])].join(" ")));
    } finally {
      start.disabled = false;
    }
  }

  function begin(event) {
    event.preventDefault();
    const boxes = [...columns.querySelectorAll("input")];
    const ticked = boxes.filter((b) => b.checked).map((b) => b.value);
    attempt(() => post("/api/investigations", { dataset_id: data.current, table: tables.value || null, columns: ticked.length && ticked.length < boxes.length ? ticked : null }));
  }

  function show(state) {
    const tell = (feedback) => attempt(() => post(`${at("investigations", state.investigation_id)}/feedback`, { feedback }));
    const consensus = state.analysis?.consensus_analysis ?? {};
    const found = consensus.top_anomalies ?? [];
    const picked = new Set();
    const normal = h("button", { type: "button", disabled: true, onclick: () => tell({ action: "label", normal: [...picked] }) }, "These are normal");
    const odd = h("button", { type: "button", disabled: true, onclick: () => tell({ action: "label", anomalous: [...picked] }) }, "These are anomalies");
    const chosen = h("span", { class: "meta", role: "status" }, "Tick rows, or click points in the plot.");
    const plot = state.scores ? scorePlot(state.scores, { change: (share) => tell({ action: "adjust_contamination", value: share }), pick: (row) => pick(row, !picked.has(row)) }) : null;
    const rows = new Map();
    function pick(row, on) {
      if (on) picked.add(row); else picked.delete(row);
      if (rows.has(row)) rows.get(row).checked = on;
      plot?.mark(picked);
      for (const b of [normal, odd]) b.disabled = !picked.size;
      chosen.textContent = picked.size ? `${counted(picked.size, "row")}: ${[...picked].slice(0, 8).join(", ")}${picked.size > 8 ? " …" : ""}` : "Tick rows, or click points in the plot.";
    }
    const tick = (a) => { const box = h("input", { type: "checkbox", "aria-label": `Row ${a.index}`, onchange: () => pick(a.index, box.checked) }); rows.set(a.index, box); return box; };
    fill(results, h("article", { class: "card" }, heading(state, consensus), verdict(state.quality), asked(state.next_action, tell),
      plot?.element, causes(consensus.groups), stretches(consensus.episodes, pick),
      found.length ? [h("h3", {}, consensus.n_anomalies > found.length ? `The ${found.length} strongest of ${consensus.n_anomalies}` : consensus.n_anomalies ? "What stands out" : "What comes nearest to standing out"),
        scrolling("Rows that stand out", h("table", { class: "data" }, heads(["", "Row", "Score", "Why"], [0, 0, 1]), h("tbody", {}, found.map((a) =>
          h("tr", { class: state.labels?.[a.index] === 0 ? "settled" : null }, h("td", {}, tick(a)), h("td", { class: "nowrap" }, rowName(a)), h("td", { class: "n" }, a.score.toFixed(2)), h("td", {}, reasons(a)))))))] : null,
      h("div", { class: "row" }, normal, odd, chosen), inWords(tell), detectors(state), history(state.history),
      h("div", { class: "meta foot" }, state.phase === "analyzed" ? reports("investigations", state.investigation_id, [["csv", "CSV"], ["png", "PNG"], ["svg", "SVG"]]) : null)));
  }

  fill(place, form, working, results, before);
  renewed();
  if (id) attempt(() => get(at("investigations", id)));
  document.addEventListener("gnomon:data", renewed);
  return () => document.removeEventListener("gnomon:data", renewed);
}

// Times that follow each other, each with its reason; the time ticks its rows.
function stretches(found, pick) {
  if (!found?.length) return null;
  return [h("h3", {}, "When"), h("ul", { class: "plain when" }, found.slice(0, MANY).map((e) => h("li", {},
    h("button", { type: "button", class: "link", title: "Tick these rows", onclick: () => e.rows.forEach((row) => pick(row, true)) }, e.when), `: ${e.why}`)))];
}

const rowName = (a) => (a.row !== undefined && a.row !== null && ![String(a.index), `row ${a.index}`].includes(String(a.row)) ? `${a.index} · ${cell(a.row)}` : String(a.index));

function heading(state, consensus) {
  const rows = state.scores?.rows ?? state.profile?.n_samples;
  return h("h2", {}, consensus.n_anomalies === undefined ? "Where it stands" : `${counted(consensus.n_anomalies, "row")} of ${cell(rows)} in ${words(state.subject.table ?? "the data")} stand${consensus.n_anomalies === 1 ? "s" : ""} out`);
}

function verdict(quality) {
  if (!quality) return null;
  const tone = { high: "good", medium: "warm", low: "bad" }[quality.verdict] ?? "warm";
  const meter = (name) => (typeof quality[name] === "number" ? [h("dt", {}, words(name)), h("dd", {}, h("meter", { min: 0, max: 1, value: quality[name], "aria-label": words(name) }), ` ${quality[name].toFixed(2)}`)] : []);
  return h("div", { class: "verdict" }, h("p", {}, h("span", { class: `badge ${tone}` }, `Verdict: ${words(quality.verdict)}${quality.significant === false ? ", no more than chance" : ""}`), ` ${quality.explanation ?? ""}`),
    h("dl", { class: "meters" }, ["separation", "agreement", "stability"].map(meter)));
}

// What the service asks back before it changes anything.
function asked(action, tell) {
  if (action?.action !== "confirm_with_user") return null;
  return h("div", { class: "asked", role: "alert" }, h("p", {}, action.reason), action.suggestion ? h("p", {}, action.suggestion) : null,
    action.proposed_change ? h("button", { type: "button", class: "primary", onclick: () => tell(action.proposed_change) }, "Yes, do it") : null);
}

function causes(groups) {
  return groups?.length ? h("p", { class: "meta" }, "Causes: ", groups.map((g) => h("span", { class: "tag" }, `${words(g.cause)} (${g.size})`))) : null;
}

function reasons(a) {
  const [first, ...more] = (a.reasons ?? []).map((r) => words(r.text ?? r));
  const column = `${(first ?? "").split(": ")[0]}: `; // not said again with every further reason
  return [first ?? a.narrative ?? "", more.length ? h("div", { class: "soft small" }, more.map((m) => m.replace(column, "")).join("; ")) : null];
}

function inWords(tell) {
  const input = h("input", { type: "text", "aria-label": "Feedback in words", placeholder: "Or say it: “flag 1 %”, “row 7 is normal”, “without IForest”", maxLength: 2000 });
  return h("form", { class: "row stretch", onsubmit: (e) => { e.preventDefault(); if (input.value.trim()) tell(input.value.trim()); } }, input, h("button", {}, "Tell"));
}

function detectors(state) {
  const results = state.results ?? [];
  return results.length ? h("details", { class: "meta-fold" }, h("summary", {}, `Evidence of ${counted(results.length, "detector")}`),
    h("ul", { class: "steps" }, results.map((r) => h("li", {}, `${r.detector_name}: ${r.status === "success" ? `${counted(r.n_anomalies, "row")} (${(100 * r.anomaly_ratio).toFixed(1)} %)` : r.error ?? r.status}. Chosen for ${r.plan?.reason ?? "its record"}; ${(r.plan?.evidence ?? []).join("; ")}.`)))) : null;
}

function history(list) {
  return list?.length ? h("details", { class: "meta-fold" }, h("summary", {}, `History: ${counted(list.length, "step")}`),
    h("ol", { class: "steps" }, list.map((s) => h("li", {}, `${s.iteration ? `Iteration ${s.iteration}, ` : ""}${words(s.action)}: ${s.detail ?? ""}`)))) : null;
}
