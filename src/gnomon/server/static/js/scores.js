// The scores of all rows, with the threshold as a line that can be dragged or moved with the arrow keys.
import { h } from "/static/js/dom.js";
import { cell } from "/static/js/format.js";

const [WIDE, HIGH, LEFT, RIGHT, TOP, BOTTOM] = [760, 240, 44, 10, 12, 26];
const MOST = 0.5;

const svg = (tag, given, text = null) => {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [k, v] of Object.entries(given)) element.setAttribute(k, v);
  if (text !== null) element.textContent = text;
  return element;
};

export function scorePlot(scores, { change, pick }) {
  const top = Math.max(...scores.score, scores.threshold ?? 0);
  const least = Math.min(0, ...scores.score);
  const most = least + (top - least) * 1.06 || 1;
  const last = Math.max(scores.rows - 1, 1);
  const x = (row) => LEFT + (row / last) * (WIDE - LEFT - RIGHT);
  const y = (v) => HIGH - BOTTOM - ((v - least) / (most - least)) * (HIGH - TOP - BOTTOM);
  // the plot is thinned: every flagged row is there, each of the others stands for several
  const flagged = scores.flagged.filter(Boolean).length;
  const each = Math.max(1, (scores.rows - flagged) / Math.max(1, scores.score.length - flagged));
  const above = (t) => Math.round(scores.score.reduce((sum, s, k) => sum + (s > t ? (scores.flagged[k] ? 1 : each) : 0), 0));

  const picture = svg("svg", { viewBox: `0 0 ${WIDE} ${HIGH}`, class: "plot", role: "group", "aria-label": "Score of every row; those above the line stand out" });
  for (const v of [least, (least + top) / 2, top]) {
    picture.append(svg("line", { x1: LEFT, x2: WIDE - RIGHT, y1: y(v), y2: y(v), class: "grid" }), svg("text", { x: LEFT - 6, y: y(v) + 4, "text-anchor": "end" }, v.toFixed(1)));
  }
  picture.append(svg("text", { x: LEFT, y: HIGH - 6 }, "row 0"), svg("text", { x: WIDE - RIGHT, y: HIGH - 6, "text-anchor": "end" }, `row ${cell(last)}`), svg("text", { x: 4, y: TOP - 2 }, "score"));
  const points = new Map();
  scores.score.forEach((s, k) => {
    const row = scores.index[k];
    const point = svg("circle", { cx: x(row).toFixed(1), cy: y(s).toFixed(1), r: scores.flagged[k] ? 4 : 2, class: scores.flagged[k] ? "flagged" : "" });
    point.append(svg("title", {}, `row ${row}, score ${s.toFixed(2)}`));
    point.addEventListener("click", () => pick(row));
    points.set(row, point);
    picture.append(point);
  });

  const start = scores.threshold ?? top;
  let threshold = start;
  const line = svg("line", { x1: LEFT, x2: WIDE - RIGHT, class: "line" });
  const grab = svg("line", { x1: LEFT, x2: WIDE - RIGHT, class: "grab", tabindex: "0", role: "slider", "aria-orientation": "vertical", "aria-label": "Threshold", "aria-valuemin": least.toFixed(3), "aria-valuemax": most.toFixed(3) });
  // the words stand on the side where fewer rows are flagged
  const middle = scores.rows / 2;
  const leftward = scores.flagged.filter((f, k) => f && scores.index[k] >= middle).length * 2 > flagged;
  const label = svg("text", { x: leftward ? LEFT + 4 : WIDE - RIGHT, "text-anchor": leftward ? "start" : "end", class: "at" });
  const caption = h("figcaption", {});
  function place() {
    for (const part of [line, grab]) for (const end of ["y1", "y2"]) part.setAttribute(end, y(threshold));
    const count = above(threshold);
    label.setAttribute("y", y(threshold) - 6);
    label.textContent = `threshold ${threshold.toFixed(2)}: ${cell(count)} above`;
    grab.setAttribute("aria-valuenow", threshold.toFixed(3));
    grab.setAttribute("aria-valuetext", label.textContent);
    const share = count / scores.rows;
    caption.textContent = threshold === start ? "Drag the line, or move it with the arrow keys and press Enter, to flag more or fewer rows."
      : share > 0 && share <= MOST ? `${cell(count)} of ${cell(scores.rows)} rows lie above the line.` : "Between one row and half of them must lie above the line.";
  }
  function settle() {
    const share = above(threshold) / scores.rows;
    if (threshold !== start && share > 0 && share <= MOST) change(share);
  }
  const move = (to) => { threshold = Math.min(most, Math.max(least, to)); place(); };
  const dragged = (e) => {
    const box = picture.getBoundingClientRect();
    move(least + ((HIGH - BOTTOM - ((e.clientY - box.top) / box.height) * HIGH) / (HIGH - TOP - BOTTOM)) * (most - least));
  };
  grab.addEventListener("pointerdown", (e) => { grab.setPointerCapture(e.pointerId); grab.addEventListener("pointermove", dragged); });
  grab.addEventListener("pointerup", () => { grab.removeEventListener("pointermove", dragged); settle(); });
  grab.addEventListener("keydown", (e) => {
    const step = { ArrowUp: 1, ArrowRight: 1, ArrowDown: -1, ArrowLeft: -1, PageUp: 5, PageDown: -5 }[e.key];
    if (step) { e.preventDefault(); move(threshold + (step * (most - least)) / 50); }
    if (e.key === "Enter") settle();
  });
  picture.append(line, grab, label);
  place();
  return {
    element: h("figure", { class: "scores" }, picture, caption),
    mark: (picked) => points.forEach((point, row) => point.classList.toggle("picked", picked.has(row))),
  };
}
