// Missed cycles with their cause, the newest first.
import { el, fill } from "../dom";
import type { Miss } from "../messages";
import { clockTime, fixed } from "../numbers";

const HEAD: [string, string][] = [
  ["UTC", "when the cycle began"],
  ["cycle", "number since the start"],
  ["late, ms", "begin after its time"],
  ["lost", "whole cycles that were left out"],
  ["work before, ms", "time that the tick before it took"],
  ["cause", "from what the operating system counted within about 80 ms: steal time, waiting for a core, page faults"],
];

export class MissesTable {
  readonly element = el("div.scroll.live", { tabindex: "0", "aria-label": "missed cycles" });
  private shown = "";

  show(misses: Miss[]): void {
    const key = `${misses.length} ${misses[0]?.tick ?? ""}`;
    if (key === this.shown) return;
    this.shown = key;
    if (!misses.length) {
      fill(this.element, el("div.empty", null, "No cycle has been missed while the console watched."));
      return;
    }
    const head = el("thead", null, el("tr", null, ...HEAD.map(([name, title], k) => el(k === HEAD.length - 1 || k === 0 ? "th" : "th.num", { title }, name))));
    const rows = misses.map((m) => el("tr", null, el("td.mono", null, clockTime(m.utc_ms)), el("td.num", null, m.tick), el("td.num", null, fixed(m.lateness_s * 1e3, 2)), el("td.num", null, m.lost), el("td.num", null, fixed(m.work_s * 1e3, 2)), el("td.wrap", null, m.cause)));
    fill(this.element, el("table", null, head, el("tbody", null, ...rows)));
  }
}
