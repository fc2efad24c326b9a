// Events as vertical marks in a chart, coloured by their severity; the nearest to the cursor tells its text.
import type uPlot from "uplot";
import type { LogEvent, Severity } from "./log_api";

export const SEVERITY_COLOURS: Record<Severity, string> = { DEBUG: "#5d6978", INFO: "#6e8bb0", WARNING: "#e3a02b", ERROR: "#f85149", FATAL: "#ff4fa0", UNKNOWN: "#93a0b0" };
export const SEVERITIES: Severity[] = ["DEBUG", "INFO", "WARNING", "ERROR", "FATAL"];
const NEAR_PX = 5;

/** Draw those in sight; of several on one pixel the worst. */
export function drawMarks(chart: uPlot, events: readonly LogEvent[]): void {
  const { ctx, bbox } = chart;
  const { min = 0, max = 0 } = chart.scales.x as { min?: number; max?: number };
  const worst = new Map<number, LogEvent>();
  for (const event of events) {
    if (event.t < min || event.t > max) continue;
    const x = Math.round(chart.valToPos(event.t, "x", true));
    const there = worst.get(x);
    if (!there || rank(event) > rank(there)) worst.set(x, event);
  }
  ctx.save();
  for (const [x, event] of worst) {
    ctx.fillStyle = SEVERITY_COLOURS[event.severity];
    ctx.globalAlpha = rank(event) >= 3 ? 0.9 : rank(event) === 2 ? 0.5 : 0.35;
    ctx.fillRect(x, bbox.top, devicePixelRatio, bbox.height);
    ctx.globalAlpha = 1;
    ctx.fillRect(x - 2 * devicePixelRatio, bbox.top, 5 * devicePixelRatio, 4 * devicePixelRatio);
  }
  ctx.restore();
}

/** Events at a place on the screen (CSS pixels from the left of the plot), the worst first. */
export function eventsAt(chart: uPlot, events: readonly LogEvent[], left: number): LogEvent[] {
  const from = chart.posToVal(left - NEAR_PX, "x");
  const to = chart.posToVal(left + NEAR_PX, "x");
  return events.filter((event) => event.t >= from && event.t <= to).sort((a, b) => rank(b) - rank(a));
}

function rank(event: LogEvent): number {
  return SEVERITIES.indexOf(event.severity);
}
