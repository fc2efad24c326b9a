// Where port 1 has been, seen from port 2: the points of the trail, for any view.
import type { Triple } from "./description";

const MOST = 1500;
const STEP_M = 0.01; // nearer points add nothing to see

export class TrailPoints {
  points: Triple[] = [];

  /** True when the point is worth drawing. */
  add(p: Triple): boolean {
    const last = this.points.at(-1);
    if (!p.every(Number.isFinite) || (last && Math.hypot(p[0] - last[0], p[1] - last[1], p[2] - last[2]) < STEP_M)) return false;
    this.points.push(p);
    if (this.points.length > MOST) this.points.splice(0, this.points.length - MOST);
    return true;
  }
}
