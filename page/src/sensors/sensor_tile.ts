// One sensor on the sensors' page: what it sees, how old that is, with what it was exposed, how its values are spread.
import { el, fill, say } from "../dom";
import type { SensorInfo } from "../messages";
import { notice } from "../notice";
import { count, fixed } from "../numbers";
import type { Eyes } from "./eyes";
import { Histogram, peak } from "./histogram";
import { levelSpread, quantiles, roundLimits, spread, type Spread } from "./levels";
import { whiteOf, type Showing } from "./pixel_view";
import { SensorView } from "./sensor_view";
import type { Sight } from "./sight";
import { VisionRow } from "./vision_row";

const KINDS: Record<SensorInfo["kind"], string> = { camera: "camera", tof: "time of flight", lidar: "LiDAR", fiducial: "marker camera" };
const BINS = 100; // of ranges
const MUCH = 0.01; // share of saturated pixels that is worth a colour

type FactName = "number" | "exposure" | "gain" | "saturated" | "mean" | "seen";
const FACTS: Record<FactName, [string, string]> = {
  number: ["number", "of this sensor's exposures, from 0"],
  exposure: ["exposure", "how long the shutter was open"],
  gain: ["gain", "of the sensor's amplifier"],
  saturated: ["saturated", "share of the pixels that are at the highest level"],
  mean: ["mean", "of all values of this picture"],
  seen: ["came back", "share of the pixels, or points, with a range"],
};

export class SensorTile {
  readonly element: HTMLElement;
  readonly view: SensorView;
  spread: Spread | null = null;
  private readonly age = el("span.tag");
  private readonly histogram = new Histogram();
  private readonly axis = [el("span"), el("span"), el("span")];
  private readonly facts = Object.fromEntries(Object.keys(FACTS).map((name) => [name, el("b")])) as Record<FactName, HTMLElement>;
  private readonly vision: VisionRow | null;
  private readonly pointing = el("button.btn.small", { type: "button", "aria-pressed": "false", "aria-disabled": "false" }, "Designate") as HTMLButtonElement;
  private readonly alone = el("button.btn.small", { type: "button", "aria-pressed": "false", title: "this sensor alone" }, "Enlarge") as HTMLButtonElement;

  constructor(
    readonly sensor: SensorInfo,
    private readonly eyes: Eyes,
    enlarge: (tile: SensorTile) => void,
  ) {
    this.view = new SensorView(sensor, eyes);
    this.vision = sensor.looked_through ? new VisionRow() : null;
    this.pointing.addEventListener("click", () => this.point(this.pointing.getAttribute("aria-pressed") !== "true"));
    this.alone.addEventListener("click", () => enlarge(this));
    const unit = sensor.kind === "lidar" ? "points" : "px";
    const head = el("h2", null, el("span.sensor-name", null, sensor.name), el("span.tag.about", null, `${KINDS[sensor.kind]} · ${sensor.width} × ${sensor.height} ${unit}`), this.age, el("span.grow"), ...this.choices(), this.alone);
    const facts = Object.entries(FACTS).map(([name, [label, title]]) => el("div.figure", { title, "data-fact": name }, el("span", null, label), this.facts[name as FactName]));
    const plot = el("div.sensor-plot", null, this.histogram.element, el("div.sensor-axis", null, ...this.axis));
    this.element = el("section.panel.sensor-tile", { "aria-label": sensor.name, "data-sensor": sensor.name }, head, this.view.element, this.vision?.element, el("div.sensor-foot.live", null, el("div.sensor-facts", null, ...facts), plot));
  }

  enlarged(on: boolean): void {
    this.alone.setAttribute("aria-pressed", String(on));
  }

  update(trouble: string, connected: boolean): void {
    const said = this.view.update(trouble, connected);
    say(this.age, said.text);
    this.age.className = `tag ${said.kind}`;
    const vision = this.eyes.said(this.sensor.name);
    this.vision?.update(vision, vision?.trusted_at_ms == null ? Infinity : this.eyes.ageMs({ at_ms: vision.trusted_at_ms }));
    this.offer();
    if (said.fresh && this.view.sight && !this.view.sight.trouble) this.measure(this.view.sight);
  }

  /** Where the target may be designated, and by whom. */
  private offer(): void {
    const { mute } = this.eyes;
    if (mute) this.point(false);
    this.pointing.setAttribute("aria-disabled", mute ? "true" : "false");
    this.pointing.title = mute || "press where the target's middle is and draw to a radius, or click; by keys: arrows and Enter. It is searched there";
  }

  private point(on: boolean): void {
    if (on && this.eyes.mute) notice(`Designate: ${this.eyes.mute}`, "warn", "designate");
    const allowed = on && !this.eyes.mute;
    if (String(allowed) === this.pointing.getAttribute("aria-pressed")) return;
    this.pointing.setAttribute("aria-pressed", String(allowed));
    this.view.pixels?.designate(
      allowed
        ? (sight, circle) => {
            this.point(false);
            void this.eyes.designate(sight, circle).then((reply) => {
              if (!reply.ok) notice(reply.error ?? "designate: refused", "bad", "designate");
            });
          }
        : null,
    );
  }

  /** What can be chosen of this kind of sensor. */
  private choices(): HTMLElement[] {
    const { view, sensor } = this;
    const toggle = (name: keyof Showing, label: string, title: string) => {
      const made = el("button.btn.small", { type: "button", "aria-pressed": String(view.showing[name]), title }, label);
      made.addEventListener("click", () => {
        view.showing[name] = !view.showing[name];
        made.setAttribute("aria-pressed", String(view.showing[name]));
        view.redraw();
      });
      return made;
    };
    const marks = sensor.looked_through ? [toggle("marks", "Marks", "what image processing found, over the picture it had: green fits, red does not; of a depth image each plane its colour")] : [];
    const pointing = sensor.looked_through ? [this.pointing] : [];
    if (sensor.kind === "lidar") {
      const reset = el("button.btn.small", { type: "button", onclick: () => view.cloud?.reset() }, "Reset view");
      return [choice([["range", "Range"], ["intensity", "Intensity"]], (by) => ((view.by = by), view.redraw())), ...marks, reset];
    }
    if (sensor.kind === "tof") return [...pointing, ...marks, choice([["depth", "Depth"], ["intensity", "Intensity"]], (part) => view.choose(part))];
    return [...pointing, ...marks, toggle("stretch", "Stretch", "the levels that occur fill the scale from black to white"), toggle("saturated", "Mark white", "pixels at the highest level are red")];
  }

  private measure(sight: Sight): void {
    const { facts } = this;
    const camera = sight.what === "image";
    const made = (this.spread = spreadOf(sight));
    say(facts.number, sight.number === undefined ? "–" : String(sight.number));
    say(facts.exposure, sight.exposure_s === undefined ? "–" : `${fixed(1000 * sight.exposure_s, sight.exposure_s < 0.01 ? 2 : 1)} ms`);
    say(facts.gain, sight.gain_db === undefined ? "–" : `${fixed(sight.gain_db, 1)} dB`);
    const share = made.saturated / Math.max(1, made.total);
    say(facts.saturated, `${fixed(100 * share, 2)} %`);
    facts.saturated.className = share > MUCH ? "bad" : "";
    say(facts.mean, sight.what === "depth" || sight.what === "points" ? `${fixed(made.mean, 3)} m` : fixed(made.mean, 1));
    say(facts.seen, seenOf(sight, made));
    for (const [name, shown] of Object.entries({ exposure: camera, gain: camera, saturated: camera, seen: sight.what === "depth" || sight.what === "points" })) facts[name as FactName].parentElement!.hidden = !shown;
    const unit = sight.what === "depth" || sight.what === "points" ? " m" : "";
    this.histogram.show(made, `histogram: most values near ${fixed(peak(made), 1)}${unit}`);
    const last = camera ? made.high - 1 : made.high;
    [made.low, 0.5 * (made.low + last), last].forEach((value, k) => fill(this.axis[k]!, `${fixed(value, unit && last - made.low < 20 ? 1 : 0)}${unit}`));
  }
}

/** Levels from 0 to white; ranges and amplitudes between the least and the greatest. */
function spreadOf(sight: Sight): Spread {
  if (sight.what === "image") return levelSpread(sight.values, whiteOf(sight));
  const values = sight.what === "points" ? rangesOf(sight.values as Float32Array) : sight.values;
  return spread(values, ...roundLimits(...(quantiles(values, [0, 1]) as [number, number])), BINS);
}

function rangesOf(points: Float32Array): Float32Array {
  return Float32Array.from({ length: points.length / 4 }, (_, k) => Math.hypot(points[4 * k]!, points[4 * k + 1]!, points[4 * k + 2]!));
}

function seenOf(sight: Sight, { total }: Spread): string {
  return sight.what === "points" ? count(sight.count ?? total, "point") : `${fixed((100 * total) / Math.max(1, sight.values.length), 1)} %`;
}

/** A row of buttons, one of them pressed. */
function choice<T extends string>(names: [T, string][], choose: (name: T) => void): HTMLElement {
  const row = el("span.sensor-choice", { role: "group" });
  names.forEach(([name, label], k) => {
    const made = el("button.btn.small", { type: "button", "aria-pressed": String(k === 0), "data-choice": name }, label);
    made.addEventListener("click", () => {
      for (const other of row.children) other.setAttribute("aria-pressed", String(other === made));
      choose(name);
    });
    row.append(made);
  });
  return row;
}
