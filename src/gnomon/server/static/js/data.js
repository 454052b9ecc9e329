// Data sets: drop files, choose, watch them being opened, see what they hold, forget them.
import { at, get, post, remove, upload, watch } from "/static/js/api.js";
import { fill, h, say } from "/static/js/dom.js";
import { cell, counted, words } from "/static/js/format.js";

export const data = { sets: [], current: null, profile: null };

const place = (id) => document.getElementById(id);
const changed = () => document.dispatchEvent(new CustomEvent("gnomon:data"));

async function list() {
  data.sets = (await get("/api/datasets")).datasets;
  if (!data.sets.some((s) => s.id === data.current)) data.current = data.sets[0]?.id ?? null;
  render();
}

export async function choose(id, runId = null) {
  data.current = id;
  data.profile = null;
  render();
  changed();
  const known = data.sets.find((s) => s.id === id);
  try {
    if (known && !known.ready) await opened(id, runId ?? (await post(`${at("datasets", id)}/open`)).run_id);
    const found = await get(`${at("datasets", id)}/profile`);
    if (id !== data.current) return;
    data.profile = found;
    showProfile(found.profile);
    if (known && !known.ready) await list();
    changed();
  } catch (e) {
    if (id === data.current) fill(place("profile"), h("p", { class: "error" }, [e.message, ...(e.suggestions ?? [])].join(" ")));
  }
}

// Shows what is being read while it is read.
async function opened(id, runId) {
  const bar = h("div");
  const text = h("p", { class: "meta" }, "Reading the files …");
  const tables = h("ul", { class: "plain meta" });
  fill(place("profile"), h("h2", {}, "What it holds"), h("div", { class: "progress", role: "progressbar", "aria-label": "Opening the data", "aria-valuemin": "0", "aria-valuemax": "100" }, bar), text, tables);
  const seen = new Set();
  const status = await watch(runId, (s) => {
    bar.style.width = `${s.progress_percentage ?? 0}%`;
    bar.parentElement.setAttribute("aria-valuenow", String(Math.round(s.progress_percentage ?? 0)));
    text.textContent = s.status_message || "Reading …";
  }, (event) => {
    const name = event?.data?.table;
    if (name && !seen.has(name)) { seen.add(name); tables.append(h("li", {}, name)); }
  });
  if (status.status !== "success") throw new Error(status.status_message || "The data cannot be opened.");
}

function showProfile(profile) {
  const tables = profile.tables ?? [];
  const remarks = [...tables.flatMap((t) => (t.warnings ?? []).map((w) => `${t.name}: ${w.message ?? w}`)), ...(profile.warnings ?? []).map((w) => w.message ?? w)];
  fill(place("profile"), h("h2", {}, "What it holds"),
    tables.map((t) => h("details", { open: tables.length === 1 },
      h("summary", {}, h("span", {}, soft(t.name)), h("span", { class: "soft" }, counted(t.rows ?? 0, "row"))),
      h("table", { class: "columns" }, h("tbody", {}, (t.columns ?? []).map((c) => h("tr", { title: about(c) }, h("th", { scope: "row" }, soft(c.name)), h("td", {}, role(c)))))))),
    profile.joins?.length ? h("details", {}, h("summary", {}, h("span", {}, "Links"), h("span", { class: "soft" }, String(profile.joins.length))), h("ul", { class: "plain links" }, profile.joins.map((j) => h("li", {}, join(j))))) : null,
    remarks.length ? h("details", {}, h("summary", {}, h("span", {}, "Remarks"), h("span", { class: "soft" }, String(remarks.length))), h("ul", { class: "plain links" }, remarks.slice(0, 20).map((w) => h("li", {}, w)))) : null);
}

// a long name may be broken after its signs and before a capital, not in the middle of a word
const soft = (name) => String(name).split(/(?<=[_.\-/])|(?<=[a-z])(?=[A-Z])/).flatMap((part, i) => (i ? [h("wbr"), part] : [part]));

const join = (j) => `${j.table}.${j.column} → ${j.to_table}.${j.to_column}`;

function role(column) {
  const empty = column.null_rate > 0 ? `${(100 * column.null_rate).toFixed(column.null_rate < 0.1 ? 1 : 0)} % empty` : "";
  const kind = words(column.role ?? column.type).toLowerCase();
  return [[...new Set([kind, column.personal ? "personal" : kind])].join(", "), empty ? h("span", { class: "empty" }, empty) : null];
}

function about(column) {
  const range = column.minimum !== null && column.minimum !== undefined && !column.personal ? `, ${cell(column.minimum)} to ${cell(column.maximum)}` : "";
  return `${column.type}, ${counted(column.distinct ?? 0, "value")}${range}`;
}

async function take(files) {
  if (!files.length) return;
  const form = new FormData();
  for (const file of files) form.append("files", file, file.name);
  form.append("name", files.length === 1 ? files[0].name : `${files[0].name} and ${files.length - 1} more`);
  const status = place("upload-status");
  const tell = (text, tone = "meta") => { status.className = tone; status.textContent = text; };
  tell("Sending …");
  try {
    const added = await upload(form);
    tell("");
    await list();
    await choose(added.id, added.run_id);
    say(`${added.name} is ready.`);
  } catch (e) {
    tell([e.message, ...(e.suggestions ?? [])].join(" "), "error");
  }
}

async function forget(set) {
  if (!confirm(`Forget ${set.name}? Its files, runs, conversations and log lines are removed.`)) return;
  try {
    await remove(at("datasets", set.id));
    const was = data.current === set.id;
    await list();
    if (was) await choose(data.current);
  } catch (e) {
    place("upload-status").textContent = e.message;
  }
}

function render() {
  const input = h("input", { type: "file", multiple: true, class: "hidden", id: "files", "aria-label": "Files to look at", onchange: () => take([...input.files]) });
  const drop = h("label", { class: "drop", for: "files" }, h("strong", {}, "Drop files or choose them"), h("span", {}, "CSV, Excel, Parquet, JSON, SQLite"));
  const current = data.sets.find((s) => s.id === data.current);
  place("fold-name").textContent = current ? `Data: ${current.name}` : "Data";
  fill(place("datasets"),
    h("h2", {}, "Data"), input, drop, place("upload-status") ?? h("p", { id: "upload-status", class: "meta", role: "status" }),
    h("ul", { class: "plain" }, data.sets.map((s) => h("li", { class: "set", "aria-current": s.id === data.current ? "true" : null },
      h("button", { type: "button", class: s.ready ? null : "unopened", title: s.ready ? s.name : `${s.name}: not opened yet`, onclick: () => choose(s.id) }, s.name),
      s.origin === "upload" ? h("button", { type: "button", class: "quiet", "aria-label": `Forget ${s.name}`, title: "Forget this data set", onclick: () => forget(s) }, "✕") : null))));
}

// Files may be dropped anywhere on the page.
function dropping() {
  const over = (on) => document.querySelector(".drop")?.classList.toggle("over", on);
  const files = (e) => [...(e.dataTransfer?.types ?? [])].includes("Files");
  addEventListener("dragover", (e) => { if (files(e)) { e.preventDefault(); over(true); } });
  addEventListener("dragleave", (e) => { if (!e.relatedTarget) over(false); });
  addEventListener("drop", (e) => { if (files(e)) { e.preventDefault(); over(false); take([...e.dataTransfer.files]); } });
}

export async function begin() {
  place("fold").open = matchMedia("(min-width: 56rem)").matches;
  dropping();
  await list();
  // what the address names, else what was named on the command line, else the newest
  const named = new URLSearchParams(location.search).get("data");
  choose((data.sets.find((s) => s.id === named) ?? data.sets.find((s) => s.origin === "opened") ?? data.sets[0])?.id ?? null);
}
