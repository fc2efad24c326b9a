// Opens a view of the hall: in three dimensions where there is WebGL, a plan where there is not or where it goes away.
import { el } from "../dom";
import type { HallDescription, Triple } from "./description";
import { PlanView } from "./plan_view";
import { LAYERS, LAYERS_OFF, type HallView, type Layer, type Measurement, type ViewName, type Which } from "./view";

const RESTORED_WITHIN_MS = 3000;

type Inner = HallView & { end(): void };

/** A view that fills `container`, and stays the same object when WebGL is lost. */
export async function openHall(container: HTMLElement, description: HallDescription, options: { plan?: boolean } = {}): Promise<HallView> {
  const hall = new Hall(container, description);
  await hall.open(options.plan || new URLSearchParams(location.search).has("plan"));
  return hall;
}

class Hall implements HallView {
  private inner!: Inner;
  private canvas!: HTMLCanvasElement;
  private readonly axes: Record<Which, ArrayLike<number> | null> = { actual: null, commanded: null };
  private zones: [string, string, number] = ["", "", 0];
  private name: ViewName = "free";
  private following = true;
  private paused = false;
  private readonly layers = new Map<Layer, boolean>(LAYERS.map((name) => [name, !LAYERS_OFF.includes(name)]));

  constructor(
    private readonly container: HTMLElement,
    private readonly description: HallDescription,
  ) {
    new ResizeObserver(() => this.resize()).observe(container);
  }

  async open(plan: boolean): Promise<void> {
    const canvas = el("canvas.hall-canvas", { "aria-label": "the hall" }) as HTMLCanvasElement;
    const before = this.canvas as HTMLCanvasElement | undefined;
    let inner: Inner | null = null;
    if (!plan) {
      try {
        const { WebglView } = await import("./webgl_view");
        inner = new WebglView(canvas, this.description, (drawnOn) => this.lost(drawnOn));
      } catch {
        inner = null; // said by the plan view
      }
    }
    // A canvas that has once been asked for WebGL has no 2D context.
    this.canvas = inner ? canvas : (el("canvas.hall-canvas", { "aria-label": "plan of the hall" }) as HTMLCanvasElement);
    before?.remove();
    this.container.prepend(this.canvas);
    this.inner?.end();
    this.inner = inner ?? new PlanView(this.canvas, this.description);
    this.tellAll();
  }

  private lost(canvas: HTMLCanvasElement): void {
    const timer = setTimeout(() => void this.open(true), RESTORED_WITHIN_MS);
    canvas.addEventListener("webglcontextrestored", () => (clearTimeout(timer), this.resize()), { once: true });
  }

  private tellAll(): void {
    const inner = this.inner;
    inner.resize();
    for (const which of ["actual", "commanded"] as const) inner.setAxes(which, this.axes[which]);
    inner.setZones(...this.zones);
    for (const [name, on] of this.layers) inner.layer(name, on);
    inner.view(this.name);
    inner.follow(this.following);
    inner.pause(this.paused);
  }

  get webgl(): boolean {
    return this.inner.webgl;
  }

  get text(): string {
    return this.inner.text;
  }

  get drawn(): number {
    return this.inner.drawn;
  }

  setAxes(which: Which, q: ArrayLike<number> | null): void {
    this.axes[which] = q;
    this.inner.setAxes(which, q);
  }

  setZones(commanded: string, actual: string, yellow_m: number): void {
    this.zones = [commanded, actual, yellow_m];
    this.inner.setZones(commanded, actual, yellow_m);
  }

  view(name: ViewName): void {
    this.name = name;
    this.inner.view(name);
  }

  follow(on: boolean): void {
    this.following = on;
    this.inner.follow(on);
  }

  layer(name: Layer, on: boolean): void {
    this.layers.set(name, on);
    this.inner.layer(name, on);
  }

  measure(on: boolean): void {
    this.inner.measure(on);
  }

  measurePorts(): void {
    this.inner.measurePorts();
  }

  measurement(): Measurement | null {
    return this.inner.measurement();
  }

  addTrail(p: Triple): void {
    this.inner.addTrail(p);
  }

  clearTrail(): void {
    this.inner.clearTrail();
  }

  loadCad(robot: 1 | 2, source: File | string, format?: string): Promise<void> {
    return this.inner.loadCad(robot, source, format);
  }

  resize(): void {
    this.inner?.resize();
  }

  pause(on: boolean): void {
    this.paused = on;
    this.inner.pause(on);
  }

  axesShown(which: Which): number[] {
    return this.inner.axesShown(which);
  }

  flange(robot: 1 | 2, which: Which): number[] {
    return this.inner.flange(robot, which);
  }
}
