// Sensors: what the facility's cameras, time-of-flight cameras and LiDARs see, with what a picture was exposed and how its values are spread.
import type { Desk } from "../desk";
import { el, fill, mark, say } from "../dom";
import type { EventItem } from "../messages";
import { notice } from "../notice";
import type { Mounted, Page } from "../page";
import { sharedEyes, type Eyes } from "../sensors/eyes";
import { peak } from "../sensors/histogram";
import { SensorTile } from "../sensors/sensor_tile";
import "../sensors/sensors.css";

const HZ = 10;
const SAID: Record<string, "ok" | "warn" | "bad"> = { "operator.designate": "ok", designated: "ok", "refused.designate": "bad" }; // events

class Sensors implements Mounted {
  private readonly eyes: Eyes;
  private readonly wall = el("div.sensor-wall");
  private readonly empty = el("div.empty");
  private readonly trouble = el("div.sensor-trouble.bad", { role: "status", hidden: true });
  private tiles: SensorTile[] = [];
  private alone: SensorTile | null = null;
  private shown = true;
  private built = "";
  private heard: EventItem | undefined; // the newest event that was looked at

  constructor(
    root: HTMLElement,
    private readonly desk: Desk,
  ) {
    this.eyes = sharedEyes(desk);
    root.append(this.trouble, this.empty, this.wall);
    desk.on("sensors", () => this.build());
    desk.on("hello", () => ((this.heard = desk.events[desk.events.length - 1]), this.build()));
    desk.on("events", () => this.hear());
    this.heard = desk.events[desk.events.length - 1];
    window.proxops.sensors = { of: (name) => this.look(name) };
    this.build();
  }

  update(): void {
    const trouble = this.desk.sensors?.trouble ?? "";
    this.trouble.hidden = !trouble;
    say(this.trouble, `No new images: ${trouble}.`);
    for (const tile of this.tiles) if (!this.alone || tile === this.alone) tile.update(trouble, this.desk.connected);
  }

  enter(): void {
    this.shown = true;
    this.ask();
  }

  leave(): void {
    this.shown = false;
    this.ask();
  }

  /** What becomes of an operator's word is said by who looks for the target, a moment later. */
  private hear(): void {
    const { events } = this.desk;
    for (const { name, text } of events.slice(events.lastIndexOf(this.heard!) + 1)) if (SAID[name]) notice(text, SAID[name], name);
    this.heard = events[events.length - 1];
  }

  private ask(): void {
    const seen = !this.shown ? [] : this.alone ? [this.alone] : this.tiles;
    this.eyes.look(this, Object.fromEntries(seen.map((tile) => [tile.sensor.name, HZ])));
  }

  private build(): void {
    const { sensors } = this.eyes;
    const now = JSON.stringify(sensors);
    this.empty.hidden = sensors.length > 0;
    say(this.empty, "This facility has no imaging sensors.");
    if (now !== this.built) {
      this.built = now;
      this.alone = null;
      this.tiles = sensors.map((sensor) => new SensorTile(sensor, this.eyes, (tile) => this.enlarge(tile)));
      fill(this.wall, ...this.tiles.map((tile) => tile.element));
      this.arrange();
    }
    this.ask();
  }

  private enlarge(tile: SensorTile): void {
    this.alone = this.alone === tile ? null : tile;
    for (const each of this.tiles) each.enlarged(each === this.alone);
    this.arrange();
    this.ask();
  }

  private arrange(): void {
    for (const tile of this.tiles) tile.element.hidden = this.alone !== null && tile !== this.alone;
    const many = this.alone ? 1 : this.tiles.length;
    this.wall.style.setProperty("--columns", String(many <= 1 ? 1 : many <= 4 ? 2 : 3));
    mark(this.wall, "many", many > 2);
  }

  /** For tests and for those who look under the bonnet. */
  private look(name: string): SensorLook | null {
    const tile = this.tiles.find((each) => each.sensor.name === name);
    const sight = tile?.view.sight;
    if (!tile || !sight) return null;
    const canvas = (tile.view.cloud ?? tile.view.pixels!).canvas;
    const pixel = (x: number, y: number) => Array.from(canvas.getContext("2d")!.getImageData(x, y, 1, 1).data);
    const value = (x: number, y: number) => sight.values[y * sight.width + x]!;
    return { number: sight.number, same: sight.same, ageMs: this.eyes.ageMs(sight), peak: tile.spread ? peak(tile.spread) : NaN, saturated: tile.spread ? tile.spread.saturated / tile.spread.total : NaN, points: tile.view.cloud?.drawn ?? 0, marks: tile.view.marks ? (tile.view.pixels?.overlay.drawn ?? tile.view.cloud?.marked ?? 0) : 0, limits: (tile.view.cloud ?? tile.view.pixels!).limits, pixel, value };
  }
}

export interface SensorLook {
  number: number | undefined;
  same: number;
  ageMs: number;
  peak: number; // where the most values are
  saturated: number; // share
  points: number; // drawn
  marks: number; // drawn over the picture
  limits: [number, number]; // of the scale
  pixel(x: number, y: number): number[]; // as it is on the canvas, RGBA
  value(x: number, y: number): number; // as it was measured
}

export const sensors: Page = {
  id: "sensors",
  title: "Sensors",
  shown: (desk) => (desk.sensors?.sensors.length ?? 0) > 0,
  mount: (root, desk) => new Sensors(root, desk),
};
