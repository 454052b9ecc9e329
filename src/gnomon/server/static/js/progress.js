// Progress of a run: a bar, what is being done, the steps that are done, and a way to stop it.
import { post, watch } from "/static/js/api.js";
import { fill, h, say } from "/static/js/dom.js";

const ENDED = { success: "Complete.", failed: "It failed.", cancelled: "Stopped.", interrupted: "It was interrupted.", partial_success: "Complete in part.", needs_feedback: "It needs an answer." };

export function progressView(title) {
  const bar = h("div");
  const track = h("div", { class: "progress", role: "progressbar", "aria-valuemin": "0", "aria-valuemax": "100", "aria-label": title }, bar);
  const text = h("p", { class: "meta", role: "status" }, "Starting …");
  const steps = h("ul", { class: "steps" });
  const stop = h("button", { type: "button", disabled: true }, "Stop");
  const element = h("article", { class: "card" }, h("h2", {}, title), track, text, steps, stop);
  const show = (share) => {
    bar.style.width = `${share}%`;
    track.setAttribute("aria-valuenow", String(Math.round(share)));
  };
  return {
    element,
    async follow(runId) {
      stop.disabled = false;
      stop.onclick = () => { stop.disabled = true; post(`/api/runs/${encodeURIComponent(runId)}/cancel`).catch(() => {}); };
      const told = new Set();
      const status = await watch(runId, (s) => {
        show(s.progress_percentage ?? 0);
        const round = s.max_rounds > 1 && s.current_round ? ` · round ${s.current_round} of ${s.max_rounds}` : "";
        text.textContent = `${s.status_message || "Working …"}${round}`;
      }, (event) => {
        const line = event?.data?.message ?? event?.message;
        if (line && !told.has(line) && told.size < 60) {
          told.add(line);
          steps.append(h("li", {}, line));
        }
      });
      const ended = ENDED[status.status] ?? status.status;
      if (status.status === "success") show(100);
      text.textContent = status.status === "success" ? ended : `${ended} ${status.status_message ?? ""}`;
      text.className = status.status === "success" ? "meta" : "error";
      say(ended);
      stop.remove();
      return status;
    },
    failed(error) {
      text.className = "error";
      fill(text, [error.message, ...(error.suggestions ?? [])].join(" "));
      stop.remove();
      say(error.message);
    },
  };
}
