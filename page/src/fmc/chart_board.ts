// Up to four strip charts with one time base: span, freeze, clear; new curves go into the chosen chart.
import { button } from "../button";
import type { Desk } from "../desk";
import { el, mark, say } from "../dom";
import { notice } from "../notice";
import type { Quantity } from "./rows";
import { LONGEST_S, Samples } from "./samples";
import { StripChart } from "./strip_chart";
import type { Units } from "./units";

const MOST_CHARTS = 4;
const SPANS_S = [10, 30, 60, LONGEST_S];
const REDRAW_MS = { short: 95, long: 240 };

export class ChartBoard {
  readonly element: HTMLElement;
  private readonly body = el("div.charts");
  private readonly samples: Samples;
  private readonly spans: HTMLElement[];
  private readonly freeze = button("Freeze", () => this.setFrozen(!Number.isFinite(this.frozenAt)), "small");
  private readonly more = button("Add chart", () => this.addChart(), "small");
  private charts: StripChart[] = [];
  private chosen: StripChart | null = null;
  private span = 30;
  private frozenAt = NaN;
  private drawnAt = 0;
  private count = 0;

  constructor(
    desk: Desk,
    private units: Units,
    private readonly changed: () => void,
  ) {
    this.samples = new Samples(desk);
    this.spans = SPANS_S.map((span) => el("button.btn.small", { type: "button", "aria-pressed": String(span === this.span), onclick: () => this.setSpan(span) }, `${span} s`));
    const clear = button("Clear", () => this.clear(), "small");
    this.element = el("section.panel.board", { "aria-label": "strip charts" }, el("h2", null, "Strip charts", el("span.grow"), el("span.row.spans", { role: "group", "aria-label": "time shown" }, ...this.spans), this.freeze.element, clear.element, this.more.element), this.body);
    this.addChart();
  }

  /** Draw a quantity in the chosen chart, or no more when it is there. */
  toggle(quantity: Quantity): void {
    const chart = this.chosen;
    if (!chart) return;
    if (chart.colourOf(quantity)) {
      chart.remove(quantity);
      return;
    }
    const reason = chart.refuses(quantity);
    if (reason) notice(reason, "warn");
    else chart.add(quantity);
  }

  colourOf(quantity: Quantity): string {
    return this.chosen?.colourOf(quantity) ?? "";
  }

  setUnits(units: Units): void {
    this.units = units;
    for (const chart of this.charts) chart.setUnits(units);
    this.drawnAt = 0;
  }

  update(): void {
    for (const chart of this.charts) chart.sayValues();
    const now = performance.now();
    if (now - this.drawnAt < (this.span > 60 ? REDRAW_MS.long : REDRAW_MS.short)) return;
    this.drawnAt = now;
    const until = Number.isFinite(this.frozenAt) ? this.frozenAt : this.samples.newest;
    for (const chart of this.charts) chart.draw(this.span, until);
  }

  private addChart(): void {
    if (this.charts.length >= MOST_CHARTS) return;
    const chart: StripChart = new StripChart(++this.count, this.samples, this.units, { choose: () => this.choose(chart), close: () => this.close(chart), changed: () => this.changed() });
    this.charts.push(chart);
    this.body.append(chart.element);
    this.choose(chart);
  }

  private close(chart: StripChart): void {
    chart.close();
    chart.element.remove();
    this.charts = this.charts.filter((c) => c !== chart);
    this.choose(this.charts.at(-1) ?? chart);
  }

  private choose(chart: StripChart): void {
    this.chosen = chart;
    for (const each of this.charts) each.setChosen(each === chart && this.charts.length > 1, this.charts.length > 1);
    this.more.allow(this.charts.length < MOST_CHARTS ? "" : `at most ${MOST_CHARTS} charts`);
    this.changed();
  }

  private setSpan(span: number): void {
    this.span = span;
    this.spans.forEach((each, k) => each.setAttribute("aria-pressed", String(SPANS_S[k] === span)));
    this.drawnAt = 0;
  }

  /** Frozen charts stand still; collecting goes on. */
  private setFrozen(on: boolean): void {
    this.frozenAt = on ? this.samples.newest : NaN;
    this.freeze.element.setAttribute("aria-pressed", String(on));
    say(this.freeze.element, on ? "Frozen" : "Freeze");
    mark(this.element, "frozen", on);
    this.drawnAt = 0;
  }

  private clear(): void {
    this.setFrozen(false);
    this.samples.clear();
  }
}
