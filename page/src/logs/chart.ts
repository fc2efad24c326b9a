// One chart of a log: curves as bands from least to greatest, so that no peak is lost, over the time that all charts share.
import uPlot from "uplot";
import { axisLabel, bandInk, FONT, ink, plainValues, scaleKey, type Ground } from "./chart_look";
import type { Curve } from "./curve";
import { drawMarks } from "./event_marks";
import type { CurveTable, LogEvent } from "./log_api";
import { panned, within, zoomed, type TimeSpan } from "./time_span";

const WHEEL_FACTOR = 1.25;
const WORD_PX = 9; // height of a word on an axis
const CLICK_PX = 4; // a shorter drag is a click
export const Y_AXIS_PX = 74;
export const X_AXIS_PX = 38;

/** What the charts of a stack have in common. */
export interface Shared {
  whole: TimeSpan;
  span: TimeSpan;
  events: readonly LogEvent[];
  ground: Ground;
  /** Another stretch of time is wanted; `gradually`: one of many small steps. */
  want(span: TimeSpan, gradually?: boolean): void;
  /** The time under the mouse; null when it has left. */
  point(t: number | null, chart: Chart): void;
  /** A time was clicked at. */
  pick(t: number): void;
}

export class Chart {
  plot: uPlot | null = null;
  readonly keys: string[]; // of the scales, one or two

  constructor(
    private readonly host: HTMLElement,
    readonly curves: Curve[],
    private readonly shared: Shared,
    private readonly bottom: boolean, // has the numbers of the time axis
    private readonly rightRoom: boolean, // some chart has a second axis: all keep the room
  ) {
    this.keys = [...new Set(curves.map(scaleKey))];
  }

  /** Draw anew in the room that the host has now. */
  build(table: CurveTable | null): void {
    this.end();
    const { clientWidth: width, clientHeight: height } = this.host;
    if (!this.curves.length || width < 50 || height < 30) return;
    this.plot = new uPlot(this.options(width, height), this.data(table), this.host);
    this.listen(this.plot);
  }

  resize(): void {
    const { clientWidth: width, clientHeight: height } = this.host;
    if (this.plot && width > 50 && height > 30 && (width !== this.plot.width || height !== this.plot.height)) this.plot.setSize({ width, height });
  }

  show(table: CurveTable): void {
    this.plot?.setData(this.data(table));
  }

  /** The span has changed: what is known is shown in it until the server has answered. */
  follow(): void {
    this.plot?.setScale("x", { min: this.shared.span.t0, max: this.shared.span.t1 });
  }

  /** Columns of pixels of the plot. */
  get columns(): number {
    return this.host.clientWidth - Y_AXIS_PX; // uPlot sizes its own parts a little later
  }

  end(): void {
    this.plot?.destroy();
    this.plot = null;
  }

  private data(table: CurveTable | null): uPlot.AlignedData {
    const t = table ? [...table.t] : [];
    const side = (values: Float64Array | undefined, scale: number) => Array.from(values ?? new Float64Array(t.length), (v) => (Number.isFinite(v) ? v * scale : null));
    const rows = this.curves.flatMap(({ name, shown, names }) => [table?.high.get(name), table?.low.get(name)].map((values) => side(values, names ? 1 : shown.scale)));
    return [t, ...rows] as uPlot.AlignedData;
  }

  private options(width: number, height: number): uPlot.Options {
    const { shared } = this;
    return {
      width,
      height,
      padding: [6, this.rightRoom && this.keys.length < 2 ? Y_AXIS_PX + 10 : 10, this.bottom ? 0 : 6, 0],
      legend: { show: false },
      cursor: { sync: { key: "logs", setSeries: false }, points: { show: false }, y: false, drag: { x: true, y: false, setScale: false }, bind: { dblclick: () => null, mousedown: (u, _, handler) => this.mousedown(u, handler) } },
      scales: { x: { time: false, range: () => [shared.span.t0, shared.span.t1] }, ...Object.fromEntries(this.keys.map((key) => [key, this.scale(key)])) },
      series: [{}, ...this.curves.flatMap((curve) => this.series(curve))],
      bands: this.curves.map((curve, k) => ({ series: [2 * k + 1, 2 * k + 2] as [number, number], fill: () => bandInk(curve, shared.ground) })),
      axes: [this.timeAxis(), ...this.keys.slice(0, 2).map((key, k) => this.valueAxis(key, k))],
      hooks: {
        draw: [(u) => drawMarks(u, shared.events)],
        setSelect: [(u) => this.selected(u)],
        setCursor: [(u) => this.pointed(u)],
      },
    };
  }

  private series(curve: Curve): uPlot.Series[] {
    const paths = curve.names ? uPlot.paths.stepped?.({ align: 1 }) : undefined;
    const look: uPlot.Series = { scale: scaleKey(curve), stroke: () => ink(curve, this.shared.ground), width: curve.under ? 2.6 : 1.2, points: { show: false }, dash: curve.dashed ? [5, 3] : [], ...(paths ? { paths } : {}) };
    return [look, { ...look }];
  }

  private scale(key: string): uPlot.Scale {
    const words = this.curves.find((curve) => scaleKey(curve) === key)?.names;
    if (!words) return { range: (_, min, max) => around(min ?? 0, max ?? 1) };
    // Only the words that occur: the ones between them keep their places.
    return { range: (_, min, max) => [(min ?? 0) - 0.5, (max ?? 1) + 0.5] };
  }

  private timeAxis(): uPlot.Axis {
    const axis = this.axis();
    return this.bottom ? { ...axis, label: "time since the first record [s]", labelSize: 16, size: X_AXIS_PX - 16, values: plainValues, gap: 2 } : { ...axis, size: 0, values: (_, splits) => splits.map(() => "") };
  }

  private valueAxis(key: string, k: number): uPlot.Axis {
    const curve = this.curves.find((each) => scaleKey(each) === key)!;
    const side = { scale: key, side: k ? 1 : 3, grid: { ...this.axis().grid, show: k === 0 } } as Partial<uPlot.Axis>;
    const words = curve.names;
    if (!words) return { ...this.axis(), ...side, label: axisLabel(curve), labelSize: 16, size: Y_AXIS_PX - 16, space: 24, values: plainValues };
    const values = (_: uPlot, at: number[]) => at.map((value) => (words[String(value)] ?? "").slice(0, 11));
    return { ...this.axis(), ...side, size: Y_AXIS_PX, splits: (plot) => this.wordsSeen(plot, key), values, font: FONT.replace("11px", "9px") };
  }

  /** Values of an enumeration that occur, as many as there is room for. */
  private wordsSeen(plot: uPlot, key: string): number[] {
    const rows = this.curves.flatMap((curve, k) => (scaleKey(curve) === key ? [plot.data[2 * k + 1], plot.data[2 * k + 2]] : []));
    const seen = [...new Set(rows.flatMap((row) => [...(row ?? [])]))].filter((value) => value != null).sort((a, b) => a - b);
    const { min = 0, max = 1 } = plot.scales[key] as { min?: number; max?: number };
    const room = (WORD_PX * (max - min)) / Math.max(plot.bbox.height / devicePixelRatio, 1);
    let last = -Infinity;
    return seen.filter((value) => value - last >= room && ((last = value), true));
  }

  private axis(): uPlot.Axis {
    const { shared } = this;
    const grid = { stroke: () => shared.ground.grid, width: 1 };
    return { stroke: () => shared.ground.dim, grid, ticks: { ...grid, size: 4 }, font: FONT, labelFont: FONT };
  }

  // --- the mouse
  private listen(plot: uPlot): void {
    const { shared } = this;
    plot.over.addEventListener("dblclick", () => shared.want(shared.whole));
    plot.over.addEventListener("wheel", (event) => {
      event.preventDefault();
      const { left } = plot.over.getBoundingClientRect();
      const { span, whole } = shared;
      if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
        shared.want(panned(whole, span, (Math.sign(event.deltaX || event.deltaY) * (span.t1 - span.t0)) / 12), true);
      } else shared.want(zoomed(whole, span, plot.posToVal(event.clientX - left, "x"), event.deltaY > 0 ? WHEEL_FACTOR : 1 / WHEEL_FACTOR), true);
    }, { passive: false });
    let downAt = NaN;
    plot.over.addEventListener("mousedown", (event) => (downAt = event.button === 0 && !event.shiftKey ? event.clientX : NaN));
    plot.over.addEventListener("mouseup", (event) => {
      if (Math.abs(event.clientX - downAt) <= CLICK_PX) shared.pick(plot.posToVal(event.clientX - plot.over.getBoundingClientRect().left, "x"));
    });
    plot.over.addEventListener("mouseleave", () => shared.point(null, this));
  }

  /** Left: uPlot's own selection. Shift or the middle button: pan. */
  private mousedown(plot: uPlot, handler: (event: MouseEvent) => null): (event: MouseEvent) => null {
    return (event) => {
      if (event.button === 0 && !event.shiftKey) return handler(event);
      if (event.button > 1) return null;
      const begun = this.shared.span;
      const each = (begun.t1 - begun.t0) / Math.max(plot.over.clientWidth, 1);
      const move = (at: MouseEvent) => this.shared.want(panned(this.shared.whole, begun, (event.clientX - at.clientX) * each), true);
      window.addEventListener("mousemove", move);
      window.addEventListener("mouseup", () => window.removeEventListener("mousemove", move), { once: true });
      return null;
    };
  }

  private selected(plot: uPlot): void {
    const { left, width } = plot.select;
    if (width > CLICK_PX) this.shared.want(within(this.shared.whole, { t0: plot.posToVal(left, "x"), t1: plot.posToVal(left + width, "x") }));
    if (width > 0) plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
  }

  /** The cursor of all charts moves together; the one under the mouse tells where it is. */
  private pointed(plot: uPlot): void {
    const left = plot.cursor.left ?? -1;
    if (left >= 0 && plot.over.matches(":hover")) this.shared.point(plot.posToVal(left, "x"), this);
  }
}

/** The range of an axis for values from `min` to `max`; a level line lies in the middle. */
function around(min: number, max: number): [number, number] {
  const room = max > min ? 0.08 * (max - min) : 0.1 * Math.abs(max) || 1;
  return [min - room, max + room];
}
