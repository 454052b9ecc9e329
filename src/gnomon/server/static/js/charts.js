// Charts: Vega-Lite specifications drawn by the bundle that is served here, interpreted, since no code may be made from text.
import { h } from "/static/js/dom.js";

const DRAWN = { ast: true, logLevel: 1, defaultStyle: false, actions: false, renderer: "svg", tooltip: { disableDefaultStyle: true } };
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

// A specification as wide as its place, its words in the colour of the page; the title is told as text beside it.
function fitted(spec) {
  const text = { labelColor: "currentColor", titleColor: "currentColor" };
  const axis = { ...text, labelOpacity: 0.85, domainColor: "#88888880", tickColor: "#88888880" };
  const config = { background: "transparent", axis, legend: text, header: text, text: { color: "currentColor" } };
  const { title, ...rest } = spec;
  const single = typeof spec.width === "number" && !spec.facet && !spec.concat && !spec.hconcat && !spec.vconcat && !spec.encoding?.facet && !spec.encoding?.column;
  const wide = single ? { width: "container", autosize: { type: "fit-x", contains: "padding" } } : {};
  return { ...rest, ...wide, config: merged(config, spec.config) };
}

const lines = (text) => [text ?? []].flat().join(" ");

export function chart(spec, told = "") {
  const title = lines(spec.title?.text ?? (typeof spec.title === "string" ? spec.title : ""));
  const under = lines(spec.title?.subtitle);
  const place = h("div", { class: "plot-area" });
  // a title that the sentence above already says is not said twice
  const shown = title && !told.replaceAll("\u00a0", " ").includes(title.replaceAll("\u00a0", " ")) ? h("strong", {}, title) : null;
  const figure = h("figure", { "aria-label": title || spec.description || "Chart" }, shown || under ? h("figcaption", {}, shown, under ? h("span", {}, under) : null) : null, place);
  const draw = async () => {
    try {
      const embed = await load();
      if (figure.isConnected) await embed(place, fitted(spec), DRAWN);
    } catch {
      place.replaceChildren(h("p", { class: "meta" }, "The chart cannot be drawn here; its figures are in the table."));
    }
  };
  // the width is that of the place, which is known once it is on the page
  new ResizeObserver((_, watching) => { if (figure.clientWidth) { watching.disconnect(); draw(); } }).observe(figure);
  return figure;
}
