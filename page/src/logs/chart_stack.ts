// Up to four charts of a run, one above the other, over one stretch of time.
import { button, type Button } from "../button";
import { el, fill } from "../dom";
import { notice } from "../notice";
import { ChartCard } from "./chart_card";
import { DARK, scaleKey, type Ground } from "./chart_look";
import type { Chart, Shared } from "./chart";
import { curvesOf, termsOf, type ChartPlan } from "./curve";
import { CurveRequest } from "./curve_request";
import type { CurveTable, LogColumn, LogEvent, OpenedLog } from "./log_api";
import { panned, sameSpan, within, zoomed, type TimeSpan } from "./time_span";

const MOST_CHARTS = 4;
const MOST_CURVES = 64; // that the server gives at once
const MOST_OF_CHART = 16;
const PAUSE_MS = 700; // between two movements of the hand

export class ChartStack implements Shared {
  readonly element = el("div.log-stack", { tabindex: "0", role: "group", "aria-label": "charts: arrows pan, plus and minus zoom, Home shows the whole run" });
  readonly addChart: Button = button("Add chart", () => this.add(), "small");
  whole: TimeSpan = { t0: 0, t1: 1 };
  span: TimeSpan = { t0: 0, t1: 1 };
  events: readonly LogEvent[] = [];
  ground: Ground = DARK;
  table: CurveTable | null = null;
  plans: ChartPlan[] = [];
  pointed: number | null = null; // time under the mouse
  cards: ChartCard[] = [];
  readonly request = new CurveRequest((table) => this.show(table));
  private id = "";
  private columns = new Map<string, LogColumn>();
  private chosen = 0;
  private before: TimeSpan[] = []; // spans to go back to
  private wantedAt = -Infinity;

  /** `changed`: other curves or another chosen chart, by hand or not; `pick`: a time was clicked. */
  constructor(
    private readonly changed: (byHand: boolean) => void,
    readonly pick: (t: number) => void,
  ) {
    new ResizeObserver(() => this.resize()).observe(this.element);
    this.element.addEventListener("keydown", (event) => this.key(event));
  }

  /** Another run, or the same one grown. */
  open(log: OpenedLog, columns: Map<string, LogColumn>, keep: boolean): void {
    const all = sameSpan(this.span, this.whole);
    this.id = log.id;
    this.columns = columns;
    this.events = log.events;
    this.whole = { t0: log.t0, t1: Math.max(log.t1, log.t0 + 0.02) };
    this.span = keep && !all ? within(this.whole, this.span) : this.whole;
    if (!keep) [this.table, this.before] = [null, []];
  }

  plot(plans: ChartPlan[]): void {
    this.plans = plans.slice(0, MOST_CHARTS);
    this.chosen = Math.min(this.chosen, Math.max(this.plans.length - 1, 0));
    this.rebuild(false);
  }

  /** Names of all curves, differences among them. */
  get names(): string[] {
    return [...new Set(this.plans.flatMap((plan) => plan.curves.map((curve) => curve.name)))];
  }

  /** Names of all variables in sight. */
  get variables(): string[] {
    return [...new Set(this.names.flatMap(termsOf))];
  }

  has(name: string): boolean {
    return this.plans[this.chosen]?.curves.some((curve) => curve.name === name) ?? false;
  }

  /** Into the chosen chart, or out of it. */
  toggle(name: string): void {
    if (this.has(name)) this.takeOut(this.chosen, name);
    else this.putIn(name);
  }

  private putIn(name: string): void {
    if (!this.plans.length) this.plans = [{ title: "chart 1", curves: [] }];
    const plan = this.plans[this.chosen]!;
    const tried: ChartPlan = { ...plan, curves: [...plan.curves, { name }] };
    const keys = new Set(curvesOf(tried, this.columns).map(scaleKey));
    if (keys.size > 2) return notice(`${name}: this chart has two units already; add another chart for it`, "warn");
    if (tried.curves.length > MOST_OF_CHART || this.names.length >= MOST_CURVES) return notice(`${name}: no more than ${MOST_OF_CHART} curves in a chart and ${MOST_CURVES} in all`, "warn");
    this.plans[this.chosen] = tried;
    this.rebuild();
  }

  private takeOut(chart: number, name: string): void {
    const plan = this.plans[chart]!;
    this.plans[chart] = { ...plan, curves: plan.curves.filter((curve) => curve.name !== name) };
    this.rebuild();
  }

  private add(): void {
    if (this.plans.length >= MOST_CHARTS) return;
    this.plans.push({ title: `chart ${this.plans.length + 1}`, curves: [] });
    this.chosen = this.plans.length - 1;
    this.rebuild();
  }

  private remove(chart: number): void {
    this.plans.splice(chart, 1);
    this.chosen = Math.max(0, Math.min(this.chosen, this.plans.length - 1));
    this.rebuild();
  }

  private choose(chart: number): void {
    if (chart === this.chosen) return;
    this.chosen = chart;
    this.cards.forEach((card, k) => card.choose(k === chart));
    this.changed(false);
  }

  private rebuild(byHand = true): void {
    for (const card of this.cards) card.end();
    const rightRoom = this.plans.some((plan) => new Set(curvesOf(plan, this.columns).map(scaleKey)).size > 1);
    this.cards = this.plans.map((plan, k) => {
      const actions = { choose: () => this.choose(k), remove: () => this.remove(k), take: (name: string) => this.takeOut(k, name) };
      return new ChartCard(plan, this.columns, this, actions, { bottom: k === this.plans.length - 1, rightRoom });
    });
    fill(this.element, ...(this.cards.length ? this.cards.map((card) => card.element) : [el("div.empty", null, "No charts. Choose a preset above, or tick variables on the left.")]));
    this.cards.at(-1)?.element.classList.add("bottom");
    this.cards.forEach((card, k) => card.choose(k === this.chosen));
    this.cards.forEach((card) => card.build(this.known()));
    this.addChart.allow(this.plans.length >= MOST_CHARTS ? `no more than ${MOST_CHARTS} charts` : "");
    this.ask(0);
    this.changed(byHand);
  }

  /** The table, as long as it has all that is to be drawn: otherwise the new curves come with the next. */
  private known(): CurveTable | null {
    return this.table && this.names.every((name) => this.table!.low.has(name)) ? this.table : null;
  }

  // --- time
  want(span: TimeSpan, gradually = false): void {
    if (sameSpan(span, this.span)) return;
    // Many turns of the wheel are one step back.
    if (!gradually || performance.now() - this.wantedAt > PAUSE_MS) this.before = [...this.before.slice(-49), this.span];
    this.wantedAt = gradually ? performance.now() : -Infinity;
    this.go(span);
  }

  back(): void {
    const last = this.before.pop();
    if (last) this.go(last);
  }

  get canGoBack(): boolean {
    return this.before.length > 0;
  }

  /** Bring a time into sight. */
  reveal(t: number): void {
    const length = this.span.t1 - this.span.t0;
    if (t < this.span.t0 || t > this.span.t1) this.go(within(this.whole, { t0: t - 0.5 * length, t1: t + 0.5 * length }));
  }

  private go(span: TimeSpan): void {
    this.span = span;
    for (const card of this.cards) card.chart.follow();
    this.ask();
  }

  point(t: number | null, chart: Chart): void {
    this.pointed = t;
    for (const card of this.cards) card.tellEvents(card.chart === chart ? t : null);
  }

  ask(waitMs?: number): void {
    const pixels = Math.max(0, ...this.cards.map((card) => card.chart.columns));
    this.request.want(this.id, this.names, this.span, pixels, waitMs);
  }

  private show(table: CurveTable): void {
    this.table = table;
    for (const card of this.cards) card.chart.show(table);
  }

  /** Values at the mouse, or at the time of the replay. */
  update(now: number): void {
    for (const card of this.cards) card.showTime(this.table, this.pointed ?? now, now);
  }

  private resize(): void {
    for (const card of this.cards) {
      if (card.chart.plot) card.chart.resize();
      else card.build(this.known());
    }
  }

  private key(event: KeyboardEvent): void {
    if (event.target !== this.element) return;
    const { span, whole } = this;
    const length = span.t1 - span.t0;
    const middle = 0.5 * (span.t0 + span.t1);
    const next: Record<string, () => TimeSpan> = {
      ArrowLeft: () => panned(whole, span, -0.1 * length),
      ArrowRight: () => panned(whole, span, 0.1 * length),
      "+": () => zoomed(whole, span, middle, 0.8),
      "-": () => zoomed(whole, span, middle, 1.25),
      Home: () => whole,
    };
    const wanted = next[event.key];
    if (!wanted) return;
    event.preventDefault();
    this.want(wanted(), event.key !== "Home");
  }
}
