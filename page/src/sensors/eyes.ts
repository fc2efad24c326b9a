// The newest sight of every sensor that some page looks at. What is shown nowhere is not sent.
import type { Desk } from "../desk";
import type { SensorInfo } from "../messages";
import type { Part, Sight } from "./sight";

export class Eyes {
  private readonly sights = new Map<string, Sight>();
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

  newest(sensor: string, part: Part): Sight | undefined {
    return this.sights.get(`${sensor}/${part}`);
  }

  /** At most so old, ms. */
  ageMs(sight: Sight | undefined): number {
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
    if (sight) this.sights.set(`${sight.sensor}/${sight.what}`, sight);
  }

  /** Sensors that are no longer there. */
  private forget(): void {
    const names = new Set(this.sensors.map((sensor) => sensor.name));
    for (const [key, sight] of this.sights) if (!names.has(sight.sensor)) this.sights.delete(key);
  }
}

let shared: Eyes | null = null;

export function sharedEyes(desk: Desk): Eyes {
  shared ??= new Eyes(desk);
  return shared;
}
