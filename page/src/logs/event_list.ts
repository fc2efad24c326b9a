// The events of a run; a click jumps there.
import { el, fill, mark, say } from "../dom";
import { SEVERITIES, SEVERITY_COLOURS } from "./event_marks";
import type { LogEvent, Severity } from "./log_api";

const SHOWN = 400;

export class EventList {
  readonly element: HTMLElement;
  private events: readonly LogEvent[] = [];
  private shown: { event: LogEvent; row: HTMLElement }[] = [];
  private current: HTMLElement | null = null;
  private readonly rows = el("div.scroll.log-events");
  private readonly count = el("span.muted");
  private readonly search = el("input", { type: "search", placeholder: "search events", "aria-label": "search events", oninput: () => this.draw() }) as HTMLInputElement;
  private readonly least = el("select", { "aria-label": "least severity", onchange: () => this.draw() }, ...SEVERITIES.map((s) => el("option", { value: s, selected: s === "INFO" }, `${s.toLowerCase()} and worse`))) as HTMLSelectElement;

  constructor(private readonly jump: (t: number) => void) {
    this.element = el("div.panel.log-eventlist", null, el("h2", null, "Events", this.count), el("div.row", null, this.search, this.least), this.rows);
    fill(this.rows, el("div.empty", null, "Open a run to see its events."));
  }

  open(events: readonly LogEvent[]): void {
    this.events = events;
    this.draw();
  }

  /** Mark the last event at or before the time of the replay. */
  update(t: number): void {
    let last: HTMLElement | null = null;
    for (const { event, row } of this.shown) {
      if (event.t > t + 1e-9) break;
      last = row;
    }
    if (last === this.current) return;
    if (this.current) mark(this.current, "now", false);
    if (last) mark(last, "now", true);
    this.current = last;
    const box = this.rows.getBoundingClientRect();
    const at = last?.getBoundingClientRect();
    if (at && (at.top < box.top || at.bottom > box.bottom)) this.rows.scrollTop += at.top - box.top - 0.4 * box.height;
  }

  private draw(): void {
    const least = SEVERITIES.indexOf(this.least.value as Severity);
    const wanted = this.search.value.trim().toLowerCase();
    const found = this.events.filter((event) => rank(event) >= least && `${event.name} ${event.text}`.toLowerCase().includes(wanted));
    say(this.count, found.length === this.events.length ? String(found.length) : `${found.length} of ${this.events.length}`);
    this.shown = found.slice(0, SHOWN).map((event) => ({ event, row: this.row(event) }));
    this.current = null;
    const more = found.length > SHOWN && el("div.empty", null, `${found.length - SHOWN} later ones: narrow the search`);
    const empty = this.events.length ? "No event matches." : "This run has no events.";
    fill(this.rows, ...(this.shown.length ? [...this.shown.map(({ row }) => row), more] : [el("div.empty", null, empty)]));
  }

  private row(event: LogEvent): HTMLElement {
    const dot = el("span.dot");
    dot.style.background = SEVERITY_COLOURS[event.severity];
    const when = el("span.mono", null, `${event.t.toFixed(3)} s`);
    return el("button.log-event", { type: "button", title: `${event.severity.toLowerCase()}, cycle ${event.tick}, ${event.name}: ${event.text}`, onclick: () => this.jump(event.t) }, dot, when, el("span.log-text", null, el("b", null, event.name), " ", event.text));
  }
}

function rank(event: LogEvent): number {
  return event.severity === "UNKNOWN" ? 1 : SEVERITIES.indexOf(event.severity);
}
