// Values of a run for its replay: fetched ahead in pieces of ten seconds at 25 Hz, interpolated in between.
import { fetchSamples, inWords } from "./log_api";
import { lastBefore } from "./time_span";

const HZ = 25;
const PIECE_S = 10;
const KEPT = 60; // pieces: ten minutes
const PAUSE_MS = 2000; // after an error

type Piece = Map<string, Float64Array>;

export class ReplaySamples {
  error = "";
  private readonly pieces = new Map<number, Piece>(); // oldest used first
  private asking: { piece: number; give: AbortController } | null = null;
  private quietUntil = 0;

  /** `smooth` are interpolated, `words` are taken as they were. */
  constructor(
    private readonly id: string,
    private readonly smooth: string[],
    private readonly words: string[],
    private readonly end: number,
  ) {}

  /** Fetch what is needed at `t`, and what comes next at this speed. */
  need(t: number, speed: number): void {
    const first = Math.floor(t / PIECE_S);
    const last = Math.floor(Math.min(t + 4 + 2 * speed, this.end) / PIECE_S);
    for (let piece = first; piece <= last; piece++) {
      if (this.pieces.has(piece)) continue;
      // What is in sight now goes before whatever was asked for earlier.
      if (this.asking && (this.asking.piece === piece || piece !== first)) return;
      this.asking?.give.abort();
      if (performance.now() >= this.quietUntil) void this.fetch(piece);
      return;
    }
  }

  /** Value of a name at a time; NaN while it is not there yet. */
  value(name: string, t: number): number {
    const piece = this.pieces.get(Math.floor(Math.min(t, this.end) / PIECE_S));
    const times = piece?.get("t");
    const values = piece?.get(name);
    if (!times?.length || !values) return NaN;
    const i = lastBefore(times, t);
    const [t0, t1] = [times[i]!, times[i + 1]];
    const [v0, v1] = [values[i]!, values[i + 1]];
    if (t1 === undefined || v1 === undefined || t1 <= t0 || t <= t0 || !this.smooth.includes(name)) return v0;
    return v0 + ((v1 - v0) * (t - t0)) / (t1 - t0);
  }

  ready(t: number): boolean {
    return this.pieces.has(Math.floor(Math.min(t, this.end) / PIECE_S));
  }

  drop(): void {
    this.asking?.give.abort();
    this.asking = null;
  }

  private async fetch(piece: number): Promise<void> {
    const asking = (this.asking = { piece, give: new AbortController() });
    const t0 = piece * PIECE_S;
    try {
      const table = await fetchSamples(this.id, [...this.smooth, ...this.words], t0, t0 + PIECE_S, HZ, asking.give.signal);
      this.pieces.set(piece, table);
      this.error = "";
      for (const old of this.pieces.keys()) if (this.pieces.size > KEPT) this.pieces.delete(old);
    } catch (error) {
      if (!asking.give.signal.aborted) [this.error, this.quietUntil] = [inWords(error), performance.now() + PAUSE_MS];
    }
    if (this.asking === asking) this.asking = null;
  }
}
