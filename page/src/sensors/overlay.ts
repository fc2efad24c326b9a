// What image processing has marked, over the picture it was found in; and where an operator points.
import { el } from "../dom";
import type { Sight } from "./sight";

const DPR_MOST = 2;
const POINTED = "#ffd33d";

/** Of a picture in its box: pixel (u, v) has its middle at left + (u + 0.5) scale. */
export interface Fit {
  left: number;
  top: number;
  scale: number;
}

export interface Circle {
  right: number; // px of the picture
  down: number;
  radius: number;
}

export class Overlay {
  readonly canvas = el("canvas.sensor-overlay", { "aria-hidden": "true" }) as HTMLCanvasElement;
  drawn = 0; // points and lines
  private marks: Sight | undefined;
  private circle: Circle | null = null;

  show(marks: Sight | undefined, fit: Fit): void {
    this.marks = marks;
    this.draw(fit);
  }

  point(circle: Circle | null, fit: Fit): void {
    this.circle = circle;
    this.draw(fit);
  }

  draw(fit: Fit): void {
    const { canvas } = this;
    const ratio = Math.min(DPR_MOST, devicePixelRatio);
    const [width, height] = [Math.round(canvas.clientWidth * ratio), Math.round(canvas.clientHeight * ratio)];
    if (width < 8 || height < 8) return;
    if (canvas.width !== width || canvas.height !== height) [canvas.width, canvas.height] = [width, height];
    const context = canvas.getContext("2d")!;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, width, height);
    context.setTransform(ratio * fit.scale, 0, 0, ratio * fit.scale, ratio * (fit.left + 0.5 * fit.scale), ratio * (fit.top + 0.5 * fit.scale));
    this.drawn = this.marks ? drawMarks(context, this.marks, fit.scale) : 0;
    if (this.circle) drawCircle(context, this.circle, fit.scale);
  }
}

/** Lines thin, points as small squares: so that what lies below is still seen. */
function drawMarks(context: CanvasRenderingContext2D, marks: Sight, scale: number): number {
  let at = 0;
  let drawn = 0;
  const values = marks.values as Float32Array;
  const side = Math.max(1.6, Math.min(4, 2 * scale)) / scale;
  for (const { kind, count, colour } of marks.layers ?? []) {
    if (kind === "cloud") return drawn;
    const [step, shade] = [kind === "lines" ? 4 : 2, `rgb(${colour.join(" ")}${kind === "lines" ? " / 0.7" : ""})`];
    context.fillStyle = context.strokeStyle = shade;
    context.lineWidth = 1 / scale;
    context.beginPath();
    for (const end = at + 2 * count; at + step <= end; at += step, drawn++) {
      if (kind === "lines") {
        context.moveTo(values[at]!, values[at + 1]!);
        context.lineTo(values[at + 2]!, values[at + 3]!);
      } else context.fillRect(values[at]! - 0.5 * side, values[at + 1]! - 0.5 * side, side, side);
    }
    context.stroke();
  }
  return drawn;
}

function drawCircle(context: CanvasRenderingContext2D, { right, down, radius }: Circle, scale: number): void {
  context.strokeStyle = POINTED;
  context.lineWidth = 1.5 / scale;
  const arm = 5 / scale;
  context.beginPath();
  context.moveTo(right - arm, down);
  context.lineTo(right + arm, down);
  context.moveTo(right, down - arm);
  context.lineTo(right, down + arm);
  context.moveTo(right + radius, down);
  context.arc(right, down, radius, 0, 2 * Math.PI);
  context.stroke();
}
