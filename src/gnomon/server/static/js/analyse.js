// Whole analyses: template cards above the requirement, progress while it runs, the record when it is done.
import { get, post } from "/static/js/api.js";
import { answerView } from "/static/js/answer.js";
import { data } from "/static/js/data.js";
import { fill, h } from "/static/js/dom.js";
import { progressView } from "/static/js/progress.js";

let chosen = "";

export async function analyseView(place) {
  const cards = h("div", { class: "cards", role: "radiogroup", "aria-label": "Templates" });
  const input = h("textarea", { rows: 3, id: "requirement", "aria-label": "What to analyse", maxLength: 10000, placeholder: "What should be analysed? With a template this may stay empty." });
  const results = h("div");
  const start = h("button", { class: "primary", type: "submit" }, "Start Analysis");
  const form = h("form", { class: "card", onsubmit: begin }, h("h2", {}, "Analysis"), h("p", { class: "meta" }, "A template follows a plan and needs no language model."), cards, input, h("div", { class: "row" }, start));
  fill(place, form, results);
  let templates = [];
  try {
    const found = await get("/api/templates");
    templates = found.templates ?? found;
  } catch (e) {
    form.append(h("p", { class: "error" }, e.message));
  }
  const all = [{ name: "", display_name: "No Template (Free Analysis)", description: "Say in your own words what to look into." }, ...templates];

  function render() {
    fill(cards, all.map((t) => h("button", { type: "button", class: "choice", role: "radio", "aria-checked": String(t.name === chosen), "data-template": t.name, tabIndex: t.name === chosen ? 0 : -1, onclick: () => pick(t.name), onkeydown: move },
      h("strong", {}, t.display_name), h("span", {}, t.description))));
  }
  function pick(name) {
    chosen = name;
    render();
    cards.querySelector('[aria-checked="true"]')?.focus();
  }
  function move(event) {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const at = all.findIndex((t) => t.name === chosen);
    pick(all[(at + step + all.length) % all.length].name);
  }
  async function begin(event) {
    event.preventDefault();
    const template = all.find((t) => t.name === chosen);
    const requirement = input.value.trim() || (chosen ? template.display_name : "");
    if (!requirement) return input.focus();
    const view = progressView(requirement);
    results.prepend(view.element);
    start.disabled = true;
    try {
      const body = { requirement, files: [data.current] };
      if (chosen) body.template = chosen;
      const begun = await post("/api/start", body);
      await view.follow(begun.run_id);
      const run = await get(`/api/runs/${encodeURIComponent(begun.run_id)}`);
      if (run.answer) {
        const answer = { ...run.answer, run_id: begun.run_id, question: requirement };
        view.element.after(answerView(answer, { vocabulary: null, ask: () => { location.hash = "#ask"; }, correct: () => {} }));
        if (answer.cells?.length) view.element.nextSibling.append(cellsView(answer.cells));
      }
    } catch (e) {
      view.failed(e);
    } finally {
      start.disabled = false;
    }
  }
  render();
}

function cellsView(cells) {
  return h("details", {}, h("summary", {}, `${cells.length} cells of code`), cells.map((c) => h("div", {}, h("pre", { tabIndex: 0 }, c.code ?? ""), c.error ? h("p", { class: "error" }, c.error.message ?? String(c.error)) : null)));
}
