// The Log Viewer: recorded runs, their curves and events, replayed in the hall.
import "./log_viewer.css";
import { button } from "../button";
import type { Desk } from "../desk";
import { el, fill } from "../dom";
import { ChartStack } from "../logs/chart_stack";
import { termsOf } from "../logs/curve";
import { EventList } from "../logs/event_list";
import { inWords, openRun, type LogColumn, type OpenedLog } from "../logs/log_api";
import { LogTools } from "../logs/log_tools";
import { firstCharts } from "../logs/presets";
import { ReplayBar } from "../logs/replay_bar";
import { ReplayClock } from "../logs/replay_clock";
import { ReplayHall } from "../logs/replay_hall";
import { RunList } from "../logs/run_list";
import { VariableTree } from "../logs/variable_tree";
import type { Mounted, Page } from "../page";

export const logViewer: Page = {
  id: "logs",
  title: "Log Viewer",
  mount: (root, desk) => new LogViewer(root, desk),
};

class LogViewer implements Mounted {
  private log: OpenedLog | null = null;
  private asked = ""; // the run that is being opened
  private shown = true;
  private frame = 0;
  private readonly clock = new ReplayClock();
  private readonly runs: RunList;
  private readonly tree: VariableTree = new VariableTree((name) => this.stack.toggle(name), (name) => this.stack.has(name));
  private readonly stack: ChartStack = new ChartStack((byHand) => this.changed(byHand), (t) => this.seek(t));
  private readonly events = new EventList((t) => this.seek(t));
  private readonly hall = new ReplayHall();
  private readonly bar = new ReplayBar(this.clock, (t) => this.seek(t));
  private readonly tools = new LogTools(this.stack, () => this.open(this.log?.id ?? "", true));
  private readonly centre = el("div.log-centre");
  private readonly work = el("div.log-work", { hidden: true }, this.tools.element, this.stack.element, this.bar.element);
  private readonly said = el("div.empty.log-said");

  constructor(root: HTMLElement, desk: Desk) {
    this.runs = new RunList((run) => void this.open(run.id));
    fill(this.said, "Choose a run on the left: its curves, events and the hall as it stood then are shown here.");
    this.centre.append(this.work, this.said);
    root.append(el("div.log-left", null, this.runs.element, this.tree.element), this.centre, el("div.log-right", null, this.hall.element, this.events.element));
    const { clock, hall } = this;
    window.proxops.replay = { get t() { return clock.t; }, axes: (which = "actual") => hall.axes(which, clock.t) };
    void this.runs.refresh().then(() => this.follow());
    desk.on("hello", () => void (this.shown && this.runs.refresh())); // there was no server to ask before
    this.tick();
  }

  /** The run that the address names, so that another page can lead here: #/logs?run=… */
  private follow(): void {
    const wanted = new URLSearchParams(location.hash.split("?")[1] ?? "").get("run");
    if (wanted && wanted !== this.log?.id) void this.open(wanted);
  }

  /** Open a run; `again`: the same one, which has grown. */
  private async open(id: string, again = false): Promise<{ ok: boolean; error?: string }> {
    this.asked = id;
    if (!again) this.tell("opening the run …");
    try {
      const log = await openRun(id);
      if (this.asked === id) this.take(log, again);
      return { ok: true };
    } catch (error) {
      const text = `${id} cannot be opened: ${inWords(error)}`;
      if (!again && this.asked === id) this.tell(text, id);
      return { ok: false, error: text };
    }
  }

  private tell(text: string, retry = ""): void {
    this.work.hidden = true;
    this.said.hidden = false;
    fill(this.said, text, retry && el("div", null, button("Try again", () => this.open(retry)).element));
  }

  private take(log: OpenedLog, again: boolean): void {
    if (!log.records) return this.tell(`${log.id} has no records${log.recording ? " yet: try again in a moment" : ""}.`, log.recording ? log.id : "");
    const before = this.log !== null && this.stack.plans.length > 0;
    this.log = log;
    const columns = new Map<string, LogColumn>(log.columns.map((column) => [column.path, column]));
    this.work.hidden = false;
    this.said.hidden = true;
    this.runs.mark(log.id);
    history.replaceState(null, "", `${location.pathname}${location.search}#/logs?run=${encodeURIComponent(log.id)}`);
    this.tools.open(log, columns, this.runs.find(log.id)?.name ?? log.id);
    this.stack.open(log, columns, again);
    this.clock.open(log.t0, log.t1, again);
    this.bar.open(log.t0, log.t1, log.begin_ns, log.events);
    this.events.open(log.events);
    this.hall.open(log, columns);
    if (again) this.stack.plot(this.stack.plans);
    else {
      this.tree.open(log.columns);
      // Runs are compared by the same charts, as far as the new one has them.
      const kept = before ? this.stack.plans.filter((plan) => plan.curves.every(({ name }) => termsOf(name).every((term) => columns.has(term)))) : [];
      if (kept.length && kept.length === this.stack.plans.length) this.stack.plot(kept);
      else if (!this.tools.showPreset(0)) {
        this.tools.ownChoice();
        this.stack.plot(firstCharts(columns));
      }
    }
  }

  private changed(byHand: boolean): void {
    this.tree.refresh();
    if (byHand) this.tools.ownChoice();
  }

  private seek(t: number): void {
    this.clock.seek(t);
    this.stack.reveal(this.clock.t);
  }

  /** Time runs with the screen's own rate, so that the replay is smooth. */
  private tick(): void {
    if (!this.shown) return;
    const { clock, hall } = this;
    hall.samples?.need(clock.t, clock.playing ? clock.speed : 0);
    clock.step(performance.now(), !hall.samples || hall.samples.ready(clock.t));
    if (clock.playing) this.stack.reveal(clock.t);
    hall.show(clock.t);
    this.frame = requestAnimationFrame(() => this.tick());
  }

  update(): void {
    if (!this.log || this.work.hidden) return;
    const { clock, hall } = this;
    this.stack.update(clock.t);
    this.tools.update();
    this.bar.update(Boolean(hall.samples && !hall.samples.ready(clock.t)));
    this.events.update(clock.t);
  }

  enter(): void {
    this.shown = true;
    this.hall.pause(false);
    void this.runs.refresh().then(() => this.follow());
    this.tick();
  }

  leave(): void {
    this.shown = false;
    cancelAnimationFrame(this.frame);
    this.clock.play(false);
    this.stack.request.drop();
    this.hall.pause(true);
  }
}
