// A chart with its heading: title, curves with their values, marks of now and of events. One of the stack is chosen for new curves.
import { el, fill, mark } from "../dom";
import { Chart, type Shared } from "./chart";

import { curvesOf, type ChartPlan } from "./curve";
import { CurveChip } from "./curve_chip";
import { eventsAt, SEVERITY_COLOURS } from "./event_marks";
import type { CurveTable, LogColumn } from "./log_api";

const EVENTS_TOLD = 4;

export interface CardActions {
  choose(): void;
  remove(): void;
  take(name: string): void; // a curve out
}

export class ChartCard {
  readonly element: HTMLElement;
  readonly chart: Chart;
  private readonly place = el("div.log-plot");
  private readonly now = el("div.log-now");
  private readonly told = el("div.log-told", { hidden: true });
  private readonly chips: CurveChip[];
  private readonly watch = new ResizeObserver(() => this.chart.resize());

  constructor(
    readonly plan: ChartPlan,
    columns: Map<string, LogColumn>,
    private readonly shared: Shared,
    actions: CardActions,
    where: { bottom: boolean; rightRoom: boolean },
  ) {
    const curves = curvesOf(plan, columns);
    this.chips = curves.map((curve) => new CurveChip(curve, () => actions.take(curve.name)));
    const title = el("button.log-title", { type: "button", title: "choose this chart: variables ticked on the left are added to it", onclick: actions.choose }, plan.title);
    const away = el("button.log-away", { type: "button", "aria-label": `remove the chart ${plan.title}`, title: "remove this chart", onclick: actions.remove }, "×");
    const nothing = curves.length ? null : el("div.empty", null, "Tick variables on the left to draw them here.");
    this.place.append(...(nothing ? [nothing] : []));
    this.element = el("div.log-card", null, el("div.log-head", null, title, ...this.chips.map((chip) => chip.element), el("span.grow"), away), this.place);
    this.element.addEventListener("mousedown", () => actions.choose(), true);
    this.chart = new Chart(this.place, curves, shared, where.bottom, where.rightRoom);
    // A longer heading takes from the chart's room.
    this.watch.observe(this.place);
  }

  build(table: CurveTable | null): void {
    this.chart.build(table);
    this.chart.plot?.over.append(this.now, this.told);
  }

  choose(on: boolean): void {
    mark(this.element, "chosen", on);
  }

  /** The values at a time, and the mark of the replay's own time. */
  showTime(table: CurveTable | null, t: number, now: number): void {
    for (const chip of this.chips) chip.show(table, t);
    const plot = this.chart.plot;
    if (!plot) return;
    const left = plot.valToPos(now, "x");
    const inside = Number.isFinite(left) && left >= 0 && left <= plot.over.clientWidth;
    this.now.hidden = !inside;
    if (inside) this.now.style.transform = `translateX(${left.toFixed(1)}px)`;
  }

  /** The texts of the events under the mouse. */
  tellEvents(t: number | null): void {
    const plot = this.chart.plot;
    const left = t === null || !plot ? NaN : plot.valToPos(t, "x");
    const near = plot && Number.isFinite(left) ? eventsAt(plot, this.shared.events, left) : [];
    this.told.hidden = !near.length;
    if (!plot || !near.length) return;
    fill(this.told, ...near.slice(0, EVENTS_TOLD).map((event) => {
      const line = el("div", null, `${event.t.toFixed(3)} s  ${event.name}: ${event.text}`);
      line.style.color = SEVERITY_COLOURS[event.severity];
      return line;
    }), near.length > EVENTS_TOLD && el("div.muted", null, `and ${near.length - EVENTS_TOLD} more`));
    this.told.style.left = left > 0.6 * plot.over.clientWidth ? "" : `${left + 8}px`;
    this.told.style.right = left > 0.6 * plot.over.clientWidth ? `${plot.over.clientWidth - left + 8}px` : "";
  }

  end(): void {
    this.watch.disconnect();
    this.chart.end();
  }
}

