// Timing: does the loop keep its time, and if not, why; and what comes over the network.
import type { Desk } from "../desk";
import { el, fill, mark, say } from "../dom";
import { fixed } from "../numbers";
import type { Mounted, Page } from "../page";
import { LatenessPlot } from "../timing/lateness_plot";
import { MissesTable } from "../timing/misses_table";
import { Network } from "../timing/network";
import "./timing.css";

const COUNT_MS = 1000; // frames that come are counted over a second

interface Figure {
  element: HTMLElement;
  say(text: string, kind?: "" | "ok" | "warn" | "bad"): void;
}

function figure(name: string, title: string): Figure {
  const value = el("b");
  return {
    element: el("div.figure", { title }, el("span", null, name), value),
    say(text, kind = "") {
      say(value, text);
      value.className = kind;
    },
  };
}

class Timing implements Mounted {
  private readonly period = 4e-3;
  private readonly plot = new LatenessPlot([
    { lateness_s: 1e-3, label: "late", colour: "#e3a02b" },
    { lateness_s: this.period, label: "missed", colour: "#f85149" },
  ]);
  private readonly misses = new MissesTable();
  private readonly network: Network;
  private readonly waiting = el("div.empty", null, "Waiting for the first second of the facility's timing.");
  private readonly figures = {
    cycles: figure("cycles watched", "since the console started"),
    late: figure("late", "share of cycles that began more than 1 ms after their time"),
    missed: figure("missed", "cycles left out since the facility started"),
    p50: figure("median, 10 s", "lateness, last ten seconds"),
    p99: figure("99 %, 10 s", "lateness, last ten seconds"),
    p999: figure("99.9 %, 10 s", "lateness, last ten seconds"),
    max: figure("most, 10 s", "lateness, last ten seconds"),
    workMean: figure("work, mean, 10 s", "time that a tick takes, last ten seconds"),
    workMax: figure("work, most, 10 s", "time that a tick takes, last ten seconds"),
  };
  private readonly console = { frames: figure("frames", "that this page takes"), trip: figure("round trip", "page to server and back"), age: figure("data age", "at most"), viewers: figure("viewers", "pages that look on"), dropped: figure("dropped", "frames that a slow page did not get, of those who are here"), refused: figure("refused", "connections and requests that were turned away") };
  private counted = { at: 0, frames: 0, rate: NaN };

  constructor(root: HTMLElement, private readonly desk: Desk) {
    this.network = new Network(desk);
    const f = this.figures;
    const strip = el("section.panel.strip.live", { "aria-label": "figures" }, ...Object.values(f).map((each) => each.element));
    const legend = el("span.legend", null, el("i.session"), "session", el("i.recent"), "last 10 s");
    const plot = el("section.panel.plot", { "aria-label": "histogram of lateness" }, el("h2", null, "Lateness of the cycle", el("span.grow"), legend), this.waiting, this.plot.element);
    const misses = el("section.panel.misses", { "aria-label": "deadline misses" }, el("h2", null, "Deadline misses"), this.misses.element);
    const own = el("section.panel", { "aria-label": "console" }, el("h2", null, "Console"), el("div.own.live", null, ...Object.values(this.console).map((each) => each.element)));
    root.append(strip, plot, el("div.side", null, this.network.bridge, this.network.sync, own), misses);
    desk.on("timing", () => this.takeTiming());
    desk.on("status", () => this.network.takeStatus());
    this.takeTiming();
    this.network.takeStatus();
  }

  update(): void {
    const { desk } = this;
    this.network.update();
    const now = performance.now();
    if (now - this.counted.at >= COUNT_MS) this.counted = { at: now, frames: desk.frames, rate: this.counted.at ? ((desk.frames - this.counted.frames) * 1000) / (now - this.counted.at) : NaN };
    this.console.frames.say(`${fixed(this.counted.rate, 0)} /s`);
    this.console.trip.say(`${fixed(desk.roundTripMs, 1)} ms`);
    this.console.age.say(`${fixed(desk.ageMs(), 0)} ms`);
  }

  private takeTiming(): void {
    const timing = this.desk.timing;
    this.waiting.hidden = timing !== null;
    this.plot.element.hidden = timing === null;
    if (!timing) {
      fill(this.misses.element, el("div.empty", null, "Waiting for the facility's timing."));
      return;
    }
    const f = this.figures;
    const share = timing.cycles ? timing.late / timing.cycles : NaN;
    f.cycles.say(fixed(timing.cycles, 0));
    f.late.say(`${fixed(share * 100, 3)} %`, share > 0.01 ? "warn" : "ok");
    f.missed.say(fixed(timing.missed, 0), timing.missed ? "warn" : "ok");
    for (const name of ["p50", "p99", "p999", "max"] as const) f[name].say(inMs(timing.quantiles_s[name]), kindOf(timing.quantiles_s[name], timing.late_s, this.period));
    f.workMean.say(inMs(timing.work_s.mean));
    f.workMax.say(inMs(timing.work_s.max), kindOf(timing.work_s.max, 0.75 * this.period, this.period));
    this.plot.show(timing);
    this.misses.show(timing.misses);
    this.console.viewers.say(String(timing.console.viewers));
    this.console.dropped.say(String(timing.console.frames_dropped));
    this.console.refused.say(String(timing.console.refused));
    mark(this.plot.element, "empty-plot", timing.cycles === 0);
  }
}

function inMs(seconds: number | undefined): string {
  return `${fixed((seconds ?? NaN) * 1e3, 3)} ms`;
}

function kindOf(seconds: number | undefined, warn: number, bad: number): "" | "ok" | "warn" | "bad" {
  return seconds === undefined ? "" : seconds >= bad ? "bad" : seconds > warn ? "warn" : "ok";
}

export const timing: Page = {
  id: "timing",
  title: "Timing",
  mount: (root, desk) => new Timing(root, desk),
};
