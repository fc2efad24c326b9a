// The replay's controls: play, speed, a slider over the whole run, steps of a second, jumps to events.
import { button } from "../button";
import { el, mark, say } from "../dom";
import { clockTime, fixed } from "../numbers";
import type { LogEvent } from "./log_api";
import { SPEEDS, type ReplayClock } from "./replay_clock";

const STEP_S = 1;
const FINE = 1e-4; // s: an event at this very time is not the next one

export class ReplayBar {
  readonly element: HTMLElement;
  private events: readonly LogEvent[] = [];
  private beginMs = NaN; // UTC
  private readonly now = el("span.mono.log-clock", { "aria-live": "off" });
  private readonly slider = el("input", { type: "range", min: "0", max: "1", step: "any", "aria-label": "time of the replay, seconds", oninput: () => this.seek(Number(this.slider.value)) }) as HTMLInputElement;
  private readonly play = button("Play", () => this.clock.play(!this.clock.playing), "primary");
  private readonly speed = el("select", { "aria-label": "speed of the replay", onchange: () => (this.clock.speed = Number(this.speed.value)) }, ...SPEEDS.map((s) => el("option", { value: s, selected: s === 1 }, `${s} ×`))) as HTMLSelectElement;
  private readonly previous = button("◂ event", () => this.jump(-1), "small");
  private readonly next = button("event ▸", () => this.jump(1), "small");

  /** `seek`: to a time by hand. */
  constructor(
    private readonly clock: ReplayClock,
    private readonly seek: (t: number) => void,
  ) {
    this.play.element.classList.add("log-play");
    this.previous.element.setAttribute("aria-label", "to the event before");
    this.next.element.setAttribute("aria-label", "to the next event");
    const step = (label: string, seconds: number) => button(label, () => this.seek(this.clock.t + seconds), "small").element;
    this.element = el("div.panel.log-replay", null, this.play.element, this.speed, step("−1 s", -STEP_S), step("+1 s", STEP_S), this.previous.element, this.next.element, this.slider, this.now);
  }

  open(begin: number, end: number, beginNs: number | null, events: readonly LogEvent[]): void {
    this.events = events;
    this.beginMs = beginNs === null ? NaN : beginNs / 1e6;
    this.slider.min = String(begin);
    this.slider.max = String(end);
  }

  update(waiting: boolean): void {
    const { clock } = this;
    say(this.play.element, clock.playing ? (waiting ? "Pause (reading …)" : "Pause") : clock.atEnd ? "Again" : "Play");
    mark(this.play.element, "on", clock.playing);
    if (document.activeElement !== this.slider || clock.playing) this.slider.value = String(clock.t);
    say(this.now, `${fixed(clock.t, 3)} s · ${clockTime(this.beginMs + 1e3 * clock.t)} UTC`);
    this.previous.allow(this.beside(-1) ? "" : "no event before this time");
    this.next.allow(this.beside(1) ? "" : "no event after this time");
  }

  private beside(direction: 1 | -1): LogEvent | undefined {
    const { events } = this;
    const { t } = this.clock;
    let k = direction > 0 ? 0 : events.length - 1;
    while (events[k] && direction * (events[k]!.t - t) <= FINE) k += direction;
    return events[k];
  }

  private jump(direction: 1 | -1): void {
    const event = this.beside(direction);
    if (event) this.seek(event.t);
  }
}
