// What charts draw: values of charted quantities of every frame, kept for five minutes, also while another page is shown.
import { STALE_MS, type Desk } from "../desk";
import type { Quantity } from "./rows";

export const LONGEST_S = 300;
const CAPACITY = LONGEST_S * 27; // frames come 25 times a second; marks of gaps need room too

export interface Window {
  seconds: number[]; // before the newest (or the frozen) moment
  curves: (number | null)[][];
}

export class Samples {
  private readonly time = new Float64Array(CAPACITY); // s, of the cycles
  private readonly kept = new Map<string, { quantity: Quantity; values: Float64Array; users: number }>();
  private count = 0;

  constructor(private readonly desk: Desk) {
    desk.on("frame", () => this.take());
  }

  /** Time of the newest sample, s; NaN without one. */
  get newest(): number {
    return this.count ? (this.time[(this.count - 1) % CAPACITY] ?? NaN) : NaN;
  }

  /** Begin to keep a quantity, or keep it for one chart more. */
  keep(quantity: Quantity): void {
    const known = this.kept.get(quantity.key);
    if (known) known.users++;
    else this.kept.set(quantity.key, { quantity, values: new Float64Array(CAPACITY).fill(NaN), users: 1 });
  }

  release(quantity: Quantity): void {
    const known = this.kept.get(quantity.key);
    if (known && --known.users === 0) this.kept.delete(quantity.key);
  }

  clear(): void {
    this.count = 0;
  }

  /** The last `span` seconds before `until`; gaps are null. */
  window(quantities: Quantity[], span: number, until: number): Window {
    const [first, last] = [this.after(until - span), this.after(until)];
    const seconds = new Array<number>(last - first);
    for (let k = first; k < last; k++) seconds[k - first] = (this.time[k % CAPACITY] ?? NaN) - until;
    const curves = quantities.map((quantity) => {
      const values = this.kept.get(quantity.key)?.values;
      const curve = new Array<number | null>(last - first).fill(null);
      for (let k = first; values && k < last; k++) {
        const value = values[k % CAPACITY] ?? NaN;
        if (Number.isFinite(value)) curve[k - first] = value;
      }
      return curve;
    });
    return { seconds, curves };
  }

  /** Number of the first sample later than `moment` (by bisection). */
  private after(moment: number): number {
    let [low, high] = [Math.max(0, this.count - CAPACITY), this.count];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.time[middle % CAPACITY] ?? NaN) <= moment) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  private take(): void {
    if (!this.kept.size) {
      this.count = 0;
      return;
    }
    const now = this.desk.value("clock.utc_ns") * 1e-9;
    const before = this.newest;
    if (now === before || !Number.isFinite(now)) return;
    if (now < before) this.clear(); // another facility
    else if (now - before > STALE_MS * 1e-3) this.put(before + 1e-3, () => NaN);
    this.put(now, (quantity) => quantity.read());
  }

  private put(moment: number, read: (quantity: Quantity) => number): void {
    const at = this.count % CAPACITY;
    this.time[at] = moment;
    for (const { quantity, values } of this.kept.values()) values[at] = read(quantity);
    this.count++;
  }
}
