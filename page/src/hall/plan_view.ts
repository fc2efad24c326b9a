// The hall without WebGL: a plan from above or from the side, with the same interface as the view in three dimensions.
import { carry, home, jointValue, inverse, linkPoses, times, tipOf, usable, type Matrix } from "./chain";
import type { HallDescription, Pair, Triple } from "./description";
import { draw, lookOf } from "./plan_drawing";
import { Sheet } from "./sheet";
import { TrailPoints } from "./trail_points";
import { LAYERS_OFF, measured, type HallView, type Layer, type Measurement, type ViewName, type Which } from "./view";

const SAME = 1e-4; // m or rad: less cannot be seen
const SHORTEST_MS = 50; // between two drawings

export class PlanView implements HallView {
  readonly webgl = false;
  readonly text = "No WebGL: plan view";
  drawn = 0;
  private readonly sheet: Sheet;
  private readonly poses: Record<Which, Matrix[]>;
  private readonly trail = new TrailPoints();
  private readonly off = new Set<Layer>(LAYERS_OFF);
  private readonly last: Record<Which, number[]> = { actual: [], commanded: [] };
  private zones = { actual: "", commanded: "" };
  private commandedKnown = false;
  private side = false;
  private following = true;
  private measuring = false;
  private first: Triple | null = null;
  private found: Measurement | null = null;
  private paused = false;
  private waiting = false;
  private fitted = false;
  private seen = false;
  private lastAt = 0;

  constructor(
    private readonly canvas: HTMLCanvasElement,
    private readonly hall: HallDescription,
  ) {
    this.poses = { actual: linkPoses(hall, home(hall)), commanded: linkPoses(hall, home(hall)) };
    this.sheet = new Sheet(canvas, () => this.want());
    this.sheet.onClick = (at) => this.click(at);
  }

  setAxes(which: Which, q: ArrayLike<number> | null): void {
    if (which === "commanded") this.commandedKnown = q !== null;
    if (!usable(this.hall, q)) return;
    const before = this.middle();
    this.poses[which] = linkPoses(this.hall, q);
    if (this.same(which, q)) return;
    if (which === "actual" && !this.seen) {
      this.seen = true;
      this.fit(); // so far it showed home
    } else if (this.following) {
      const now = this.middle();
      this.sheet.middle = [this.sheet.middle[0] + now[0] - before[0], this.sheet.middle[1] + now[1] - before[1]];
    }
    if (this.found?.ports) this.measurePorts();
    this.want();
  }

  setZones(commanded: string, actual: string): void {
    if (commanded === this.zones.commanded && actual === this.zones.actual) return;
    this.zones = { commanded, actual };
    this.want();
  }

  view(name: ViewName): void {
    this.side = name === "side" || name === "chaser";
    this.fit();
  }

  follow(on: boolean): void {
    this.following = on;
  }

  layer(name: Layer, on: boolean): void {
    if (on) this.off.delete(name);
    else this.off.add(name);
    this.want();
  }

  measure(on: boolean): void {
    this.measuring = on;
    this.first = this.found = null;
    this.want();
  }

  measurePorts(): void {
    this.found = measured(this.port(1), this.port(0), true);
    this.want();
  }

  measurement(): Measurement | null {
    return this.found;
  }

  addTrail(p: Triple): void {
    if (this.trail.add(p)) this.want();
  }

  clearTrail(): void {
    this.trail.points = [];
    this.want();
  }

  loadCad(): Promise<void> {
    return Promise.reject(new Error("a CAD model needs WebGL; the plan shows the mock-ups' simple shapes"));
  }

  resize(): void {
    const holder = this.canvas.parentElement;
    if (!holder || holder.clientWidth < 2) return;
    this.sheet.resize(holder.clientWidth, holder.clientHeight);
    if (!this.fitted) this.fit();
  }

  pause(on: boolean): void {
    if (on === this.paused) return;
    this.paused = on;
    if (!on) this.want();
  }

  axesShown(which: Which): number[] {
    const found = new Array<number>(this.hall.axes.length).fill(0);
    this.hall.links.forEach((link, k) => {
      const pose = this.poses[which][k]!;
      if (link.drive >= 0) found[link.drive] = jointValue(link, link.parent < 0 ? pose : times(inverse(this.poses[which][link.parent]!), pose));
    });
    return found;
  }

  flange(robot: 1 | 2, which: Which): number[] {
    return [...this.poses[which][this.hall.arms[robot - 1]!.flange]!];
  }

  end(): void {
    this.paused = true;
  }

  /** Nothing to draw anew. */
  private same(which: Which, q: ArrayLike<number>): boolean {
    const drawn = this.last[which];
    if (drawn.length && drawn.every((old, i) => Math.abs(old - q[i]!) < SAME)) return true;
    this.last[which] = Array.from(q);
    return false;
  }

  private port(robot: 0 | 1): Triple {
    return carry(this.poses.actual[tipOf(this.hall, robot)]!, [0, 0, 0]);
  }

  private middle(): Pair {
    if (!this.hall.crafts.length) return [0, 0]; // nothing drives away: the sheet stays
    const [a, b] = [lookOf(this.side)(this.port(0)), lookOf(this.side)(this.port(1))];
    return [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2];
  }

  /** Both robots, with what stands near them. */
  private fit(): void {
    this.fitted = true;
    const rail = this.poses.actual.map((T) => T[3]!);
    const { x_m, y_m } = this.hall.room;
    const [from, to] = this.hall.crafts.length ? [Math.min(...rail) - 2.2, Math.max(...rail) + 2.2] : [x_m[0] - 0.4, x_m[1] + 0.4];
    this.sheet.fit(this.side ? [from, this.hall.floor_z_m - 0.4] : [from, y_m[0]], this.side ? [to, this.hall.room.z_m[1]] : [to, y_m[1] + 0.5]);
  }

  /** Points of a plan: the third coordinate is that of port 2. */
  private click([x, up]: Pair): void {
    if (!this.measuring) return;
    const port = this.port(1);
    const point: Triple = this.side ? [x, port[1], up] : [x, up, port[2]];
    this.found = this.first ? measured(this.first, point, false) : null;
    this.first = this.first ? null : point;
    this.want();
  }

  private want(): void {
    if (this.waiting || this.paused) return;
    this.waiting = true;
    setTimeout(() => this.draw(), Math.max(0, SHORTEST_MS - (performance.now() - this.lastAt)));
  }

  private draw(): void {
    this.waiting = false;
    if (this.paused) return;
    this.lastAt = performance.now();
    this.drawn++;
    const T_lab_port2 = this.poses.actual[tipOf(this.hall, 1)]!;
    draw(this.sheet, this.hall, {
      side: this.side,
      poses: { actual: this.poses.actual, commanded: this.commandedKnown ? this.poses.commanded : null },
      zones: this.zones,
      trail: this.trail.points.map((p) => carry(T_lab_port2, p)),
      measured: this.found,
      on: (layer) => !this.off.has(layer),
    });
  }
}
