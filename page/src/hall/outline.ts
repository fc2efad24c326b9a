// The outline that a solid shows when looked at along an axis of the lab: for drawing without WebGL.
import { carry, times } from "./chain";
import type { Pair, Solid, Triple } from "./description";

const ROUND = 14; // points of a rim

/** Points of a solid whose hull is the solid, in its own frame. */
function corners({ kind, size_m: [a = 0, b = 0, c = 0], corners_m = [] }: Solid): Triple[] {
  if (kind === "mesh") return Array.from({ length: corners_m.length / 3 }, (_, k): Triple => [corners_m[3 * k]!, corners_m[3 * k + 1]!, corners_m[3 * k + 2]!]);
  if (kind === "box") return [-1, 1].flatMap((x) => [-1, 1].flatMap((y) => [-1, 1].map((z): Triple => [(x * a) / 2, (y * b) / 2, (z * c) / 2])));
  const rim = (r: number, z: number) => Array.from({ length: ROUND }, (_, k): Triple => [r * Math.cos((2 * Math.PI * k) / ROUND), r * Math.sin((2 * Math.PI * k) / ROUND), z]);
  if (kind === "cylinder") return [...rim(a, b / 2), ...rim(a, -b / 2)];
  return [0, 0.5, 0.87, 1, -0.5, -0.87, -1].flatMap((z) => rim(a * Math.sqrt(1 - z * z), a * z));
}

export interface Outline {
  points: Pair[]; // closed, anticlockwise
  near: number; // towards the viewer: what is nearer is drawn later
}

export type Look = (p: Triple) => [number, number, number]; // right, up, towards the viewer

export function outline(solid: Solid, T_lab_link: readonly number[], look: Look): Outline {
  const T = times(T_lab_link, solid.T_link_solid);
  const seen = corners(solid).map((p) => look(carry(T, p)));
  return { points: hull(seen.map(([x, y]): Pair => [x, y])), near: Math.max(...seen.map((p) => p[2])) };
}

/** Convex hull by Andrew's monotone chain. */
export function hull(points: Pair[]): Pair[] {
  const sorted = [...points].sort((p, q) => p[0] - q[0] || p[1] - q[1]);
  const half = (list: Pair[]) => {
    const kept: Pair[] = [];
    for (const p of list) {
      while (kept.length > 1 && cross(kept[kept.length - 2]!, kept[kept.length - 1]!, p) <= 0) kept.pop();
      kept.push(p);
    }
    return kept.slice(0, -1);
  };
  return [...half(sorted), ...half(sorted.reverse())];
}

function cross(a: Pair, b: Pair, c: Pair): number {
  return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}
