// Charts: Vega-Lite specifications drawn by the bundle that is served here, interpreted, since no code may be made from text.
import { h } from "/static/js/dom.js";

let bundle = null;

function load() {
  bundle ??= new Promise((done, failed) => {
    const script = h("script", { src: "/static/vega.js" });
    script.onload = () => done(window.vegaEmbed);
    script.onerror = () => failed(new Error("no charts"));
    document.head.append(script);
  });
  return bundle;
}

function themed(spec) {
  const css = getComputedStyle(document.documentElement);
  const colour = (name) => css.getPropertyValue(name).trim();
  const axis = { labelColor: colour("--soft"), titleColor: colour("--ink"), gridColor: colour("--line"), domainColor: colour("--line"), tickColor: colour("--line") };
  const config = {
    background: "transparent", font: "system-ui, sans-serif", axis,
    title: { color: colour("--ink"), subtitleColor: colour("--soft"), anchor: "start" },
    legend: { labelColor: colour("--soft"), titleColor: colour("--ink") },
    view: { stroke: "transparent" },
  };
  const wide = spec.width && typeof spec.width === "number" && !spec.facet && !spec.columns ? { width: "container" } : {};
  return { ...spec, ...wide, autosize: { type: "fit", contains: "padding" }, config: { ...config, ...(spec.config ?? {}) } };
}

export function chart(spec) {
  const title = [spec.title?.text ?? spec.title ?? "Chart"].flat().join(" ");
  const place = h("div", { class: "plot-area" });
  const figure = h("figure", { role: "img", "aria-label": spec.description || title }, place);
  const draw = async () => {
    try {
      const embed = await load();
      await embed(place, themed(spec), { ast: true, defaultStyle: false, actions: false, renderer: "svg", tooltip: { disableDefaultStyle: true } });
    } catch {
      place.replaceChildren(h("p", { class: "meta" }, "The chart cannot be drawn here; its figures are in the table."));
    }
  };
  draw();
  document.addEventListener("gnomon:theme", draw);
  return figure;
}
