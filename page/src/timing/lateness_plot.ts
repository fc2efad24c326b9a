// Histogram of lateness: share of the cycles in each bin, both scales logarithmic, the session behind the last ten seconds.
import uPlot from "uplot";
import { el } from "../dom";
import type { TimingState } from "../messages";
import { axis } from "../plot_style";

const LEFT = -6.1; // log10 s: 1 µs and a little
const DECADES = [-6, -5, -4, -3, -2, -1, 0];
const NAMES = ["1 µs", "10 µs", "100 µs", "1 ms", "10 ms", "100 ms", "1 s"];
const SESSION = "#3d5878";
const RECENT = "#e3b341";

/** A place on the axis for a lateness: its decimal logarithm; zero is at the left end. */
const placeOf = (lateness: number) => (lateness > 0 ? Math.log10(lateness) : LEFT);

export class LatenessPlot {
  readonly element = el("div.plot-box.live");
  private plot: uPlot | null = null;

  constructor(private readonly marks: { lateness_s: number; label: string; colour: string }[]) {
    new ResizeObserver(() => this.fit()).observe(this.element);
  }

  show(timing: TimingState): void {
    const places = timing.edges_s.slice(0, -1).map(placeOf);
    const data: uPlot.AlignedData = [places, share(timing.counts), share(timing.recent)];
    if (this.plot) this.plot.setData(data);
    else {
      this.plot = new uPlot(this.options(), data, this.element);
      this.fit();
    }
  }

  private options(): uPlot.Options {
    const bars = (width: number) => uPlot.paths.bars?.({ size: [width, 100], align: 1, gap: 1 });
    return {
      width: 400,
      height: 200,
      legend: { show: false },
      cursor: { show: false },
      padding: [18, 14, 0, 0],
      scales: { x: { time: false, range: () => [LEFT, 0] }, y: { distr: 3, range: () => [1e-4, 100] } },
      axes: [
        axis("lateness: begin of the cycle after its time", { splits: () => DECADES, values: () => NAMES, size: 32, labelSize: 16 }),
        axis("share of cycles", { size: 58, splits: () => [1e-4, 1e-3, 1e-2, 0.1, 1, 10, 100], filter: (_, splits) => splits, values: (_, ticks) => ticks.map((t) => `${t >= 1e-3 ? t : "0.0001"} %`) }),
      ],
      series: [
        {},
        { stroke: SESSION, fill: SESSION, width: 0, paths: bars(1), points: { show: false } },
        { stroke: RECENT, width: 1.5, fill: "#e3b34130", paths: bars(1), points: { show: false } },
      ],
      hooks: { draw: [(plot) => this.drawMarks(plot)] },
    };
  }

  private drawMarks(plot: uPlot): void {
    const { ctx, bbox } = plot;
    const ratio = devicePixelRatio;
    ctx.save();
    ctx.font = `${11 * ratio}px "DejaVu Sans", system-ui, sans-serif`;
    ctx.lineWidth = ratio;
    ctx.setLineDash([4 * ratio, 3 * ratio]);
    for (const { lateness_s, label, colour } of this.marks) {
      const x = plot.valToPos(placeOf(lateness_s), "x", true);
      ctx.strokeStyle = ctx.fillStyle = colour;
      ctx.beginPath();
      ctx.moveTo(x, bbox.top);
      ctx.lineTo(x, bbox.top + bbox.height);
      ctx.stroke();
      ctx.textAlign = lateness_s < 2e-3 ? "right" : "left";
      ctx.fillText(label, x, bbox.top - 5 * ratio);
    }
    ctx.restore();
  }

  private fit(): void {
    const { clientWidth: width, clientHeight: height } = this.element;
    if (this.plot && width > 80 && height > 80) this.plot.setSize({ width, height });
  }
}

/** Shares in percent; nothing where there is nothing, for a logarithm has no zero. */
function share(counts: number[]): (number | null)[] {
  const all = counts.reduce((sum, count) => sum + count, 0);
  return counts.map((count) => (count ? (100 * count) / all : null));
}
