// Data sets: drop files, choose, watch them being opened, see what they hold, forget them.
import { get, remove, upload, watch } from "/static/js/api.js";
import { cell, fill, h, say } from "/static/js/dom.js";

export const data = { sets: [], current: null, profile: null };

const changed = () => document.dispatchEvent(new CustomEvent("gnomon:data"));

export async function list() {
  data.sets = (await get("/api/datasets")).datasets;
  data.current ??= data.sets.find((s) => s.ready)?.id ?? data.sets[0]?.id ?? null;
  render();
}

export async function choose(id) {
  data.current = id;
  data.profile = null;
  render();
  await profile();
}

async function profile() {
  const id = data.current;
  const place = document.getElementById("profile");
  if (!id) return fill(place);
  fill(place, h("p", { class: "meta" }, "Looking at the data …"));
  try {
    const found = await get(`/api/datasets/${encodeURIComponent(id)}/profile`);
    if (id !== data.current) return;
    data.profile = found;
    showProfile();
    changed();
  } catch (e) {
    fill(place, h("p", { class: "error" }, e.message));
  }
}

function showProfile() {
  const tables = data.profile.profile.tables ?? [];
  fill(document.getElementById("profile"),
    h("h2", {}, "What it holds"),
    tables.map((t, i) => h("details", { open: tables.length === 1 || i === 0 },
      h("summary", {}, `${t.name} · ${cell(t.row_count ?? t.rows ?? 0)} rows`),
      h("table", { class: "columns" }, h("tbody", {}, (t.columns ?? []).map((c) => h("tr", {}, h("th", { scope: "row" }, c.name), h("td", {}, describe(c)))))))),
    warned(tables));
}

function describe(column) {
  const parts = [column.role ?? column.type];
  if (column.personal) parts.push("personal");
  if (column.null_rate > 0) parts.push(`${(100 * column.null_rate).toFixed(column.null_rate < 0.1 ? 1 : 0)} % empty`);
  return parts.filter(Boolean).join(", ").toLowerCase();
}

function warned(tables) {
  const all = tables.flatMap((t) => (t.warnings ?? []).map((w) => `${t.name}: ${w.message ?? w}`)).concat(data.profile.profile.warnings ?? []);
  return all.length ? h("details", {}, h("summary", {}, `${all.length} remarks`), h("ul", {}, all.slice(0, 12).map((w) => h("li", {}, String(w.message ?? w))))) : null;
}

async function take(files) {
  if (!files.length) return;
  const form = new FormData();
  for (const file of files) form.append("files", file, file.name);
  form.append("name", files.length === 1 ? files[0].name : `${files[0].name} and ${files.length - 1} more`);
  const status = document.getElementById("upload-status");
  status.className = "meta";
  status.textContent = "Sending …";
  try {
    const added = await upload(form);
    await list();
    await watch(added.run_id, (s) => { status.textContent = s.status_message || "Opening …"; });
    status.textContent = `${added.name} is ready.`;
    say(`${added.name} is ready.`);
    await list();
    await choose(added.id);
  } catch (e) {
    status.className = "error";
    status.textContent = [e.message, ...(e.suggestions ?? [])].join(" ");
  }
}

async function forget(set) {
  if (!confirm(`Forget ${set.name}? Its files, runs, conversations and logs are removed.`)) return;
  await remove(`/api/datasets/${encodeURIComponent(set.id)}`);
  if (data.current === set.id) data.current = null;
  await list();
  await choose(data.current);
}

function render() {
  const input = h("input", { type: "file", multiple: true, class: "hidden", id: "files", onchange: () => take([...input.files]) });
  const drop = h("label", { class: "drop", for: "files", tabIndex: 0, onkeydown: (e) => { if (e.key === "Enter" || e.key === " ") { e.preventDefault(); input.click(); } } },
    "Drop files here, or choose them", h("br"), h("span", { class: "meta" }, "CSV, Excel, Parquet, JSON, SQLite"));
  drop.style.display = "block";
  for (const kind of ["dragover", "dragenter"]) drop.addEventListener(kind, (e) => { e.preventDefault(); drop.classList.add("over"); });
  for (const kind of ["dragleave", "drop"]) drop.addEventListener(kind, (e) => { e.preventDefault(); drop.classList.remove("over"); });
  drop.addEventListener("drop", (e) => take([...e.dataTransfer.files]));
  const before = document.getElementById("upload-status");
  fill(document.getElementById("datasets"),
    h("h2", {}, "Data"), input, drop, before ?? h("p", { id: "upload-status", class: "meta", role: "status" }),
    h("ul", { class: "plain" }, data.sets.map((s) => h("li", { class: "set", "aria-current": s.id === data.current ? "true" : null },
      h("button", { type: "button", onclick: () => choose(s.id) }, s.name, s.ready ? "" : " …"),
      s.origin === "upload" ? h("button", { type: "button", class: "quiet", "aria-label": `Forget ${s.name}`, title: "Forget this data set", onclick: () => forget(s) }, "✕") : null))));
}

export async function begin() {
  await list();
  await profile();
}
