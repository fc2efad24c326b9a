// Rates of counters: how much each has grown over the last few seconds.

const WINDOW_MS = 5000;
const LEAST_MS = 1000; // sooner a rate would be a guess

export class Rates {
  private samples: { at: number; values: number[] }[] = [];

  /** Take the counters' present values. A counter that falls back has been set to zero: it begins anew. */
  take(now: number, values: number[]): void {
    const last = this.samples.at(-1);
    if (values.some((value, k) => !Number.isFinite(value) || value < (last?.values[k] ?? value))) this.samples = [];
    if (values.every(Number.isFinite)) this.samples.push({ at: now, values });
    while (this.samples.length > 2 && now - (this.samples[1]?.at ?? now) >= WINDOW_MS) this.samples.shift();
  }

  /** Growth of counter `k` per second; NaN until it can be told. */
  of(k: number): number {
    const [first, last] = [this.samples[0], this.samples.at(-1)];
    if (!first || !last || last.at - first.at < LEAST_MS) return NaN;
    return (((last.values[k] ?? NaN) - (first.values[k] ?? NaN)) / (last.at - first.at)) * 1000;
  }
}
