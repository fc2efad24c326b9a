// Speed limit of the jog, with what it comes to in mm/s and deg/s and how far it goes on when the button is let go of.
import type { Desk } from "../desk";
import { el, mark, say } from "../dom";
import { fixed } from "../numbers";
import { fenceOpen, paceOf, type Settings } from "./settings";

export function pacePanel(desk: Desk, settings: Settings): { element: HTMLElement; update(): void } {
  const slider = el("input#jog-speed", { type: "range", min: 1, max: 100, step: 1, value: settings.share * 100, "aria-label": "speed limit in percent of the jog speed" }) as HTMLInputElement;
  slider.addEventListener("input", () => (settings.share = Number(slider.value) / 100));
  const [share, speed, rate] = [el("span.share"), el("span.num"), el("span.num")];
  const [release, lost, cap] = [el("td.num"), el("td.num"), el("div.cap.warn")];
  const element = el(
    "section.panel", { "aria-label": "speed limit" },
    el("h2", null, "Speed limit", el("span.grow"), speed, rate),
    el("div.row.speed", null, slider, share),
    cap,
    el("table", null, el("tbody", null, el("tr", null, el("td", null, "rest after release"), release), el("tr", null, el("td", null, "rest after the last heartbeat"), lost))),
  );
  return {
    element,
    update() {
      const limits = desk.hello?.jog;
      if (!limits) return;
      const pace = paceOf(limits, settings.share, fenceOpen(desk));
      say(share, `${fixed(settings.share * 100, 0)} %`);
      say(speed, `${fixed(pace.speedMmS, 1)} mm/s`);
      say(rate, `${fixed(pace.rateDegS, 2)} deg/s`);
      say(release, `${fixed(pace.fadeMs, 0)} ms · ${fixed(pace.letGoMm, 1)} mm · ${fixed(pace.letGoDeg, 2)} deg`);
      say(lost, `${fixed(pace.lostMs, 0)} ms · ${fixed(pace.lostMm, 1)} mm · ${fixed(pace.lostDeg, 2)} deg`);
      mark(cap, "on", pace.capped);
      const most = fixed(limits.reduced_share * 100, 0);
      say(cap, pace.capped ? `Fence open: capped at ${most} %` : fenceOpen(desk) ? `Fence open: at most ${most} %` : "");
    },
  };
}
