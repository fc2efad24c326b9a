// What the server's clock says, from here: not an estimate but a bound, so that nothing shown is older than it says.
// A ping sent at t0 and answered with the server's time s at t1 proves: s happened between t0 and t1 of our clock.

interface Sounding {
  t0: number;
  t1: number;
  server: number;
}

const KEEP_MS = 20_000; // as long as newer soundings come
const DRIFT = 5e-5; // two clocks part by at most so much: 1 ms in 20 s

export class ServerClock {
  private soundings: Sounding[] = [];

  /** Take a sounding. One that older ones contradict proves that a clock was held (a sleeping laptop) or is another: they go. */
  take(t0: number, t1: number, server: number): void {
    const fresh = { t0, t1, server };
    this.soundings = this.soundings.filter((s) => t1 - s.t1 < KEEP_MS);
    if (!this.soundings.every((s) => agree(s, fresh))) this.soundings = [];
    this.soundings.push(fresh);
  }

  get known(): boolean {
    return this.soundings.length > 0;
  }

  /** The most milliseconds that can have passed at `now` since the server's clock said `server`. */
  mostAge(now: number, server: number): number {
    return Math.min(...this.soundings.map((s) => now - s.t0 - (server - s.server) + drift(now, s)));
  }

  /** The earliest that the server's clock can have said at `now`. */
  earliest(now: number): number {
    return Math.max(...this.soundings.map((s) => s.server + (now - s.t1) - drift(now, s)));
  }

  /** How far apart the two bounds are, ms: by so much a request looks older than it is. */
  get width(): number {
    return Math.min(Infinity, ...this.soundings.map((s) => s.t1 - s.t0));
  }

  /** Last round trip, ms. */
  get roundTrip(): number {
    const last = this.soundings.at(-1);
    return last ? last.t1 - last.t0 : Infinity;
  }
}

const drift = (now: number, sounding: Sounding) => DRIFT * Math.max(0, now - sounding.t0);

/** Our clock is ahead of the server's by t0 - s at least and t1 - s at most: of two soundings, the spans must meet. */
function agree(old: Sounding, fresh: Sounding): boolean {
  const slack = drift(fresh.t1, old);
  return old.t0 - old.server <= fresh.t1 - fresh.server + slack && fresh.t0 - fresh.server <= old.t1 - old.server + slack;
}
