// One strip chart: several quantities over the last seconds, one scale for each unit, present values in its legend.
import uPlot from "uplot";
import { el, fill, mark, say } from "../dom";
import { axis, CURVE_COLOURS } from "../plot_style";
import { shownOf, textOf, type Quantity } from "./rows";
import type { Samples } from "./samples";
import type { Units } from "./units";

const MOST_UNITS = 2; // one axis on each side

interface Curve {
  quantity: Quantity;
  colour: string;
  value: HTMLElement;
}

export interface ChartWishes {
  choose(): void;
  close(): void;
  changed(): void; // of its curves
}

export class StripChart {
  readonly element: HTMLElement;
  private readonly legend = el("div.legend");
  private readonly body = el("div.body.live");
  private readonly closer: HTMLElement;
  private readonly watch = new ResizeObserver(() => this.fit());
  private curves: Curve[] = [];
  private plot: uPlot | null = null;
  private shownSpan = 30;

  constructor(
    private readonly number: number,
    private readonly samples: Samples,
    private units: Units,
    private readonly wishes: ChartWishes,
  ) {
    this.closer = el("button.icon", { type: "button", "aria-label": `close chart ${number}`, title: "close this chart", onclick: () => wishes.close() }, "×");
    const choose = el("button.number", { type: "button", title: "click: new curves go here", onclick: () => wishes.choose() }, `Chart ${number}`);
    this.element = el("section.chart", { "aria-label": `chart ${number}` }, el("div.bar-top", null, choose, this.legend, this.closer), this.body);
    this.watch.observe(this.body);
    this.build();
  }

  get quantities(): Quantity[] {
    return this.curves.map((curve) => curve.quantity);
  }

  colourOf(quantity: Quantity): string {
    return this.curves.find((curve) => curve.quantity.key === quantity.key)?.colour ?? "";
  }

  setChosen(on: boolean, closable: boolean): void {
    mark(this.element, "chosen", on);
    this.closer.hidden = !closable;
  }

  /** Why a quantity cannot be drawn here; empty when it can. */
  refuses(quantity: Quantity): string {
    if (this.curves.length >= CURVE_COLOURS.length) return `chart ${this.number} has ${CURVE_COLOURS.length} curves: choose another`;
    const units = new Set([...this.curves.map((c) => this.unitOf(c.quantity)), this.unitOf(quantity)]);
    return units.size > MOST_UNITS ? `chart ${this.number} shows ${[...units].slice(0, -1).map((u) => u || "numbers").join(" and ")} already: choose or add another chart` : "";
  }

  add(quantity: Quantity): void {
    const colour = CURVE_COLOURS.find((c) => !this.curves.some((curve) => curve.colour === c)) ?? "#fff";
    this.curves.push({ quantity, colour, value: el("b.live") });
    this.samples.keep(quantity);
    this.build();
    this.wishes.changed();
  }

  remove(quantity: Quantity): void {
    const curve = this.curves.find((c) => c.quantity.key === quantity.key);
    if (!curve) return;
    this.curves = this.curves.filter((c) => c !== curve);
    this.samples.release(curve.quantity);
    this.build();
    this.wishes.changed();
  }

  setUnits(units: Units): void {
    this.units = units;
    this.build();
  }

  close(): void {
    for (const quantity of this.quantities) this.samples.release(quantity);
    this.curves = [];
    this.watch.disconnect();
    this.plot?.destroy();
  }

  /** Draw the last `span` seconds before `until`. */
  draw(span: number, until: number): void {
    if (!this.plot) return;
    this.shownSpan = span;
    const { seconds, curves } = this.samples.window(this.quantities, span, Number.isFinite(until) ? until : 0);
    this.curves.forEach((curve, k) => {
      const scale = shownOf(curve.quantity, this.units).scale;
      const values = curves[k];
      if (values && scale !== 1) for (let i = 0; i < values.length; i++) values[i] = values[i] == null ? null : (values[i] as number) * scale;
    });
    this.plot.setData([seconds, ...curves]);
  }

  /** Present values, or those under the cursor. */
  sayValues(): void {
    const at = this.plot?.cursor.idx;
    this.curves.forEach((curve, k) => {
      const { scale, unit } = shownOf(curve.quantity, this.units);
      const under = at == null ? undefined : this.plot?.data[k + 1]?.[at];
      const value = under == null ? curve.quantity.read() : under / scale;
      say(curve.value, `${textOf(curve.quantity, value, this.units)}${unit && !curve.quantity.word ? ` ${unit}` : ""}`);
    });
  }

  private unitOf(quantity: Quantity): string {
    return shownOf(quantity, this.units).unit;
  }

  private build(): void {
    this.plot?.destroy();
    this.plot = null;
    fill(this.legend, ...this.curves.map((curve) => this.chip(curve)));
    if (!this.curves.length) {
      fill(this.body, el("div.empty", null, "Nothing is drawn here. Click a number in the table, or ∿ beside a variable."));
      return;
    }
    fill(this.body);
    this.plot = new uPlot(this.options(), [[], ...this.curves.map(() => [])], this.body);
    this.fit();
  }

  private options(): uPlot.Options {
    const units = [...new Set(this.curves.map((c) => this.unitOf(c.quantity)))];
    const scales: uPlot.Scales = { x: { time: false, range: () => [-this.shownSpan, 0] } };
    const axes = [axis("s before now", { size: 30, labelSize: 14, values: (_, ticks) => ticks.map((t) => (t === 0 ? "0" : String(t).replace("-", "−"))) })];
    units.forEach((unit, k) => {
      const digits = Math.min(...this.curves.filter((c) => this.unitOf(c.quantity) === unit).map((c) => shownOf(c.quantity, this.units).digits));
      scales[unit || "1"] = { range: (_, low, high) => room(low, high, digits) };
      axes.push(axis(unit || "–", { scale: unit || "1", side: k ? 1 : 3, size: (_, texts) => 20 + 7 * Math.max(4, ...(texts ?? []).map((t) => t.length)), labelSize: 14, grid: k ? { show: false } : { stroke: "#222a35", width: 1 }, values: (_, ticks) => ticks.map((t) => tickText(t, ticks)) }));
    });
    const series: uPlot.Series[] = this.curves.map((curve) => ({
      scale: this.unitOf(curve.quantity) || "1",
      stroke: curve.colour,
      width: 1.4,
      points: { show: false },
      ...(curve.quantity.stepped ? { paths: uPlot.paths.stepped?.({ align: 1 }) } : {}),
    }));
    return { width: 300, height: 120, legend: { show: false }, cursor: { drag: { x: false, y: false } }, scales, axes, series: [{}, ...series], padding: [6, units.length > 1 ? 0 : 10, 0, 0] };
  }

  private chip(curve: Curve): HTMLElement {
    const dot = el("span.dot");
    dot.style.background = curve.colour;
    const off = el("button.icon", { type: "button", "aria-label": `draw ${curve.quantity.label} no more`, title: "draw no more", onclick: () => this.remove(curve.quantity) }, "×");
    return el("span.chip", null, dot, el("span", null, curve.quantity.label), curve.value, off);
  }

  private fit(): void {
    const { clientWidth: width, clientHeight: height } = this.body;
    if (this.plot && width > 40 && height > 40) this.plot.setSize({ width, height });
  }
}

/** A range with room above and below, and never so narrow that the last digit fills the chart. */
function room(low: number, high: number, digits: number): [number, number] {
  if (!Number.isFinite(low) || !Number.isFinite(high)) return [-1, 1];
  const least = digits ? 5 * 10 ** -digits : 0.6;
  const half = Math.max((high - low) * 0.55, least);
  return [(low + high) / 2 - half, (low + high) / 2 + half];
}

/** As many decimals as the steps of the axis need. */
function tickText(value: number, ticks: number[]): string {
  const step = Math.abs((ticks[1] ?? 1) - (ticks[0] ?? 0)) || 1;
  const size = Math.abs(value);
  if (size >= 1e6 || (size > 0 && step < 1e-6)) return value.toExponential(2).replaceAll("-", "−");
  return value.toFixed(Math.max(0, Math.min(6, Math.ceil(-Math.log10(step) - 1e-9)))).replace("-", "−");
}
