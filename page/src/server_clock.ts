// What the server's clock says, from here: not an estimate but a bound, so that nothing shown is older than it says.
// A ping sent at t0 and answered with the server's time s at t1 proves: s happened between t0 and t1 of our clock.

interface Sounding {
  t0: number;
  t1: number;
  server: number;
}

const KEEP_MS = 20_000; // two clocks part by 1 ms in that time at 50 ppm

export class ServerClock {
  private soundings: Sounding[] = [];

  take(t0: number, t1: number, server: number): void {
    this.soundings = this.soundings.filter((s) => t1 - s.t1 < KEEP_MS);
    this.soundings.push({ t0, t1, server });
  }

  forget(): void {
    this.soundings = [];
  }

  get known(): boolean {
    return this.soundings.length > 0;
  }

  /** The most milliseconds that can have passed at `now` since the server's clock said `server`. */
  mostAge(now: number, server: number): number {
    return Math.min(...this.soundings.map((s) => now - s.t0 - (server - s.server)));
  }

  /** The earliest that the server's clock can have said at `now`. */
  earliest(now: number): number {
    return Math.max(...this.soundings.map((s) => s.server + (now - s.t1)));
  }

  /** Shortest round trip of late, ms. */
  get roundTrip(): number {
    return Math.min(...this.soundings.map((s) => s.t1 - s.t0));
  }
}
