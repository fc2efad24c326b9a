// How the values of a picture are spread; its last bin, where the sensor saturates, is marked.
import { el } from "../dom";
import type { Spread } from "./levels";

const BARS = "#6f8fb5";
const SATURATED = "#f85149";
const DPR_MOST = 2;

export class Histogram {
  readonly element = el("canvas.sensor-histogram", { role: "img" }) as HTMLCanvasElement;
  private spread: Spread | null = null;

  constructor() {
    new ResizeObserver(() => this.draw()).observe(this.element);
  }

  show(spread: Spread, label: string): void {
    this.spread = spread;
    this.element.setAttribute("aria-label", label);
    this.draw();
  }

  /** Heights are roots of counts: a dark picture has nearly all its pixels in a few bins. */
  private draw(): void {
    const { element, spread } = this;
    const ratio = Math.min(DPR_MOST, devicePixelRatio);
    const [width, height] = [Math.round(element.clientWidth * ratio), Math.round(element.clientHeight * ratio)];
    if (!spread || width < 8 || height < 8) return;
    [element.width, element.height] = [width, height];
    const context = element.getContext("2d")!;
    const { counts } = spread;
    const most = Math.sqrt(Math.max(1, ...counts));
    const step = width / counts.length;
    counts.forEach((count, k) => {
      const last = spread.saturated > 0 && k === counts.length - 1;
      const tall = count ? Math.max(ratio, (Math.sqrt(count) / most) * (height - 2 * ratio)) : 0;
      context.fillStyle = last ? SATURATED : BARS;
      const wide = Math.max(last ? 3 * ratio : step, ratio);
      context.fillRect(last ? width - wide : k * step, height - tall, wide, tall);
    });
  }
}

/** Where the most values are: the middle of the fullest bin. */
export function peak({ counts, low, high }: Spread): number {
  const bin = counts.indexOf(Math.max(...counts));
  return low + ((bin + 0.5) * (high - low)) / counts.length;
}
