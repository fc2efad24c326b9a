// The line above the charts: which run, which charts, how finely it is seen, and what can be taken away from it.
import { button, type Button } from "../button";
import { el, say } from "../dom";
import { duration, fixed } from "../numbers";
import type { ChartStack } from "./chart_stack";
import { WHITE, DARK } from "./chart_look";
import { fetchCsv, inWords, type LogColumn, type OpenedLog } from "./log_api";
import { picture } from "./picture";
import { available, axesOf, axisSets, PRESETS, type AxisSet } from "./presets";
import { save } from "./save";
import { sameSpan } from "./time_span";

type Outcome = Promise<{ ok: boolean; error?: string }>;

export class LogTools {
  readonly element: HTMLElement;
  private log: OpenedLog | null = null;
  private columns = new Map<string, LogColumn>();
  private sets: AxisSet[] = [];
  private readonly title = el("b.log-runname");
  private readonly state = el("span.tag");
  private readonly resolution = el("span.muted.log-resolution", { role: "status" });
  private readonly preset = el("select", { "aria-label": "preset charts", onchange: () => this.choosePreset() }) as HTMLSelectElement;
  private readonly axes = el("select", { "aria-label": "axes", onchange: () => this.choosePreset() }) as HTMLSelectElement;
  private readonly wholeRun: Button = button("Whole run", () => this.stack.want(this.stack.whole), "small");
  private readonly back: Button = button("Back", () => this.stack.back(), "small");
  private readonly grown: Button = button("Up to now", () => this.refresh(), "small");
  private readonly exports: Button[];

  constructor(
    private readonly stack: ChartStack,
    private readonly refresh: () => Outcome,
  ) {
    const csv = (label: string, whole: boolean) => button(label, () => this.csv(whole), "small");
    const png = (label: string, white: boolean) => button(label, () => this.png(white), "small");
    this.exports = [csv("CSV of this span", false), csv("CSV of all", true), png("PNG", false), png("PNG white", true)];
    this.element = el("div.panel.log-tools", null,
      el("div.row", null, this.title, this.state, this.grown.element, el("span.grow"), ...this.exports.map((each) => each.element)),
      el("div.row", null, this.preset, this.axes, stack.addChart.element, this.wholeRun.element, this.back.element, el("span.grow"), this.resolution),
    );
  }

  open(log: OpenedLog, columns: Map<string, LogColumn>, name: string): void {
    this.log = log;
    this.columns = columns;
    say(this.title, name);
    this.title.title = [log.id, ...Object.entries(log.metadata).map(([key, value]) => `${key}: ${value.slice(0, 120)}`)].slice(0, 20).join("\n");
    const [text, kind] = log.recording ? [`being recorded, ${duration(log.t1)} so far`, "warn"] : log.complete ? [duration(log.t1), ""] : [`cut off after ${duration(log.t1)}`, "warn"];
    say(this.state, text);
    this.state.className = `tag ${kind}`;
    this.state.title = log.notes.join("\n");
    this.grown.element.hidden = !log.recording;
    this.offerAxes();
    this.offer();
  }

  /** Axes that this log has; the choice stays where it can. */
  private offerAxes(): void {
    const before = this.axes.value;
    this.sets = axisSets(axesOf(this.columns));
    this.axes.replaceChildren(...this.sets.map(({ name }, k) => el("option", { value: k }, name)));
    this.axes.value = Number(before) < this.sets.length ? before || "0" : "0";
  }

  /** Presets that this log has; the others say that it has not. */
  private offer(): void {
    const before = this.preset.value;
    this.preset.replaceChildren(
      el("option", { value: "" }, "own choice"),
      ...PRESETS.map(({ name }, k) => {
        const there = available(PRESETS[k]!, this.sets[0]?.axes ?? [], this.columns).length > 0;
        return el("option", { value: k, disabled: !there }, there ? name : `${name} (not in this log)`);
      }),
    );
    this.preset.value = before;
    if (!this.preset.value) this.preset.value = "";
    this.preset.disabled = false;
  }

  /** Show a preset, by hand or when a run was opened; false when the log does not have it. */
  showPreset(number: number): boolean {
    const preset = PRESETS[number];
    const charts = preset ? available(preset, this.sets[Number(this.axes.value)]?.axes ?? [], this.columns) : [];
    if (!charts.length) return false;
    this.preset.value = String(number);
    this.stack.plot(charts);
    return true;
  }

  /** The charts are no preset's any more. */
  ownChoice(): void {
    this.preset.value = "";
  }

  private choosePreset(): void {
    if (this.preset.value !== "") this.showPreset(Number(this.preset.value));
  }

  update(): void {
    const { log, stack } = this;
    if (!log) return;
    this.axes.hidden = !(this.preset.value !== "" && PRESETS[Number(this.preset.value)]?.ofAxes);
    this.wholeRun.allow(sameSpan(stack.span, stack.whole) ? "the whole run is in sight" : "");
    this.back.allow(stack.canGoBack ? "" : "no earlier view");
    const nothing = stack.names.length ? "" : "choose variables first";
    for (const each of this.exports) each.allow(nothing);
    const { error, loading } = stack.request;
    say(this.resolution, error ? `cannot be drawn: ${error}` : loading ? "loading …" : this.fineness());
    if (this.resolution.title !== this.resolution.textContent) this.resolution.title = this.resolution.textContent ?? "";
    this.resolution.classList.toggle("bad", Boolean(error));
  }

  private fineness(): string {
    const { table } = this.stack;
    if (!table) return "";
    const unit = this.sets.length ? "cycle" : "record";
    if (!table.t.length) return "no records here";
    if (table.recordsPerColumn <= 1) return `every ${unit}`;
    const each = `1 point = ${fixed(table.recordsPerColumn, table.recordsPerColumn < 10 ? 1 : 0).replace(/\.0$/, "")} ${unit}s`;
    if (!table.sampled.size) return `${each}, min and max`;
    return `${each}; differences sampled, zoom in for peaks`;
  }

  // --- to take away
  private async csv(whole: boolean): Outcome {
    const { log, stack } = this;
    if (!log) return { ok: false, error: "no run is open" };
    try {
      const span = whole ? null : stack.span;
      const names = ["clock.t_sim", ...stack.variables].filter((name, k, all) => this.columns.has(name) && all.indexOf(name) === k);
      const part = span ? `-${span.t0.toFixed(2)}-${span.t1.toFixed(2)}s` : "";
      save(await fetchCsv(log.id, names, span), `${log.id.replace(/\.mcap$/, "")}${part}.csv`);
      return { ok: true };
    } catch (error) {
      return { ok: false, error: `CSV: ${inWords(error)}` };
    }
  }

  private async png(white: boolean): Outcome {
    const { log, stack } = this;
    if (!log) return { ok: false, error: "no run is open" };
    try {
      const began = log.begin_ns === null ? "" : `began ${new Date(log.begin_ns / 1e6).toISOString().slice(0, 19)} UTC · `;
      const seconds = `${fixed(stack.span.t0, 2)} to ${fixed(stack.span.t1, 2)} s · `;
      const blob = await picture(stack, white ? WHITE : DARK, this.title.textContent ?? log.id, began + seconds + this.fineness());
      save(blob, `${log.id.replace(/\.mcap$/, "")}.png`);
      return { ok: true };
    } catch (error) {
      return { ok: false, error: `PNG: ${inWords(error)}` };
    }
  }
}
