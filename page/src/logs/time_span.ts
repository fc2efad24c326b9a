// The stretch of time that the charts show, always inside the run.

export interface TimeSpan {
  readonly t0: number;
  readonly t1: number;
}

export const LEAST_S = 0.02; // five cycles

/** Moved and cut so that it lies in the run and is not too short. */
export function within(whole: TimeSpan, { t0, t1 }: TimeSpan): TimeSpan {
  const longest = Math.max(whole.t1 - whole.t0, LEAST_S);
  const length = Math.min(Math.max(t1 - t0, LEAST_S), longest);
  const start = Math.min(Math.max(0.5 * (t0 + t1 - length), whole.t0), whole.t0 + longest - length);
  return { t0: start, t1: start + length };
}

/** Shorter (factor below one) or longer, with the time `about` staying where it is on the screen. */
export function zoomed(whole: TimeSpan, span: TimeSpan, about: number, factor: number): TimeSpan {
  const length = Math.min(Math.max((span.t1 - span.t0) * factor, LEAST_S), Math.max(whole.t1 - whole.t0, LEAST_S));
  const share = (about - span.t0) / (span.t1 - span.t0);
  return within(whole, { t0: about - share * length, t1: about + (1 - share) * length });
}

export function panned(whole: TimeSpan, span: TimeSpan, seconds: number): TimeSpan {
  return within(whole, { t0: span.t0 + seconds, t1: span.t1 + seconds });
}

export function sameSpan(a: TimeSpan, b: TimeSpan): boolean {
  return Math.abs(a.t0 - b.t0) < 1e-9 && Math.abs(a.t1 - b.t1) < 1e-9;
}

/** Index of the last time at or before `t` in rising times; 0 when all are later. */
export function lastBefore(times: Float64Array, t: number): number {
  let low = 0;
  let high = times.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (times[middle]! <= t) low = middle;
    else high = middle - 1;
  }
  return low;
}
