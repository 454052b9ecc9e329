// Progress of a run: a bar, what is being done, the steps that are done, and a way to stop it.
import { at, post, watch } from "/static/js/api.js";
import { h, say } from "/static/js/dom.js";

const ENDED = {
  success: ["Complete.", "good"], partial_success: ["Complete in part.", "warm"], needs_feedback: ["It needs an answer.", "warm"],
  failed: ["It failed.", "bad"], cancelled: ["Cancelled.", "warm"], interrupted: ["It was interrupted.", "bad"],
};
const MOST_STEPS = 60;

export function progressView(title) {
  const bar = h("div");
  const track = h("div", { class: "progress", role: "progressbar", "aria-valuemin": "0", "aria-valuemax": "100", "aria-label": title }, bar);
  const text = h("p", { class: "meta" }, "Starting …");
  const share = h("span", { class: "share" });
  const steps = h("ol", { class: "steps" });
  const reading = h("p", { class: "reading", hidden: true });
  const fold = h("details", { class: "meta-fold", open: true, hidden: true }, h("summary", {}, "Steps"), steps);
  const stop = h("button", { type: "button", disabled: true }, "Cancel");
  const element = h("article", { class: "card working" }, h("h2", {}, title), reading, track, h("div", { class: "row between" }, text, share, stop), fold);
  // how far it is cannot always be told: then something moves until it can
  const show = (percentage, running = false) => {
    track.classList.toggle("waiting", running && percentage <= 0);
    bar.style.width = `${percentage}%`;
    share.textContent = running && percentage <= 0 ? "" : `${Math.round(percentage)} %`;
    track.setAttribute("aria-valuenow", String(Math.round(percentage)));
  };
  const ended = (words, tone) => {
    text.textContent = words;
    text.className = `ended ${tone}`;
    stop.remove();
    say(words);
  };
  show(0);
  return {
    element,
    // Follows the run to its end; gives its last status.
    async follow(runId) {
      stop.disabled = false;
      stop.onclick = () => { stop.disabled = true; post(`${at("runs", runId)}/cancel`).catch((e) => { text.textContent = e.message; }); };
      const told = new Set();
      const status = await watch(runId, (s) => {
        show(s.progress_percentage ?? 0, s.is_running);
        const round = s.max_rounds > 1 && s.current_round ? ` · step ${s.current_round} of ${s.max_rounds}` : "";
        text.textContent = `${s.status_message || "Working …"}${round}`;
      }, (event) => {
        const read = event?.data?.reading ?? [];
        if (read.length) { reading.textContent = `Read as ${read.join("; and ")}`; reading.hidden = false; }
        const line = event?.data?.message;
        if (line && !told.has(line) && told.size < MOST_STEPS) {
          told.add(line);
          steps.append(h("li", {}, line));
          fold.hidden = false;
        }
      });
      const [words, tone] = ENDED[status.status] ?? [status.status, "warm"];
      if (status.status === "success") { show(100); fold.open = false; }
      track.classList.remove("waiting");
      const reason = status.status === "success" || /^(done|cancelled|working)\.?$/i.test(status.status_message ?? "") ? "" : ` ${status.status_message ?? ""}`;
      ended(`${words}${reason}`, tone);
      return status;
    },
    failed(error) {
      ended(error.message, "bad");
      this.suggest(error.suggestions);
    },
    suggest(list) {
      if (list?.length) element.append(h("ul", { class: "steps" }, list.map((s) => h("li", {}, s))));
    },
  };
}
