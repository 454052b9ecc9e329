// Asking: a conversation about one data set; why and what stands out are asked in the same place.
import { get, post } from "/static/js/api.js";
import { answerView } from "/static/js/answer.js";
import { data } from "/static/js/data.js";
import { fill, h, say } from "/static/js/dom.js";
import { progressView } from "/static/js/progress.js";

const sessions = new Map();
const turns = new Map();

function session() {
  if (!sessions.has(data.current)) sessions.set(data.current, `page-${crypto.randomUUID().slice(0, 13)}`);
  return sessions.get(data.current);
}

export function askView(place) {
  const log = h("div", { "aria-label": "Answers" });
  const input = h("input", { type: "text", id: "question", autocomplete: "off", placeholder: "Ask about the data: revenue by region last quarter", "aria-label": "Question", maxLength: 2000 });
  const form = h("form", { onsubmit: (e) => { e.preventDefault(); ask(input.value); } },
    input, h("button", { class: "primary" }, "Ask"),
    h("button", { type: "button", title: "Why did it change?", onclick: () => ask(input.value, "why") }, "Why"),
    h("button", { type: "button", title: "What stands out in this data", onclick: () => ask(input.value, "insights") }, "What stands out"));
  const ideas = h("div");

  function beginning() {
    const questions = data.profile?.suggestions ?? [];
    const none = !(turns.get(data.current) ?? []).length;
    fill(ideas, none ? h("div", { class: "card" }, h("h1", {}, "What would you like to know?"),
      h("p", { class: "meta" }, "Questions in words; every number can be clicked to see where it comes from."),
      h("div", { class: "chips" }, questions.slice(0, 6).map((q) => h("button", { type: "button", onclick: () => ask(q) }, q)))) : null);
  }

  function show(element) {
    log.append(element);
    element.scrollIntoView({ block: "start", behavior: "smooth" });
  }

  async function ask(text, kind = "ask", corrected = null) {
    const question = text.trim();
    if (!question && kind !== "insights") return input.focus();
    const view = progressView(question || "What stands out");
    fill(ideas);
    show(view.element);
    input.value = "";
    const body = { dataset_id: data.current, session_id: session(), wait: false };
    if (kind === "insights") body.goal = question || null;
    else body.question = question;
    if (corrected) body.corrected = corrected;
    try {
      const begun = await post(`/api/${kind}`, body);
      let answer = begun;
      if (begun.prose === undefined) {
        await view.follow(begun.run_id);
        const run = await get(`/api/runs/${encodeURIComponent(begun.run_id)}`);
        answer = run.answer;
        if (!answer) return;
        answer.run_id ??= begun.run_id;
      }
      answer.question ||= question || "What stands out";
      const made = answerView(answer, { vocabulary: data.profile?.vocabulary, ask: (q) => ask(q), correct: (r) => ask(answer.question, "ask", r) });
      view.element.replaceWith(made);
      turns.set(data.current, [...(turns.get(data.current) ?? []), made]);
      say("The answer is there.");
      made.scrollIntoView({ block: "start", behavior: "smooth" });
    } catch (e) {
      view.failed(e);
    }
  }

  fill(place, ideas, log, h("div", { class: "composer" }, form));
  log.append(...(turns.get(data.current) ?? []));
  beginning();
  const renewed = () => { fill(log, turns.get(data.current) ?? []); beginning(); };
  document.addEventListener("gnomon:data", renewed);
  input.focus({ preventScroll: true });
  return () => document.removeEventListener("gnomon:data", renewed);
}
