// The page: which view is shown, light or dark, keys.
import { analyseView } from "/static/js/analyse.js";
import { askView } from "/static/js/ask.js";
import { begin } from "/static/js/data.js";
import { fill, h } from "/static/js/dom.js";
import { investigateView } from "/static/js/investigate.js";
import { runsView } from "/static/js/runs.js";

const VIEWS = { ask: askView, analyse: analyseView, investigate: investigateView, runs: runsView };
const place = document.getElementById("view");
let leave = null;

function theme(name) {
  document.documentElement.dataset.theme = name;
  try {
    localStorage.setItem("gnomon-theme", name);
  } catch {
    /* a browser that keeps nothing starts with its own choice */
  }
  document.dispatchEvent(new CustomEvent("gnomon:theme"));
}

async function show() {
  const [name, id] = (location.hash.slice(1) || "ask").split("/");
  const view = VIEWS[name] ? name : "ask";
  for (const tab of document.querySelectorAll("[data-view]")) {
    if (tab.dataset.view === view) tab.setAttribute("aria-current", "page");
    else tab.removeAttribute("aria-current");
  }
  leave?.();
  leave = null;
  try {
    leave = (await VIEWS[view](place, id)) ?? null;
  } catch (e) {
    fill(place, h("p", { class: "error" }, e.message));
  }
}

function kept() {
  try {
    return localStorage.getItem("gnomon-theme");
  } catch {
    return null;
  }
}

theme(kept() ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light"));
document.getElementById("theme").addEventListener("click", () => theme(document.documentElement.dataset.theme === "dark" ? "light" : "dark"));
addEventListener("hashchange", show);
addEventListener("keydown", (e) => {
  const typing = ["INPUT", "TEXTAREA", "SELECT"].includes(document.activeElement?.tagName);
  if (e.key === "/" && !typing) {
    e.preventDefault();
    document.getElementById("question")?.focus();
  }
});
await begin().catch((e) => fill(document.getElementById("datasets"), h("p", { class: "error" }, e.message)));
await show();
