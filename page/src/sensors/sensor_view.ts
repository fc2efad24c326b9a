// What one sensor sees, in the form that suits it, with the scale of its colours. The same on the sensors' page and beside the hall.
import { el, fill, mark, say } from "../dom";
import type { SensorInfo } from "../messages";
import { fixed } from "../numbers";
import { CloudView } from "./cloud_view";
import { gradient } from "./colours";
import type { Eyes } from "./eyes";
import { PixelView, type Showing } from "./pixel_view";
import type { Part, Sight } from "./sight";
import { inWords, saidOf, type Said } from "./words";

export class SensorView {
  readonly element: HTMLElement;
  readonly pixels: PixelView | null;
  readonly cloud: CloudView | null;
  part: Part;
  by: "range" | "intensity" = "range"; // colours of points
  showing: Showing = { stretch: false, saturated: false, marks: true };
  sight: Sight | undefined;
  marks: Sight | undefined; // of that sight
  private shown = ""; // serials
  private readonly ticks = [el("span"), el("span"), el("span")];
  private readonly scale = el("div.sensor-scale", null, el("div.sensor-bar", null), el("div.sensor-ticks", null, ...this.ticks));
  private readonly empty = el("div.sensor-empty");

  constructor(
    readonly sensor: SensorInfo,
    private readonly eyes: Eyes,
  ) {
    this.part = sensor.shows[0] ?? "image";
    const points = this.part === "points";
    this.cloud = points ? new CloudView() : null;
    this.pixels = points ? null : new PixelView();
    (this.scale.firstElementChild as HTMLElement).style.background = gradient();
    this.element = el("div.sensor-view.live", null, this.cloud?.canvas ?? this.pixels!.element, this.scale, this.empty);
  }

  /** Show another part, or the same otherwise. */
  choose(part: Part): void {
    this.part = part;
    this.redraw();
  }

  redraw(): void {
    this.shown = "";
  }

  /** Bring it up to date; what is to be said of it. True in `fresh` when the picture is another one. */
  update(trouble: string, connected: boolean): Said & { fresh: boolean } {
    if (!this.pixels?.pressed) {
      const now = this.eyes.shown(this.sensor.name, this.part, this.showing.marks);
      [this.sight, this.marks] = [now.picture, now.marks];
    }
    const { sight } = this;
    const newest = this.eyes.shown(this.sensor.name, this.part, false).picture;
    const said = saidOf(this.sensor, newest, this.eyes.ageMs(newest), trouble, connected);
    if (said.kind === "ok" && sight !== newest) said.text = `${inWords(this.eyes.ageMs(sight))} old, with its marks`;
    this.empty.hidden = sight !== undefined && !sight.trouble;
    say(this.empty, said.text);
    mark(this.element, "old", said.kind === "bad" || said.kind === "warn");
    const fresh = sight !== undefined && `${sight.serial} ${this.marks?.serial}` !== this.shown;
    if (fresh) this.show(sight);
    return { ...said, fresh };
  }

  private show(sight: Sight): void {
    this.shown = `${sight.serial} ${this.marks?.serial}`;
    if (sight.trouble) return;
    this.pixels?.show(sight, this.showing, this.marks);
    this.cloud?.show(sight, this.by, this.marks);
    const coloured = this.part === "depth" || this.part === "points";
    this.scale.hidden = !coloured;
    if (coloured) this.label();
  }

  /** Of the scale: far above, near below, as the picture has it; an intensity is a number without unit. */
  private label(): void {
    const amplitude = this.cloud !== null && this.by === "intensity";
    const [low, high] = (this.cloud ?? this.pixels!).limits;
    const span = high - low;
    const digits = span < 0.05 ? 3 : span < 1 ? 2 : span < 20 ? 1 : 0;
    const values = amplitude ? [low, 0.5 * (low + high), high] : [high, 0.5 * (low + high), low];
    values.forEach((value, k) => fill(this.ticks[k]!, `${fixed(value, digits)}${amplitude ? "" : " m"}`));
  }
}
