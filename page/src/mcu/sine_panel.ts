// Sine test: a wave on one axis, swelling and fading over one period. Its peak speed and acceleration are told before it runs.
import { button, reasonOf, requestButton } from "../button";
import { axisText } from "../cell";
import type { Desk } from "../desk";
import { el, fill, mark, say } from "../dom";
import type { Axis } from "../messages";
import { DEG, fixed } from "../numbers";

const MOST_HZ = 5;
const CYCLES = [2, 10_000] as const;

interface Wave {
  axis: Axis | undefined; // not known yet
  amplitude: number; // m or rad
  frequency_hz: number;
  cycles: number;
}

export function sinePanel(desk: Desk): { element: HTMLElement; update(): void } {
  const number = (label: string, value: number, step: number) => el("input", { type: "number", value, min: 0, step, "aria-label": label }) as HTMLInputElement;
  const axis = el("select", { "aria-label": "axis of the sine test" }) as HTMLSelectElement;
  const offer = () => {
    const [axes, before] = [desk.hello?.axes ?? [], axis.value];
    fill(axis, ...axes.map(({ name }) => el("option", { value: name }, axisText(name))));
    const wanted = axes.some(({ name }) => name === before) ? before : axes.find(({ slides }) => !slides)?.name;
    if (wanted) axis.value = wanted;
  };
  desk.on("hello", offer);
  offer();
  const [amplitude, frequency, cycles] = [number("amplitude", 1, 0.1), number("frequency in hertz", 0.2, 0.1), number("number of cycles", 4, 1)];
  const [unit, peak] = [el("span.muted"), el("div.reason")];
  const chosen = () => desk.hello?.axes.find(({ name }) => name === axis.value);
  const wave = (): Wave => ({ axis: chosen(), amplitude: amplitude.valueAsNumber / (chosen()?.slides ? 1000 : DEG), frequency_hz: frequency.valueAsNumber, cycles: cycles.valueAsNumber });
  const select = requestButton(desk, "Select sine", "select sine", "select", () => ({ source: "sine" }));
  const start = button("Start", () => desk.ask("sine", { ...wave(), axis: axis.value }), "primary");
  const field = (text: string, input: HTMLElement, after: Node | string) => el("label.field", null, el("span", null, text), input, after);
  const element = el(
    "section.panel.sine", { "aria-label": "sine test" },
    el("h2", null, "Sine test", el("span.grow"), select.element, start.element),
    el("div.fields", null, field("axis", axis, ""), field("amplitude", amplitude, unit), field("frequency", frequency, "Hz"), field("cycles", cycles, "")),
    peak,
  );
  return {
    element,
    update() {
      const wrong = faultOf(wave());
      say(unit, chosen()?.slides ? "mm" : "deg");
      say(peak, wrong || peakOf(wave()));
      mark(peak, "warn", wrong !== "");
      start.allow(reasonOf(desk, "sine") || wrong);
    },
  };
}

/** What cannot be asked for; the facility checks the same, and the room to the ends of the axis. */
function faultOf(wave: Wave): string {
  const limits = wave.axis;
  const omega = 2 * Math.PI * wave.frequency_hz;
  if (!(wave.amplitude > 0)) return "amplitude: a number above 0";
  if (!(wave.frequency_hz > 0 && wave.frequency_hz <= MOST_HZ)) return `frequency: above 0, at most ${MOST_HZ} Hz`;
  if (!(Number.isInteger(wave.cycles) && wave.cycles >= CYCLES[0] && wave.cycles <= CYCLES[1])) return `cycles: ${CYCLES[0]} to ${CYCLES[1]}, whole`;
  if (!limits) return "";
  if (wave.amplitude * omega > limits.speed) return `too fast: ${peakOf(wave)}, limit ${shownRate(limits.speed, wave.axis)}/s`;
  if (wave.amplitude * omega ** 2 > limits.acceleration) return `too hard: ${peakOf(wave)}, limit ${shownRate(limits.acceleration, wave.axis)}/s²`;
  return "";
}

function peakOf(wave: Wave): string {
  const omega = 2 * Math.PI * wave.frequency_hz;
  return `peak ${shownRate(wave.amplitude * omega, wave.axis)}/s, ${shownRate(wave.amplitude * omega ** 2, wave.axis)}/s²; lasts ${fixed(wave.cycles / wave.frequency_hz, 1)} s`;
}

function shownRate(value: number, axis: Axis | undefined): string {
  return axis?.slides ? `${fixed(value * 1000, 1)} mm` : `${fixed(value * DEG, 2)} deg`;
}
