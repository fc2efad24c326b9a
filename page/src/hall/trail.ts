// The approach so far: where port 1 was, seen from port 2; the older, the darker.
import { Color, type Object3D } from "three";
import type { Line2 } from "three/examples/jsm/lines/Line2.js";
import type { Triple } from "./description";
import { through } from "./fat_lines";
import { TrailPoints } from "./trail_points";

const NEW = new Color("#e3b341");
const OLD = new Color("#2a2620");

export class Trail {
  private readonly kept = new TrailPoints();
  private line: Line2 | null = null;
  private on = true;
  private changed = false;

  /** `port2`: the object in whose frame the points are. */
  constructor(private readonly port2: Object3D) {}

  add(p: Triple): boolean {
    const added = this.kept.add(p);
    this.changed ||= added;
    return added;
  }

  clear(): void {
    this.kept.points = [];
    this.changed = true;
  }

  show(on: boolean): void {
    this.on = on;
    if (this.line) this.line.visible = on;
  }

  /** Before a picture is drawn. */
  refresh(): void {
    if (!this.changed) return;
    this.changed = false;
    if (this.line) {
      this.port2.remove(this.line);
      this.line.geometry.dispose();
      this.line.material.dispose();
      this.line = null;
    }
    const points = this.kept.points;
    if (points.length < 2) return;
    const mixed = new Color();
    const colours = points.flatMap((_, k) => mixed.lerpColors(OLD, NEW, k / (points.length - 1)).toArray());
    this.line = through(points.flat(), colours, { linewidth: 2.4 });
    this.line.visible = this.on;
    this.port2.add(this.line);
  }
}
