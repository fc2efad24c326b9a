// Points of a LiDAR, to be turned by mouse, touch or keys. Drawn by itself: a few thousand points need no graphics card, and the hall's
// picture keeps the only WebGL context. Frame: the sensor's, z along the line of sight, x to the right, y down, metres.
import { el } from "../dom";
import { fixed } from "../numbers";
import { NEAR_TO_FAR, stepOf } from "./colours";
import { quantiles, roundLimits } from "./levels";
import type { Sight } from "./sight";

const GROUND = 0xff1b1511;
const FOV = 0.7; // rad, of the shorter side
const START = { yaw: -0.5, pitch: 0.35, zoom: 1 };
const TURN = 0.008; // rad a pixel
const STEEP = 1.5; // rad: never over the top
const DPR_MOST = 1.5;
type Triple = [number, number, number];

export class CloudView {
  readonly canvas = el("canvas.sensor-canvas.turned", { tabindex: 0, role: "img", title: "drag or use the arrow keys to turn, the wheel or + and − to come closer, Home to begin anew" }) as HTMLCanvasElement;
  limits: [number, number] = [0, 1]; // of the colours
  drawn = 0; // points in the picture
  marked = 0; // marks in the picture
  private sight: Sight | null = null;
  private marks: Sight | undefined; // of image processing: points of that scan, by what they fit
  private by: "range" | "intensity" = "range";
  private camera = { ...START };
  private middle: Triple = [0, 0, 5];
  private reach = 5; // m, of the points round their middle
  private wanted = false;
  private held: { x: number; y: number } | null = null;

  constructor() {
    const { canvas } = this;
    canvas.addEventListener("pointerdown", (event) => ((this.held = { x: event.clientX, y: event.clientY }), canvas.setPointerCapture(event.pointerId)));
    canvas.addEventListener("pointermove", (event) => this.drag(event));
    for (const end of ["pointerup", "pointercancel"]) canvas.addEventListener(end, () => (this.held = null));
    canvas.addEventListener("wheel", (event) => (event.preventDefault(), this.turn(0, 0, Math.exp(0.001 * event.deltaY))), { passive: false });
    canvas.addEventListener("keydown", (event) => this.key(event));
    canvas.addEventListener("dblclick", () => this.reset());
    new ResizeObserver(() => this.want()).observe(canvas);
  }

  show(sight: Sight, by: "range" | "intensity", marks?: Sight): void {
    this.sight = sight;
    this.marks = marks;
    this.by = by;
    const points = sight.values as Float32Array;
    this.canvas.setAttribute("aria-label", `${points.length / 4} points of ${sight.sensor}`);
    if (points.length) this.frame(points);
    this.want();
  }

  reset(): void {
    this.camera = { ...START };
    this.want();
  }

  turn(yaw: number, pitch: number, zoom = 1): void {
    const { camera } = this;
    camera.yaw += yaw;
    camera.pitch = Math.min(STEEP, Math.max(-STEEP, camera.pitch + pitch));
    camera.zoom = Math.min(20, Math.max(0.05, camera.zoom * zoom));
    this.want();
  }

  private drag(event: PointerEvent): void {
    if (!this.held) return;
    this.turn(TURN * (this.held.x - event.clientX), TURN * (event.clientY - this.held.y));
    this.held = { x: event.clientX, y: event.clientY };
  }

  private key(event: KeyboardEvent): void {
    const turns: Record<string, [number, number, number]> = { ArrowLeft: [0.1, 0, 1], ArrowRight: [-0.1, 0, 1], ArrowUp: [0, -0.1, 1], ArrowDown: [0, 0.1, 1], "+": [0, 0, 0.85], "-": [0, 0, 1.18] };
    const turn = turns[event.key];
    if ((!turn && event.key !== "Home") || event.altKey) return;
    event.preventDefault();
    if (turn) this.turn(...turn);
    else this.reset();
  }

  /** Where the points are; a new scan moves the picture only when they have gone elsewhere. */
  private frame(points: Float32Array): void {
    const middle = [0, 1, 2].map((k) => quantiles(points, [0.5], k, 4)[0]!) as Triple;
    const spans = [0, 1, 2].map((k) => quantiles(points, [0.02, 0.98], k, 4) as Triple);
    const reach = Math.max(0.3, 0.5 * Math.hypot(...spans.map((span) => span[1]! - span[0]!)));
    const moved = Math.hypot(...middle.map((value, k) => value - this.middle[k]!)) > 0.2 * this.reach;
    if (moved || reach > 1.3 * this.reach || reach < 0.7 * this.reach) [this.middle, this.reach] = [middle, reach];
    this.limits = roundLimits(...(quantiles(this.coloured(points), [0.02, 0.98]) as [number, number]));
  }

  /** What gives each point its colour. */
  private coloured(points: Float32Array): Float32Array {
    const out = new Float32Array(points.length / 4);
    for (let k = 0, at = 0; k < out.length; k++, at += 4) out[k] = this.by === "intensity" ? points[at + 3]! : Math.hypot(points[at]!, points[at + 1]!, points[at + 2]!);
    return out;
  }

  private want(): void {
    if (this.wanted) return;
    this.wanted = true;
    requestAnimationFrame(() => ((this.wanted = false), this.draw()));
  }

  private draw(): void {
    const { canvas } = this;
    const ratio = Math.min(DPR_MOST, devicePixelRatio);
    const [width, height] = [Math.round(canvas.clientWidth * ratio), Math.round(canvas.clientHeight * ratio)];
    if (width < 8 || height < 8 || !this.sight) return;
    if (canvas.width !== width || canvas.height !== height) [canvas.width, canvas.height] = [width, height];
    const context = canvas.getContext("2d", { alpha: false })!;
    const image = context.createImageData(width, height);
    const seen = this.lens(width, height);
    this.drawn = this.paint(new Uint32Array(image.data.buffer), width, height, seen);
    context.putImageData(image, 0, 0);
    this.marked = this.marks ? drawMarks(context, this.marks, seen, ratio) : 0;
    drawSensor(context, seen, ratio, this.middle[2] + this.reach);
  }

  /** A point of the sensor's frame to pixels, and its distance from the eye. */
  private lens(width: number, height: number): (x: number, y: number, z: number) => Triple {
    const { yaw, pitch, zoom } = this.camera;
    const [sy, cy, sp, cp] = [Math.sin(yaw), Math.cos(yaw), Math.sin(pitch), Math.cos(pitch)];
    const focal = (0.5 * Math.min(width, height)) / Math.tan(0.5 * FOV);
    const away = (0.85 * this.reach * zoom) / Math.sin(0.5 * FOV);
    const [mx, my, mz] = this.middle;
    return (x, y, z) => {
      const [dx, dy, dz] = [x - mx, y - my, z - mz];
      const depth = dx * sy * cp + dy * sp + dz * cy * cp + away;
      const scale = focal / depth;
      return [0.5 * width + scale * (dx * cy - dz * sy), 0.5 * height + scale * (-dx * sy * sp + dy * cp - dz * cy * sp), depth];
    };
  }

  /** The nearest point of each pixel; how many fell into the picture. */
  private paint(out: Uint32Array, width: number, height: number, seen: (x: number, y: number, z: number) => Triple): number {
    out.fill(GROUND);
    const points = this.sight!.values as Float32Array;
    const [colours, nearest] = [this.coloured(points), new Float32Array(out.length).fill(Infinity)];
    const side = Math.min(4, Math.max(2, Math.round((0.75 * Math.min(width, height)) / Math.sqrt(colours.length)))); // they nearly touch
    let drawn = 0;
    for (let k = 0, at = 0; k < colours.length; k++, at += 4) {
      const [u, v, depth] = seen(points[at]!, points[at + 1]!, points[at + 2]!);
      const [left, top] = [Math.round(u - 0.5 * side), Math.round(v - 0.5 * side)];
      if (depth <= 0.01 || left < 0 || top < 0 || left + side > width || top + side > height) continue;
      drawn++;
      const step = stepOf(colours[k]!, ...this.limits);
      const colour = NEAR_TO_FAR[this.by === "intensity" ? 255 - step : step]!;
      for (let y = top; y < top + side; y++) {
        for (let x = left, pixel = y * width + left; x < left + side; x++, pixel++) {
          if (depth >= nearest[pixel]!) continue;
          nearest[pixel] = depth;
          out[pixel] = colour;
        }
      }
    }
    return drawn;
  }
}

/** Over the points, nothing hides them: a little larger than these. */
function drawMarks(context: CanvasRenderingContext2D, marks: Sight, seen: (x: number, y: number, z: number) => Triple, ratio: number): number {
  const values = marks.values as Float32Array;
  let [at, drawn] = [0, 0];
  for (const { kind, count, colour } of marks.layers ?? []) {
    if (kind !== "cloud") return drawn;
    context.fillStyle = `rgb(${colour.join(" ")})`;
    for (const end = at + 3 * count; at < end; at += 3) {
      const [u, v, depth] = seen(values[at]!, values[at + 1]!, values[at + 2]!);
      if (depth <= 0.01) continue;
      context.fillRect(u - 1.5 * ratio, v - 1.5 * ratio, 3 * ratio, 3 * ratio);
      drawn++;
    }
  }
  return drawn;
}

/** Where the sensor is: its axes, and metres along its line of sight. */
function drawSensor(context: CanvasRenderingContext2D, seen: (x: number, y: number, z: number) => Triple, ratio: number, far: number): void {
  const line = (from: Triple, to: Triple, colour: string) => {
    const [a, b] = [seen(...from), seen(...to)];
    if (a[2] <= 0.01 || b[2] <= 0.01) return;
    context.strokeStyle = colour;
    context.beginPath();
    context.moveTo(a[0], a[1]);
    context.lineTo(b[0], b[1]);
    context.stroke();
  };
  context.lineWidth = ratio;
  context.font = `${11 * ratio}px "DejaVu Sans", system-ui, sans-serif`;
  line([0, 0, 0], [0, 0, far], "#93a0b055");
  const size = 0.04 * far;
  const [, step] = roundLimits(0, far / 3);
  for (let z = step; z <= far; z += step) {
    line([-0.4 * size, 0, z], [0.4 * size, 0, z], "#93a0b0aa");
    const [u, v, depth] = seen(0.5 * size, 0, z);
    context.fillStyle = "#93a0b0";
    if (depth > 0.01) context.fillText(`${fixed(z, step < 1 ? 1 : 0)} m`, u + 3 * ratio, v + 4 * ratio);
  }
  context.lineWidth = 2 * ratio;
  const axes: [Triple, string][] = [[[2 * size, 0, 0], "#f85149"], [[0, 2 * size, 0], "#3fb950"], [[0, 0, 2 * size], "#58a6ff"]];
  for (const [to, colour] of axes) line([0, 0, 0], to, colour);
}
