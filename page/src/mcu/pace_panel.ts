// Speed limit of the jog, with what it comes to in mm/s and deg/s and how far it goes on when the button is let go of.
import type { Desk } from "../desk";
import { el, mark, say } from "../dom";
import { fixed } from "../numbers";
import { fenceOpen, mostShare, paceOf, STOPPED_MS, type Pace, type Settings } from "./settings";

const WHY_FASTER = "The drives can brake only so fast: from a higher speed, rest comes later than 100 ms after the last sign of life. Off at every start of the page and whenever control is lost.";

export function pacePanel(desk: Desk, settings: Settings): { element: HTMLElement; update(): void } {
  const slider = el("input#jog-speed", { type: "range", min: 1, max: 100, step: 1, value: settings.share * 100, "aria-label": "speed limit in percent of the jog speed" }) as HTMLInputElement;
  slider.addEventListener("input", () => (settings.share = Number(slider.value) / 100));
  const faster = el("input#jog-faster", { type: "checkbox" }) as HTMLInputElement;
  faster.addEventListener("change", () => (settings.faster = faster.checked));
  desk.on("control", () => (settings.faster &&= desk.holding));
  desk.on("state", () => (settings.faster &&= desk.holding));
  const [share, speed, rate] = [el("span.share"), el("span.num"), el("span.num")];
  const [release, lost, cap] = [el("td.num"), el("td.num"), el("span.cap.warn")];
  const toggle = el("label.faster", { title: WHY_FASTER }, faster, `faster: stops later than ${STOPPED_MS} ms`);
  const element = el(
    "section.panel.pace", { "aria-label": "speed limit" },
    el("h2", null, "Speed limit", el("span.grow"), speed, rate),
    el("div.row.speed", null, slider, share),
    el("div.row", null, toggle, el("span.grow"), cap),
    el("table", null, el("tbody", null, el("tr", null, el("td", null, "rest after release"), release), el("tr", null, el("td", null, "rest after the last heartbeat"), lost))),
  );
  return {
    element,
    update() {
      const limits = desk.hello?.jog;
      if (!limits) return;
      const most = settings.faster ? 1 : mostShare(limits);
      settings.share = Math.min(settings.share, most);
      faster.checked = settings.faster;
      setRange(slider, most, settings.share);
      const pace = paceOf(limits, settings.share, fenceOpen(desk));
      say(share, `${fixed(settings.share * 100, 0)} %`);
      say(speed, `${fixed(pace.speedMmS, 1)} mm/s`);
      say(rate, `${fixed(pace.rateDegS, 2)} deg/s`);
      say(release, `${fixed(pace.fadeMs, 0)} ms · ${fixed(pace.letGoMm, 1)} mm · ${fixed(pace.letGoDeg, 2)} deg`);
      say(lost, `${fixed(pace.lostMs, 0)} ms · ${fixed(pace.lostMm, 1)} mm · ${fixed(pace.lostDeg, 2)} deg`);
      mark(lost, "warn", pace.lostMs > STOPPED_MS);
      mark(release, "warn", pace.fadeMs > STOPPED_MS);
      sayCap(cap, pace, limits.reduced_share, fenceOpen(desk));
    },
  };
}

function setRange(slider: HTMLInputElement, most: number, share: number): void {
  const [max, value] = [String(Math.round(most * 100)), String(Math.round(share * 100))];
  if (slider.max !== max) slider.max = max;
  if (slider.value !== value) slider.value = value;
  const title = `1 to ${max} % of the jog speed`;
  if (slider.title !== title) slider.title = title;
}

function sayCap(cap: HTMLElement, pace: Pace, reduced: number, open: boolean): void {
  const most = fixed(reduced * 100, 0);
  mark(cap, "on", pace.capped);
  say(cap, pace.capped ? `Fence open: capped at ${most} %` : open ? `Fence open: at most ${most} %` : "");
}
