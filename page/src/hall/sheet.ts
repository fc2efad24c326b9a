// A sheet of drawing paper on a canvas: metres to pixels, moved and zoomed by the mouse.
import type { Pair } from "./description";

export class Sheet {
  scale = 40; // pixels per metre
  middle: Pair = [5, 0]; // metres at the middle of the sheet
  width = 2;
  height = 2;
  readonly pen: CanvasRenderingContext2D;
  onClick: (at: Pair) => void = () => undefined;

  constructor(
    readonly canvas: HTMLCanvasElement,
    private readonly changed: () => void,
  ) {
    this.pen = canvas.getContext("2d")!;
    this.listen();
  }

  resize(width: number, height: number): void {
    const sharp = Math.min(2, window.devicePixelRatio);
    [this.width, this.height] = [width, height];
    this.canvas.width = Math.round(width * sharp);
    this.canvas.height = Math.round(height * sharp);
    this.pen.setTransform(sharp, 0, 0, sharp, 0, 0);
    this.changed();
  }

  /** Show a rectangle, with some room round it. */
  fit([x0, y0]: Pair, [x1, y1]: Pair): void {
    this.middle = [(x0 + x1) / 2, (y0 + y1) / 2];
    this.scale = Math.max(4, 0.94 * Math.min(this.width / (x1 - x0), this.height / (y1 - y0)));
    this.changed();
  }

  at([x, y]: Pair): Pair {
    return [this.width / 2 + (x - this.middle[0]) * this.scale, this.height / 2 - (y - this.middle[1]) * this.scale];
  }

  /** A way through points in metres. */
  path(points: readonly Pair[], closed = false): void {
    this.pen.beginPath();
    points.forEach((p, k) => (k ? this.pen.lineTo(...this.at(p)) : this.pen.moveTo(...this.at(p))));
    if (closed) this.pen.closePath();
  }

  private metres(event: MouseEvent): Pair {
    const box = this.canvas.getBoundingClientRect();
    return [this.middle[0] + (event.clientX - box.left - this.width / 2) / this.scale, this.middle[1] - (event.clientY - box.top - this.height / 2) / this.scale];
  }

  private listen(): void {
    let held: Pair | null = null;
    let moved = 0;
    const canvas = this.canvas;
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      held = [event.clientX, event.clientY];
      moved = 0;
    });
    canvas.addEventListener("pointermove", (event) => {
      if (!held) return;
      const [dx, dy] = [event.clientX - held[0], event.clientY - held[1]];
      held = [event.clientX, event.clientY];
      moved += Math.hypot(dx, dy);
      this.middle = [this.middle[0] - dx / this.scale, this.middle[1] + dy / this.scale];
      this.changed();
    });
    canvas.addEventListener("pointerup", (event) => {
      held = null;
      if (moved < 4) this.onClick(this.metres(event));
    });
    canvas.addEventListener("pointercancel", () => (held = null));
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      const under = this.metres(event);
      const zoom = Math.min(400 / this.scale, Math.max(4 / this.scale, Math.exp(-event.deltaY * 0.0015)));
      this.scale *= zoom;
      this.middle = [under[0] + (this.middle[0] - under[0]) / zoom, under[1] + (this.middle[1] - under[1]) / zoom];
      this.changed();
    }, { passive: false });
  }
}
