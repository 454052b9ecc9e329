// The service: JSON in and out, errors as sentences, runs to watch.
export class Refused extends Error {
  constructor(body, status) {
    super(body?.message || `The service answered with ${status}.`);
    this.code = body?.error_code;
    this.suggestions = body?.suggestions || [];
    this.status = status;
  }
}

async function call(method, path, body) {
  const options = { method, headers: { Accept: "application/json" } };
  if (body instanceof FormData) options.body = body;
  else if (body !== undefined) {
    options.headers["Content-Type"] = "application/json";
    options.body = JSON.stringify(body);
  }
  let response;
  try {
    response = await fetch(path, options);
  } catch {
    throw new Refused({ message: "The service does not answer. Is gnomon serve still running?" }, 0);
  }
  if (response.status === 204) return null;
  const found = await response.json().catch(() => null);
  if (!response.ok) throw new Refused(found, response.status);
  return found;
}

export const get = (path) => call("GET", path);
export const post = (path, body = {}) => call("POST", path, body);
export const remove = (path) => call("DELETE", path);
export const upload = (form) => call("POST", "/api/datasets", form);
export const at = (path, id) => `/api/${path}/${encodeURIComponent(id)}`;

const ENDS = ["finished", "failed", "cancelled"];
const LONGEST = 2000;

// Watches a run by its events, and asks for its status every two seconds in case they stop coming.
export async function watch(runId, onStatus, onStep = () => {}) {
  const seen = new Set();
  let wake = () => {};
  const source = new EventSource(`${at("runs", runId)}/events`);
  const heard = (event) => {
    if (seen.has(event.lastEventId)) return;
    seen.add(event.lastEventId);
    onStep(JSON.parse(event.data), event.type);
    if (ENDS.includes(event.type)) wake();
  };
  for (const kind of ["started", "progress", ...ENDS]) source.addEventListener(kind, heard);
  source.onerror = () => source.close();
  try {
    for (let wait = 60; ; wait = Math.min(LONGEST, wait * 1.6)) {
      const status = await get(`/api/status?run_id=${encodeURIComponent(runId)}`);
      onStatus(status);
      if (!status.is_running) return status;
      await new Promise((done) => { wake = done; setTimeout(done, wait); });
    }
  } finally {
    source.close();
  }
}
