// Asks the server for curves: a short while after the last wish, the newest answer wins, older questions are given up.
import { fetchCurves, inWords, type CurveTable } from "./log_api";
import type { TimeSpan } from "./time_span";

const WAIT_MS = 90;
const PIXELS: [number, number] = [100, 4000];

export class CurveRequest {
  loading = false;
  error = "";
  private timer = 0;
  private asking: AbortController | null = null;

  constructor(private readonly take: (table: CurveTable) => void) {}

  /** `id`: of the run. */
  want(id: string, names: string[], span: TimeSpan, pixels: number, waitMs = WAIT_MS): void {
    this.drop();
    if (!names.length) return;
    this.loading = true;
    this.timer = window.setTimeout(() => void this.ask(id, names, span, pixels), waitMs);
  }

  drop(): void {
    window.clearTimeout(this.timer);
    this.asking?.abort();
    this.asking = null;
    this.loading = false;
  }

  private async ask(id: string, names: string[], { t0, t1 }: TimeSpan, pixels: number): Promise<void> {
    const asking = (this.asking = new AbortController());
    try {
      const table = await fetchCurves(id, names, t0, t1, Math.min(Math.max(Math.round(pixels), PIXELS[0]), PIXELS[1]), asking.signal);
      if (this.asking !== asking) return;
      this.error = "";
      this.take(table);
    } catch (error) {
      if (this.asking !== asking) return;
      this.error = inWords(error);
    }
    this.loading = false;
  }
}
