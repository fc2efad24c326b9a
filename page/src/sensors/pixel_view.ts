// A picture, a depth image or amplitudes on a canvas, pixel by pixel; the pixel under the pointer, or chosen by the arrow keys, in numbers.
import { el, mark, say } from "../dom";
import { fixed } from "../numbers";
import { NEAR_TO_FAR, stepOf } from "./colours";
import { quantiles, roundLimits } from "./levels";
import { Overlay, type Circle, type Fit } from "./overlay";
import { drawnCircle } from "./pointing";
import type { Sight } from "./sight";

const NOTHING = 0xff241d17; // no light came back: as the ground, a little lighter
const SATURATED = 0xff4f3cff;
const FEW_PIXELS = 400; // across: they are shown as squares

export interface Showing {
  stretch: boolean; // the levels that occur fill the scale from black to white
  saturated: boolean; // pixels at the highest level are red
  marks: boolean; // of image processing, over the picture they were found in
}

export class PixelView {
  readonly canvas = el("canvas.sensor-canvas", { tabindex: 0, role: "img" }) as HTMLCanvasElement;
  readonly element: HTMLElement;
  limits: [number, number] = [0, 1]; // of the scale of colours or greys
  readonly overlay = new Overlay();
  pressed = false; // somebody points: the picture stays as it is
  private designates: ((sight: Sight, circle: Circle) => void) | null = null;
  private from: [number, number] = [0, 0];
  private readonly told = el("div.sensor-pixel", { "aria-live": "polite" });
  private readonly cross = el("i.sensor-cross", { hidden: true });
  private sight: Sight | null = null;
  private at: [number, number] | null = null;

  constructor() {
    this.element = el("div.sensor-pixels", null, this.canvas, this.overlay.canvas, this.cross, this.told);
    this.canvas.addEventListener("pointerdown", (event) => this.press(event));
    this.canvas.addEventListener("pointermove", (event) => this.point(event));
    this.canvas.addEventListener("pointerup", (event) => this.release(event));
    this.canvas.addEventListener("pointercancel", () => this.letGo());
    this.canvas.addEventListener("pointerleave", () => this.choose(null));
    this.canvas.addEventListener("blur", () => this.choose(null));
    this.canvas.addEventListener("keydown", (event) => this.key(event));
    new ResizeObserver(() => (this.place(), this.overlay.draw(this.fit()))).observe(this.element);
  }

  /** From now on whoever presses says where the target is; null: nobody does. */
  designate(by: ((sight: Sight, circle: Circle) => void) | null): void {
    this.designates = by;
    mark(this.element, "pointing", by !== null);
    this.letGo();
  }

  show(sight: Sight, showing: Showing, marks?: Sight): void {
    this.sight = sight;
    const { canvas } = this;
    if (canvas.width !== sight.width || canvas.height !== sight.height) [canvas.width, canvas.height] = [sight.width, sight.height];
    mark(canvas, "coarse", sight.width < FEW_PIXELS);
    canvas.setAttribute("aria-label", `${sight.what} of ${sight.sensor}, ${sight.width} by ${sight.height} pixels`);
    const image = new ImageData(sight.width, sight.height);
    const out = new Uint32Array(image.data.buffer);
    if (sight.what === "depth") this.paintDepth(sight, out);
    else this.paintGrey(sight, out, showing);
    canvas.getContext("2d")?.putImageData(image, 0, 0);
    this.tell();
    this.place();
    this.overlay.show(marks, this.fit());
  }

  private paintDepth({ values }: Sight, out: Uint32Array): void {
    const [low, high] = (this.limits = roundLimits(...(quantiles(values, [0.02, 0.98]) as [number, number])));
    for (let k = 0; k < out.length; k++) {
      const value = values[k]!;
      out[k] = Number.isFinite(value) ? NEAR_TO_FAR[stepOf(value, low, high)]! : NOTHING;
    }
  }

  private paintGrey(sight: Sight, out: Uint32Array, showing: Showing): void {
    const { values } = sight;
    const white = whiteOf(sight);
    const stretched = showing.stretch || sight.what === "intensity"; // amplitudes have no white
    const [low, high] = (this.limits = stretched ? brightened(values) : [0, white]);
    const scale = 255 / Math.max(high - low, 1);
    for (let k = 0; k < out.length; k++) {
      const value = values[k]!;
      const grey = Math.min(255, Math.max(0, Math.round((value - low) * scale)));
      out[k] = showing.saturated && sight.what === "image" && value >= white ? SATURATED : (0xff000000 | (grey * 0x010101)) >>> 0;
    }
  }

  private point(event: PointerEvent): void {
    const [right, down] = this.pixel(event);
    if (this.pressed) this.overlay.point(this.circle(event), this.fit());
    else this.choose([Math.floor(right + 0.5), Math.floor(down + 0.5)]);
  }

  /** Where in the picture, in its pixels: (0, 0) is the middle of the first. */
  private pixel(event: PointerEvent): [number, number] {
    const { left, top, scale } = this.fit();
    return [(event.offsetX - left) / scale - 0.5, (event.offsetY - top) / scale - 0.5];
  }

  private press(event: PointerEvent): void {
    const { sight } = this;
    if (!this.designates || !sight || event.button !== 0) return;
    const [right, down] = (this.from = this.pixel(event));
    if (right < -0.5 || down < -0.5 || right >= sight.width - 0.5 || down >= sight.height - 0.5) return;
    this.pressed = true;
    this.canvas.setPointerCapture(event.pointerId);
    this.overlay.point(this.circle(event), this.fit());
  }

  private circle(event: PointerEvent): Circle {
    return drawnCircle(this.sight!, this.from, this.pixel(event), this.fit().scale);
  }

  private release(event: PointerEvent): void {
    if (!this.pressed) return;
    const circle = this.circle(event);
    this.letGo();
    this.designates?.(this.sight!, circle);
  }

  private letGo(): void {
    this.pressed = false;
    this.overlay.point(null, this.fit());
  }

  private key(event: KeyboardEvent): void {
    if (event.key === "Enter" && this.designates && this.sight && this.at) {
      event.preventDefault();
      this.designates(this.sight, drawnCircle(this.sight, this.at, this.at, 1));
    }
    const step = ({ ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] } as Record<string, [number, number]>)[event.key];
    if (!step || !this.sight || event.altKey) return;
    event.preventDefault();
    const far = event.shiftKey ? 10 : 1;
    const [x, y] = this.at ?? [this.sight.width >> 1, this.sight.height >> 1];
    const to = (value: number, by: number, size: number) => Math.min(size - 1, Math.max(0, value + by * far));
    this.choose([to(x, step[0], this.sight.width), to(y, step[1], this.sight.height)]);
  }

  private choose(at: [number, number] | null): void {
    const sight = this.sight;
    this.at = at && sight && at[0] >= 0 && at[1] >= 0 && at[0] < sight.width && at[1] < sight.height ? at : null;
    this.tell();
    this.place();
  }

  private tell(): void {
    const { at, sight } = this;
    mark(this.told, "shown", at !== null);
    if (!at || !sight) return;
    const value = sight.values[at[1] * sight.width + at[0]]!;
    const text = sight.what !== "depth" ? String(value) : Number.isFinite(value) ? `${fixed(value, 3)} m` : "nothing came back";
    say(this.told, `x ${at[0]}  y ${at[1]}:  ${text}`);
  }

  /** Of the picture inside the canvas's box, which it fills in one direction. */
  private fit(): Fit {
    const { clientWidth, clientHeight, width, height } = this.canvas;
    const scale = Math.min(clientWidth / width, clientHeight / height) || 1;
    return { scale, left: (clientWidth - width * scale) / 2, top: (clientHeight - height * scale) / 2 };
  }

  private place(): void {
    this.cross.hidden = this.at === null;
    if (!this.at) return;
    const { left, top, scale } = this.fit();
    this.cross.style.translate = `${left + (this.at[0] + 0.5) * scale}px ${top + (this.at[1] + 0.5) * scale}px`;
  }
}

/** The highest level that a pixel can have. */
export function whiteOf(sight: Sight): number {
  return sight.white || (sight.values instanceof Uint8Array ? 255 : 65535);
}

function brightened(values: ArrayLike<number>): [number, number] {
  const [low, high] = quantiles(values, [0.005, 0.995]) as [number, number];
  return [low, Math.max(high, low + 8)];
}
