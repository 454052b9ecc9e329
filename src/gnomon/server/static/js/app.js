// The page: which view is shown, light or dark, keys.
import { analyseView } from "/static/js/analyse.js";
import { askView } from "/static/js/ask.js";
import { begin } from "/static/js/data.js";
import { fill, h } from "/static/js/dom.js";
import { investigateView } from "/static/js/investigate.js";
import { runsView } from "/static/js/runs.js";

const VIEWS = { ask: askView, analyse: analyseView, investigate: investigateView, runs: runsView };
const KEPT = "gnomon-theme";
const place = document.getElementById("view");
let leave = null;

function theme(name) {
  document.documentElement.dataset.theme = name;
}

function keep(name) {
  theme(name);
  try {
    localStorage.setItem(KEPT, name);
  } catch {
    /* a browser that keeps nothing starts with its own choice */
  }
}

function kept() {
  try {
    return localStorage.getItem(KEPT);
  } catch {
    return null;
  }
}

async function show() {
  const [name, ...rest] = (location.hash.slice(1) || "ask").split("/");
  if (name === "main") return document.getElementById("main").focus();
  const view = VIEWS[name] ? name : "ask";
  for (const tab of document.querySelectorAll("[data-view]")) {
    if (tab.dataset.view === view) tab.setAttribute("aria-current", "page");
    else tab.removeAttribute("aria-current");
  }
  document.title = `${view[0].toUpperCase()}${view.slice(1)} · Gnomon`;
  leave?.();
  leave = null;
  try {
    leave = (await VIEWS[view](place, ...rest)) ?? null;
  } catch (e) {
    fill(place, h("p", { class: "error" }, e.message));
  }
}

const dark = matchMedia("(prefers-color-scheme: dark)");
theme(kept() ?? (dark.matches ? "dark" : "light"));
dark.addEventListener("change", () => { if (!kept()) theme(dark.matches ? "dark" : "light"); });
document.getElementById("theme").addEventListener("click", () => keep(document.documentElement.dataset.theme === "dark" ? "light" : "dark"));
addEventListener("hashchange", show);
addEventListener("keydown", (e) => {
  const typing = ["INPUT", "TEXTAREA", "SELECT"].includes(document.activeElement?.tagName);
  if (e.key !== "/" || typing || e.ctrlKey || e.metaKey || e.altKey) return;
  e.preventDefault();
  const field = document.getElementById("question") ?? document.getElementById("requirement");
  if (field) field.focus();
  else location.hash = "#ask";
});
await Promise.all([begin().catch((e) => fill(document.getElementById("datasets"), h("p", { class: "error" }, e.message))), show()]);
