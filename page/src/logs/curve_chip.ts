// The name of a curve above its chart, with its value at the cursor and a button that takes it away.
import { el, say } from "../dom";
import { valueText } from "./chart_look";
import type { Curve } from "./curve";
import type { CurveTable } from "./log_api";
import { lastBefore } from "./time_span";

export class CurveChip {
  readonly element: HTMLElement;
  private readonly value = el("span.mono.log-value");

  constructor(
    readonly curve: Curve,
    remove: () => void,
  ) {
    const swatch = el(`span.log-swatch${curve.dashed ? ".dashed" : ""}`);
    swatch.style.borderTopColor = curve.dark;
    const away = el("button.log-away", { type: "button", "aria-label": `take ${curve.label} out of the chart`, onclick: remove }, "×");
    this.element = el("span.log-chip", { title: `${curve.label}: ${curve.meaning}` }, swatch, el("span.log-name", null, curve.label), this.value, away);
  }

  /** Its value at a time: least and greatest where several records share a point. */
  show(table: CurveTable | null, t: number): void {
    const low = table?.low.get(this.curve.name);
    const high = table?.high.get(this.curve.name);
    if (!table?.t.length || !low?.length || !high?.length || !Number.isFinite(t)) {
      say(this.value, "–");
      return;
    }
    const i = nearest(table.t, t);
    const [least, greatest] = [valueText(this.curve, low[i]!), valueText(this.curve, high[i]!)];
    const unit = this.curve.names ? "" : ` ${this.curve.shown.unit}`;
    say(this.value, (least === greatest ? least : `${least} … ${greatest}`) + unit);
  }
}

function nearest(times: Float64Array, t: number): number {
  const i = lastBefore(times, t);
  const next = times[i + 1];
  return next !== undefined && next - t < t - times[i]! ? i + 1 : i;
}
