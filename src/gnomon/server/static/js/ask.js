// Asking: a conversation about one data set; what stands out is asked in the same place.
import { at, get, post } from "/static/js/api.js";
import { answerView } from "/static/js/answer.js";
import { load } from "/static/js/charts.js";
import { data } from "/static/js/data.js";
import { fill, h, say } from "/static/js/dom.js";
import { capital, counted } from "/static/js/format.js";
import { progressView } from "/static/js/progress.js";

const KEPT = "gnomon-sessions";
const turns = new Map();
const asked = [];
let here = null; // how the view that is shown asks; answers of an earlier one ask in it too

function sessions() {
  try {
    return JSON.parse(sessionStorage.getItem(KEPT) ?? "{}");
  } catch {
    return {};
  }
}

function session(anew = false) {
  const known = sessions();
  if (anew || !known[data.current]) known[data.current] = `page-${crypto.randomUUID().slice(0, 18)}`;
  try {
    sessionStorage.setItem(KEPT, JSON.stringify(known));
  } catch {
    /* a browser that keeps nothing begins another conversation after a reload */
  }
  return known[data.current];
}

export function askView(place) {
  const log = h("div", { class: "log" });
  const ideas = h("div");
  const input = h("input", { type: "text", id: "question", autocomplete: "off", placeholder: "Ask about the data", "aria-label": "Question", "aria-keyshortcuts": "/", maxLength: 2000, onkeydown: recall });
  const anew = h("button", { type: "button", class: "quiet", title: "Begin another conversation", onclick: () => { session(true); turns.set(data.current, []); begin(); input.focus(); } }, "New");
  const form = h("form", { onsubmit: (e) => { e.preventDefault(); ask(input.value); } },
    input, h("button", { class: "primary" }, "Ask"),
    h("button", { type: "button", title: "What stands out in this data; words in the question steer the order", onclick: () => ask(input.value, "insights") }, "What stands out"), anew);
  let back = 0;

  function recall(e) {
    const step = { ArrowUp: 1, ArrowDown: -1 }[e.key];
    if (!step || !asked.length) return;
    e.preventDefault();
    back = Math.min(asked.length, Math.max(0, back + step));
    input.value = back ? asked[asked.length - back] : "";
  }

  const view = (answer) => answerView(answer, { vocabulary: data.profile?.vocabulary, ask: (q, pick = null) => here(q, "ask", null, pick), correct: (r) => here(answer.question, "ask", r) });

  // What there is to ask about, in one line.
  function held() {
    const tables = data.profile.profile?.tables ?? [];
    const rows = tables.reduce((sum, t) => sum + (t.rows ?? 0), 0);
    const name = data.sets.find((s) => s.id === data.current)?.name ?? "The data";
    return `${name}: ${counted(rows, "row")} in ${counted(tables.length, "table")}.`;
  }

  function begin() {
    const known = turns.get(data.current) ?? [];
    fill(log, known);
    anew.hidden = !known.length;
    const questions = data.profile?.suggestions ?? [];
    fill(ideas, known.length || !data.profile ? null : h("div", { class: "card start" }, h("h1", {}, "What would you like to know?"), h("p", { class: "held" }, held()),
      h("p", { class: "meta" }, "Ask in words. Every number can be clicked to see the step, the query and the rows behind it; the reading can be corrected by clicking its parts."),
      h("div", { class: "chips", role: "group", "aria-label": "Questions to begin with" }, questions.map((q) => h("button", { type: "button", onclick: () => ask(q) }, capital(q))))));
  }

  // After a reload the conversation is shown again; it is kept by the service, not by the browser.
  async function resume() {
    const dataset = data.current;
    const id = sessions()[dataset];
    if (id && !turns.has(dataset)) {
      const found = await get(at("conversations", id)).catch(() => null);
      const earlier = (found?.turns ?? []).map((t) => view({ ...t.answer, run_id: t.run_id, question: t.question }));
      turns.set(dataset, [...earlier, ...(turns.get(dataset) ?? [])]); // what was asked meanwhile comes after them
    }
    if (place.contains(log)) begin();
  }

  async function ask(text, kind = "ask", corrected = null, pick = null) {
    const question = text.trim();
    if (!question && kind !== "insights") return input.focus();
    const dataset = data.current;
    if (!dataset) return input.focus();
    const working = progressView(capital(question || "What stands out"));
    fill(ideas);
    const own = () => turns.get(dataset) ?? [];
    turns.set(dataset, [...own(), working.element]); // whoever looks elsewhere meanwhile finds it here again
    log.append(working.element);
    working.element.scrollIntoView({ block: "nearest" });
    input.value = "";
    back = 0;
    if (question) asked.push(question);
    const body = { dataset_id: dataset, session_id: session(), wait: false };
    if (pick) body.pick = pick;
    else if (kind !== "insights") body.question = question;
    else if (question) body.goal = question;
    if (corrected) body.corrected = corrected;
    let shown = working.element;
    try {
      const begun = await post(`/api/${kind}`, body);
      const ended = await working.follow(begun.run_id);
      const run = await get(at("runs", begun.run_id));
      if (run.answer?.prose !== undefined) {
        shown = view({ ...run.answer, run_id: begun.run_id, question: run.answer.question || question || "What stands out" });
        working.element.replaceWith(shown);
        turns.set(dataset, own().map((e) => (e === working.element ? shown : e)));
        say("The answer is there.");
      } else if (ended.status === "failed") working.suggest(run.answer?.suggestions);
    } catch (e) {
      working.failed(e);
    }
    anew.hidden = !(turns.get(data.current) ?? []).length;
    if (shown.isConnected) shown.scrollIntoView({ block: "start", behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth" });
  }

  here = ask;
  fill(place, ideas, log, h("div", { class: "composer" }, form));
  const renewed = () => { resume(); };
  renewed();
  document.addEventListener("gnomon:data", renewed);
  setTimeout(() => load().catch(() => {}), 300);
  if (matchMedia("(min-width: 56rem)").matches) input.focus({ preventScroll: true });
  return () => document.removeEventListener("gnomon:data", renewed);
}
