// The newest sight of every sensor that some page looks at. What is shown nowhere is not sent.
import { reasonOf } from "../button";
import type { Desk } from "../desk";
import type { Reply, SensorInfo, VisionSaid } from "../messages";
import type { Circle } from "./overlay";
import { kept, paired } from "./paired";
import type { Part, Sight } from "./sight";

export class Eyes {
  private readonly sights = new Map<string, Sight[]>(); // the last of each part, from old to new
  private readonly looks = new Map<object, Record<string, number>>();
  private asked = "";

  constructor(private readonly desk: Desk) {
    desk.on("sight", () => this.take());
    desk.on("sensors", () => this.forget());
    desk.on("hello", () => ((this.asked = ""), this.ask())); // a new connection knows nothing of it
  }

  get sensors(): readonly SensorInfo[] {
    return this.desk.sensors?.sensors ?? [];
  }

  /** `who` wishes to see these sensors so often a second, and no others. */
  look(who: object, at: Record<string, number>): void {
    this.looks.set(who, at);
    this.ask();
  }

  /** The newest, or with `marked` the newest that has its marks. */
  shown(sensor: string, part: Part, marked: boolean): { picture: Sight | undefined; marks: Sight | undefined } {
    const last = (what: Part) => this.sights.get(`${sensor}/${what}`) ?? [];
    return paired(last(part), marked ? last("marks") : []);
  }

  /** What image processing says of a sensor's images, where it looks through it. */
  said(sensor: string): VisionSaid | undefined {
    return this.desk.vision?.sensors[sensor];
  }

  /** Why nobody can say from here where the target is; empty when one can. */
  get mute(): string {
    return reasonOf(this.desk, "designate");
  }

  designate(sight: Sight, { right, down, radius }: Circle): Promise<Reply> {
    return this.desk.ask("designate", { sensor: sight.sensor, number: sight.number, right_px: right, down_px: down, radius_px: radius });
  }

  /** At most so old, ms. */
  ageMs(sight: { at_ms: number } | undefined): number {
    return sight ? this.desk.ageOfMs(sight.at_ms) : Infinity;
  }

  private ask(): void {
    const all: Record<string, number> = {};
    for (const each of this.looks.values()) for (const [name, hz] of Object.entries(each)) all[name] = Math.max(hz, all[name] ?? 0);
    const now = JSON.stringify(all);
    if (now === this.asked || !this.desk.lookAt(all)) return;
    this.asked = now;
  }

  private take(): void {
    const { sight } = this.desk;
    if (!sight) return;
    const key = `${sight.sensor}/${sight.what}`;
    const before = this.sights.get(key) ?? [];
    const again = before.findIndex((one) => one.number !== undefined && one.number === sight.number); // with more facts
    this.sights.set(key, again < 0 ? kept(before, sight) : before.map((one, k) => (k === again ? sight : one)));
  }

  /** Sensors that are no longer there. */
  private forget(): void {
    const names = new Set(this.sensors.map((sensor) => sensor.name));
    for (const key of this.sights.keys()) if (!names.has(key.split("/")[0]!)) this.sights.delete(key);
  }
}

let shared: Eyes | null = null;

export function sharedEyes(desk: Desk): Eyes {
  shared ??= new Eyes(desk);
  return shared;
}
