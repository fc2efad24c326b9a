// The time of a replay: stands, or runs at some speed until the end of the run.

export const SPEEDS = [0.25, 0.5, 1, 2, 5, 10, 20];

export class ReplayClock {
  t = 0;
  speed = 1;
  playing = false;
  private begin = 0;
  private end = 0;
  private seenMs = NaN;

  /** `keep`: the same run, grown. */
  open(begin: number, end: number, keep: boolean): void {
    [this.begin, this.end] = [begin, end];
    if (!keep) [this.t, this.playing] = [begin, false];
  }

  play(on: boolean): void {
    if (on && this.t >= this.end) this.t = this.begin;
    this.playing = on;
    this.seenMs = NaN;
  }

  seek(t: number): void {
    this.t = Math.min(Math.max(t, this.begin), this.end);
  }

  /** Let the time run; it waits while what is to be shown is not `ready`. */
  step(nowMs: number, ready: boolean): void {
    const passed = nowMs - this.seenMs;
    this.seenMs = nowMs;
    if (!this.playing || !ready || !(passed > 0)) return;
    // A page that was hidden for a while goes on where it was.
    this.seek(this.t + (Math.min(passed, 250) / 1000) * this.speed);
    if (this.t >= this.end) this.playing = false;
  }

  get atEnd(): boolean {
    return this.t >= this.end;
  }
}
