// The service: JSON in and out, errors as sentences, runs to watch.
export class Refused extends Error {
  constructor(body, status) {
    super(body?.message || `The service answered with ${status}.`);
    this.code = body?.error_code;
    this.suggestions = body?.suggestions || [];
    this.status = status;
  }
}

async function call(method, path, body, more = {}) {
  const options = { method, headers: { Accept: "application/json" }, ...more };
  if (body instanceof FormData) options.body = body;
  else if (body !== undefined) {
    options.headers["Content-Type"] = "application/json";
    options.body = JSON.stringify(body);
  }
  let response;
  try {
    response = await fetch(path, options);
  } catch (e) {
    if (e.name === "AbortError") throw e;
    throw new Refused({ message: "The service does not answer. Is gnomon serve still running?" }, 0);
  }
  if (response.status === 204) return null;
  let found = null;
  try {
    found = await response.json();
  } catch {
    found = null;
  }
  if (!response.ok) throw new Refused(found, response.status);
  return found;
}

export const get = (path) => call("GET", path);
export const post = (path, body = {}) => call("POST", path, body);
export const remove = (path) => call("DELETE", path);
export const upload = (form) => call("POST", "/api/datasets", form);

const pause = (ms) => new Promise((done) => setTimeout(done, ms));

// Watches a run by its events, and asks for its status every two seconds in case they stop coming.
export async function watch(runId, onStatus, onStep = () => {}) {
  let source = null;
  const seen = new Set();
  try {
    source = new EventSource(`/api/runs/${encodeURIComponent(runId)}/events`);
    const heard = (event) => {
      if (seen.has(event.lastEventId)) return;
      seen.add(event.lastEventId);
      try {
        onStep(JSON.parse(event.data), event.type);
      } catch {
        /* a line that is no JSON says nothing */
      }
    };
    for (const kind of ["started", "progress", "finished", "failed", "cancelled", "step_started", "step_finished"]) source.addEventListener(kind, heard);
    source.onerror = () => source.close();
  } catch {
    source = null;
  }
  try {
    let wait = 60;
    for (;;) {
      const status = await get(`/api/status?run_id=${encodeURIComponent(runId)}`);
      onStatus(status);
      if (!status.is_running) return status;
      await pause(wait);
      wait = Math.min(2000, wait * 1.6);
    }
  } finally {
    source?.close();
  }
}
