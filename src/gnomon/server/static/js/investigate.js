// Investigations: score plot with a threshold to drag, anomalies with reasons, verdict, feedback, history.
import { get, post } from "/static/js/api.js";
import { data } from "/static/js/data.js";
import { cell, fill, h } from "/static/js/dom.js";

const NS = "http://www.w3.org/2000/svg";
const svg = (tag, given) => {
  const element = document.createElementNS(NS, tag);
  for (const [k, v] of Object.entries(given)) element.setAttribute(k, v);
  return element;
};

export function investigateView(place) {
  const table = h("select", { "aria-label": "Table" });
  const columns = h("input", { type: "text", "aria-label": "Columns", placeholder: "columns, separated by commas; empty for all" });
  const results = h("div");
  const status = h("p", { class: "meta", role: "status" });
  const start = h("button", { class: "primary" }, "Investigate");
  const form = h("form", { class: "card", onsubmit: begin }, h("h2", {}, "What stands out, and is it more than noise?"),
    h("div", { class: "row" }, h("label", {}, "Table", table), h("label", {}, "Columns", columns), start), status);
  const renewed = () => fill(table, (data.profile?.profile?.tables ?? []).map((t) => h("option", { value: t.name }, t.name)));
  renewed();
  document.addEventListener("gnomon:data", renewed);
  fill(place, form, results);

  async function steps(found, wanted) {
    let state = found;
    for (const [phase, verb, words] of [["profiled", "plan", "Choosing detectors …"], ["planned", "run", "Scoring every row …"], ["detected", "analyze", "Weighing the evidence …"]]) {
      if (state.phase !== phase || wanted === phase) continue;
      status.textContent = words;
      state = await post(`/api/investigations/${state.investigation_id}/${verb}`, {});
    }
    status.textContent = "";
    return state;
  }

  async function begin(event) {
    event.preventDefault();
    start.disabled = true;
    status.className = "meta";
    status.textContent = "Reading the rows …";
    try {
      const chosen = columns.value.split(",").map((c) => c.trim()).filter(Boolean);
      const first = await post("/api/investigations", { dataset_id: data.current, table: table.value || null, columns: chosen.length ? chosen : null });
      show(await steps(first));
    } catch (e) {
      status.className = "error";
      status.textContent = [e.message, ...(e.suggestions ?? [])].join(" ");
    } finally {
      start.disabled = false;
    }
  }

  async function tell(id, feedback) {
    status.className = "meta";
    status.textContent = "Taking the feedback …";
    try {
      show(await steps(await post(`/api/investigations/${id}/feedback`, { feedback })));
    } catch (e) {
      status.className = "error";
      status.textContent = e.message;
    }
  }

  function show(state) {
    const consensus = state.analysis?.consensus_analysis ?? {};
    const found = consensus.top_anomalies ?? [];
    const quality = state.quality ?? {};
    const verdict = quality.verdict ?? quality.overall ?? quality.label ?? null;
    const words = h("input", { type: "text", "aria-label": "Feedback in words", placeholder: "Feedback in words: flag 1 %, row 7 is normal" });
    const history = state.history ?? [];
    fill(results, h("article", { class: "card" },
      h("h2", {}, verdict ? `Verdict: ${typeof verdict === "string" ? verdict.replaceAll("_", " ") : cell(verdict)}` : "Result"),
      h("p", {}, state.analysis?.summary ?? ""),
      state.next_action?.reason ? h("p", { class: "meta" }, `Next: ${state.next_action.action.replaceAll("_", " ")}. ${state.next_action.reason}`) : null,
      state.scores ? plot(state.scores, (share) => tell(state.investigation_id, { action: "adjust_contamination", value: share })) : null,
      h("h3", {}, `${found.length} rows that stand out`),
      found.length ? h("div", { class: "scroll", tabIndex: 0, role: "region", "aria-label": "Rows that stand out" }, h("table", { class: "data" },
        h("thead", {}, h("tr", {}, ["row", "score", "why", ""].map((c) => h("th", { scope: "col" }, c)))),
        h("tbody", {}, found.slice(0, 50).map((a) => h("tr", {}, h("td", {}, String(a.index)), h("td", { class: "n" }, cell(a.score)),
          h("td", {}, a.narrative ?? (a.reasons ?? []).map((r) => r.text ?? r).join("; ")),
          h("td", {}, h("button", { type: "button", onclick: () => tell(state.investigation_id, { action: "label", normal: [a.index] }) }, "This is normal"))))))) : null,
      h("form", { class: "row", onsubmit: (e) => { e.preventDefault(); if (words.value.trim()) tell(state.investigation_id, words.value.trim()); } }, h("label", {}, words), h("button", {}, "Tell")),
      history.length ? h("details", {}, h("summary", {}, `${history.length} steps so far`), h("ol", {}, history.map((s) => h("li", {}, s.action ? `${s.action}${s.detail ? `: ${s.detail}` : ""}` : JSON.stringify(s).slice(0, 160))))) : null,
      h("button", { type: "button", class: "link", onclick: () => report(state.investigation_id) }, "Read the report")));
  }

  async function report(id) {
    const told = await get(`/api/investigations/${id}/report?format=text`);
    const dialog = h("dialog", { onclose: () => dialog.remove() }, h("pre", { tabIndex: 0 }, told.report), h("form", { method: "dialog" }, h("button", { class: "primary" }, "Close")));
    document.body.append(dialog);
    dialog.showModal();
  }
  return () => document.removeEventListener("gnomon:data", renewed);
}

// The scores of all rows with the threshold as a line that can be dragged, or moved with the arrow keys.
function plot(scores, change) {
  const wide = 720;
  const high = 220;
  const most = Math.max(...scores.score, scores.threshold ?? 0) * 1.05 || 1;
  const least = Math.min(0, ...scores.score);
  const y = (v) => high - 20 - ((v - least) / (most - least || 1)) * (high - 34);
  const last = Math.max(...scores.index, 1);
  const x = (i) => 34 + (i / last) * (wide - 44);
  const picture = svg("svg", { viewBox: `0 0 ${wide} ${high}`, class: "plot", role: "img", "aria-label": "Score of every row; those above the line stand out" });
  scores.score.forEach((s, k) => picture.append(svg("circle", { cx: x(scores.index[k]), cy: y(s), r: scores.flagged[k] ? 4 : 2, class: scores.flagged[k] ? "flagged" : "" })));
  let threshold = scores.threshold ?? most;
  const line = svg("line", { x1: 34, x2: wide - 10, class: "line" });
  const grab = svg("line", { x1: 34, x2: wide - 10, class: "grab", tabindex: "0", role: "slider", "aria-label": "Threshold", "aria-valuemin": least.toFixed(3), "aria-valuemax": most.toFixed(3) });
  const label = svg("text", { x: 38 });
  const count = h("p", { class: "meta" });
  const place = () => {
    for (const part of [line, grab]) { part.setAttribute("y1", y(threshold)); part.setAttribute("y2", y(threshold)); }
    label.setAttribute("y", y(threshold) - 5);
    label.textContent = `threshold ${threshold.toPrecision(3)}`;
    grab.setAttribute("aria-valuenow", threshold.toFixed(3));
    const above = scores.score.filter((s) => s > threshold).length;
    count.textContent = `${above} of ${scores.score.length} rows lie above the line. Drag it, or use the arrow keys, and let go to look again.`;
  };
  const settle = () => {
    const share = scores.score.filter((s) => s > threshold).length / scores.score.length;
    if (share > 0 && share <= 0.5) change(Math.max(share, 0.0005));
  };
  const from = (event) => {
    const box = picture.getBoundingClientRect();
    const at = ((event.clientY - box.top) / box.height) * high;
    threshold = Math.min(most, Math.max(least, least + ((high - 20 - at) / (high - 34)) * (most - least)));
    place();
  };
  grab.addEventListener("pointerdown", (e) => { grab.setPointerCapture(e.pointerId); grab.onpointermove = from; });
  grab.addEventListener("pointerup", () => { grab.onpointermove = null; settle(); });
  grab.addEventListener("keydown", (e) => {
    const step = { ArrowUp: 1, ArrowDown: -1 }[e.key];
    if (step) { e.preventDefault(); threshold = Math.min(most, Math.max(least, threshold + (step * (most - least)) / 50)); place(); }
    if (e.key === "Enter") settle();
  });
  picture.append(line, label, grab);
  place();
  return h("figure", {}, picture, h("figcaption", {}, count));
}
