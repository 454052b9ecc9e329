// Charts: Vega-Lite specifications drawn by the bundle that is served here, interpreted, since no code may be made from text.
import { h } from "/static/js/dom.js";

const DRAWN = { ast: true, defaultStyle: false, actions: false, renderer: "svg", tooltip: { disableDefaultStyle: true } };
const [PANEL, AXIS, GAP, NARROW] = [150, 60, 20, 420];
let bundle = null;

export function load() {
  bundle ??= new Promise((done, failed) => {
    const script = h("script", { src: "/static/vega.js" });
    script.onload = () => done(window.vegaEmbed);
    script.onerror = () => { bundle = null; failed(new Error("The chart library cannot be had.")); };
    document.head.append(script);
  });
  return bundle;
}

function merged(under, over) {
  const both = { ...under };
  for (const [k, v] of Object.entries(over ?? {})) {
    const deep = v && under[k] && typeof v === "object" && !Array.isArray(v) && typeof under[k] === "object";
    both[k] = deep ? merged(under[k], v) : v;
  }
  return both;
}

const isSingle = (spec) => typeof spec.width === "number" && !["facet", "concat", "hconcat", "vconcat", "repeat"].some((k) => spec[k]) && !["facet", "row", "column"].some((k) => spec.encoding?.[k]);
// labels and axes count as part of the width, whatever the height is
const within = (vega) => ({ ...vega, autosize: { type: "fit-x", contains: "padding" } });

// Small charts in as many columns as there is room for.
function arranged(spec, width) {
  const columns = Math.max(1, Math.min(spec.columns, Math.floor(width / PANEL)));
  const each = Math.floor((width - AXIS) / columns) - GAP;
  return { ...spec, columns, facet: { ...spec.facet, header: { ...spec.facet.header, labelLimit: each } }, spec: { ...spec.spec, width: each } };
}

// A grid whose cells fit; where there is little room, its key stands below and its figures are in the tips.
function gridded(spec, width) {
  const narrow = width < NARROW;
  const room = width - (narrow ? 120 : 230);
  const step = Math.max(18, Math.min(spec.width.step, Math.floor(room / (spec.encoding.x.sort.length || 1))));
  const below = (color) => ({ ...color, legend: { ...color.legend, orient: "bottom", direction: "horizontal" } });
  const layer = spec.layer.filter((l) => l.mark.type !== "text" || step >= 32)
    .map((l) => (narrow && l.encoding?.color?.legend ? { ...l, encoding: { ...l.encoding, color: below(l.encoding.color) } } : l));
  return { ...spec, width: { step }, layer };
}

// A specification as wide as its place, its words in the colour of the page; the title is told as text beside it.
function fitted(spec, width) {
  const text = { labelColor: "currentColor", titleColor: "currentColor" };
  const axis = { ...text, labelOpacity: 0.85, domainColor: "#88888880", tickColor: "#88888880" };
  const config = { background: "transparent", axis, axisTemporal: { labelOverlap: "greedy", labelSeparation: 4 }, legend: text, header: text, text: { color: "currentColor" } };
  const { title, ...rest } = spec;
  // figures written beside their bars need room that the axes do not know of
  const beside = (spec.layer ?? []).some((l) => l.mark?.type === "text" && l.mark.align === "left" && l.encoding?.x && l.encoding?.text);
  const whole = merged(config, spec.config);
  // the names of bars take no more than two fifths, so that there is room for the bars
  const named = spec.encoding?.y?.type === "nominal" && isSingle(spec);
  const narrow = spec.width?.step && width < NARROW ? { axisY: { labelLimit: 95 } } : named ? { axisY: { labelLimit: Math.floor(0.4 * width), ...(width < NARROW ? { title: null } : {}) } } : {};
  const grid = spec.width?.step && spec.layer && spec.encoding?.x?.sort;
  return { ...(spec.facet && spec.columns ? arranged(rest, width) : grid ? gridded(rest, width) : rest), ...(isSingle(spec) ? { width, padding: { left: 5, right: beside ? 34 : 14, top: 5, bottom: 5 } } : {}), config: { ...whole, ...narrow } };
}

const lines = (text) => [text ?? []].flat().join(" ");

export function chart(spec, told = "") {
  const title = lines(spec.title?.text ?? (typeof spec.title === "string" ? spec.title : ""));
  const known = told.replaceAll("\u00a0", " ");
  const beneath = lines(spec.title?.subtitle);
  const under = known.includes(beneath) ? "" : beneath;
  const place = h("div", { class: "plot-area" });
  // what the sentences above already say is not said twice
  const shown = title && !known.includes(title.replaceAll("\u00a0", " ").replace(/ …$/, "")) ? h("strong", {}, title) : null;
  const figure = h("figure", { "aria-label": title || spec.description || "Chart" }, shown || under ? h("figcaption", {}, shown, under ? h("span", {}, under) : null) : null, place);
  let drawn = 0;
  const draw = async () => {
    const width = Math.floor(place.clientWidth);
    if (!width || Math.abs(width - drawn) < 8) return;
    drawn = width;
    try {
      await (await load())(place, fitted(spec, width), isSingle(spec) ? { ...DRAWN, patch: within } : DRAWN);
    } catch {
      place.replaceChildren(h("p", { class: "meta" }, "The chart cannot be drawn here; its figures are in the table."));
    }
  };
  // the width is that of the place, which is known once it is on the page
  new ResizeObserver(draw).observe(figure);
  return figure;
}
