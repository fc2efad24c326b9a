// The hall as it stood in a recorded run: actual and commanded axes at the time of the replay.
import { el, say } from "../dom";
import type { HallDescription } from "../hall/description";
import type { HallView, ViewName } from "../hall/view";
import { fetchOwn } from "../visitor";
import { inWords, type LogColumn, type OpenedLog } from "./log_api";
import { axesOf } from "./presets";
import { ReplaySamples } from "./replay_samples";

const ZONES = ["bridge.commanded_zone", "bridge.actual_zone"];
const YELLOW = "bridge.yellow";
const PORT1 = ["hall_truth.x", "hall_truth.y", "hall_truth.z"]; // in the frame of port 2
const VIEWS: ViewName[] = ["free", "top", "side", "chaser"];
const JUMP_S = 5; // a longer step, or one back, begins a new trail

export class ReplayHall {
  readonly element = el("div.log-hall");
  samples: ReplaySamples | null = null;
  view: HallView | null = null;
  private readonly said = el("div.log-hall-said");
  private readonly angle = el("select.log-hall-view", { "aria-label": "view of the hall", hidden: true, onchange: () => this.view?.view(this.angle.value as ViewName) }, ...VIEWS.map((name) => el("option", { value: name }, `${name} view`))) as HTMLSelectElement;
  private axisNames: string[] = [];
  private columns = new Map<string, LogColumn>();
  private cell = ""; // of the log
  private drawnCell = "";
  private drawnAxes: string[] = [];
  private drawnT = NaN;
  private opening = false;
  private note = "";

  constructor() {
    this.element.append(this.said, this.angle);
    say(this.said, "Open a run of the hall to replay it here.");
  }

  open(log: OpenedLog, columns: Map<string, LogColumn>): void {
    this.samples?.drop();
    this.columns = columns;
    this.drawnT = NaN;
    this.view?.clearTrail();
    this.axisNames = axesOf(columns);
    if (!this.axisNames.length) {
      this.samples = null;
      this.element.classList.add("none");
      say(this.said, "No robots in this log: it has no axes. Its curves can be plotted.");
      return;
    }
    this.element.classList.remove("none");
    const has = (names: string[]) => names.filter((name) => columns.has(name));
    const smooth = [...this.axisNames.flatMap((name) => [`actual.${name}`, `setpoint.${name}`]), ...has([YELLOW, ...PORT1])];
    this.samples = new ReplaySamples(log.id, smooth, has(ZONES), log.t1);
    this.cell = log.metadata.cell ?? "";
    void this.openView();
  }

  /** All axes at a time, m and rad. Endless axes are not wrapped. */
  axes(which: "actual" | "commanded", t: number): number[] {
    const group = which === "actual" ? "actual" : "setpoint";
    return this.axisNames.map((name) => this.samples?.value(`${group}.${name}`, t) ?? NaN);
  }

  /** Show the hall at a time. */
  show(t: number): void {
    const { view, samples } = this;
    if (!samples) return;
    say(this.said, samples.error ? `The replay waits: ${samples.error}` : this.opening ? "opening the hall …" : !samples.ready(t) ? "reading the log …" : this.note);
    if (!view || !samples.ready(t) || t === this.drawnT) return;
    view.setAxes("actual", this.axes("actual", t));
    view.setAxes("commanded", this.axes("commanded", t));
    const word = (name: string) => this.columns.get(name)?.names[String(samples.value(name, t))] ?? "";
    view.setZones(word(ZONES[0]!), word(ZONES[1]!), this.columns.has(YELLOW) ? samples.value(YELLOW, t) : 0);
    this.trail(view, t);
    this.drawnT = t;
  }

  pause(on: boolean): void {
    this.view?.pause(on);
    if (on) this.samples?.drop();
  }

  private trail(view: HallView, t: number): void {
    if (!(t >= this.drawnT) || t - this.drawnT > JUMP_S) view.clearTrail();
    const p = PORT1.map((name) => this.samples!.value(name, t));
    if (p.every(Number.isFinite) && Math.hypot(...p) > 0) view.addTrail(p as [number, number, number]);
  }

  private async openView(): Promise<void> {
    if (this.view || this.opening) return this.tellCell();
    this.opening = true;
    try {
      const answer = await fetchOwn("/api/hall");
      if (!answer.ok) throw new Error(`the server does not describe it (${answer.status})`);
      const description = (await answer.json()) as HallDescription;
      const { openHall } = await import("../hall/open");
      this.view = await openHall(this.element, description);
      this.drawnCell = description.name;
      this.drawnAxes = description.axes.map((axis) => axis.name);
      this.angle.hidden = false;
      this.tellCell();
    } catch (error) {
      this.note = `The hall cannot be drawn: ${inWords(error)}. Curves and events work all the same.`;
    }
    this.opening = false;
  }

  private tellCell(): void {
    const other = this.cell && this.drawnCell && this.cell !== this.drawnCell;
    const fits = this.drawnAxes.length === 0 || this.drawnAxes.join() === this.axisNames.join();
    if (!fits) this.note = `recorded in cell ${this.cell}: it has other axes than ${this.drawnCell}, which is drawn here. Curves and events work all the same.`;
    else this.note = other ? `recorded in cell ${this.cell}, drawn in cell ${this.drawnCell}` : this.view && !this.view.webgl ? this.view.text : "";
  }
}
