// Whole analyses: template cards above the requirement, progress while it runs, the record when it is done.
import { at, get, post } from "/static/js/api.js";
import { answerView } from "/static/js/answer.js";
import { data } from "/static/js/data.js";
import { fill, h } from "/static/js/dom.js";
import { progressView } from "/static/js/progress.js";

const FREE = { name: "", display_name: "No Template (Free Analysis)", description: "Say in your own words what to look into. Without a language model it tells what stands out." };
const done = new Map(); // the analyses of each data set
let chosen = "";

export async function analyseView(place) {
  const cards = h("div", { class: "cards", role: "radiogroup", "aria-label": "Templates" });
  const input = h("textarea", { rows: 2, id: "requirement", "aria-label": "What to analyse", maxLength: 4000, placeholder: "What should be analysed? With a template this may stay empty." });
  const start = h("button", { class: "primary", type: "submit" }, "Start Analysis");
  const told = h("p", { class: "error", role: "status" });
  const form = h("form", { class: "card", onsubmit: begin }, h("h1", {}, "Analysis"),
    h("p", { class: "meta" }, "A template follows a plan and needs no language model. A free analysis has code written for it, which runs sealed off on this machine."),
    cards, input, h("div", { class: "row between" }, told, start));
  let all = [FREE];
  const results = h("div");
  const shelf = () => {
    if (!done.has(data.current)) done.set(data.current, h("div"));
    return done.get(data.current);
  };
  const renewed = () => fill(results, shelf());

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
    const here = all.findIndex((t) => t.name === chosen);
    pick(all[(here + step + all.length) % all.length].name);
  }
  async function begin(event) {
    event.preventDefault();
    const requirement = input.value.trim();
    told.textContent = "";
    if (!requirement && !chosen) {
      told.textContent = "Say what to analyse, or choose a template.";
      return input.focus();
    }
    const title = requirement || all.find((t) => t.name === chosen).display_name;
    const view = progressView(title);
    shelf().prepend(view.element);
    start.disabled = true;
    view.element.scrollIntoView({ block: "nearest" });
    try {
      const begun = await post("/api/start", { requirement, files: [data.current], template: chosen || null });
      const ended = await view.follow(begun.run_id);
      const run = await get(at("runs", begun.run_id));
      if (run.answer?.prose !== undefined) view.element.after(answerView({ ...run.answer, run_id: begun.run_id, question: title }));
      else if (ended.status === "failed") view.suggest(run.answer?.suggestions);
    } catch (e) {
      view.failed(e);
    } finally {
      start.disabled = false;
    }
  }

  render();
  fill(place, form, results);
  renewed();
  document.addEventListener("gnomon:data", renewed);
  try {
    all = [FREE, ...(await get("/api/templates"))];
    render();
  } catch (e) {
    told.textContent = e.message;
  }
  return () => document.removeEventListener("gnomon:data", renewed);
}
