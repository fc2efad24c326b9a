// Where axes put the links, and which axes a link's place tells: the one kinematics of the page. Poses: sixteen numbers, row by row.
import type { HallDescription, LinkDescription, Triple } from "./description";

export type Matrix = number[];

export const IDENTITY: readonly number[] = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];

/** T_a_c = T_a_b T_b_c. */
export function times(a: readonly number[], b: readonly number[]): Matrix {
  const out = new Array<number>(16);
  for (let i = 0; i < 16; i += 4) {
    for (let j = 0; j < 4; j++) out[i + j] = a[i]! * b[j]! + a[i + 1]! * b[4 + j]! + a[i + 2]! * b[8 + j]! + a[i + 3]! * b[12 + j]!;
  }
  return out;
}

/** T_b_a of T_a_b: a rotation and a translation. */
export function inverse(T: readonly number[]): Matrix {
  const t = (j: number) => -(T[j]! * T[3]! + T[4 + j]! * T[7]! + T[8 + j]! * T[11]!);
  return [T[0]!, T[4]!, T[8]!, t(0), T[1]!, T[5]!, T[9]!, t(1), T[2]!, T[6]!, T[10]!, t(2), 0, 0, 0, 1];
}

/** A point of b in a. */
export function carry(T: readonly number[], p: readonly number[]): Triple {
  const row = (i: number) => T[i]! * p[0]! + T[i + 1]! * p[1]! + T[i + 2]! * p[2]! + T[i + 3]!;
  return [row(0), row(4), row(8)];
}

/** A turn by `angle` about a unit axis. */
function turn([x, y, z]: Triple, angle: number): Matrix {
  const c = Math.cos(angle);
  const s = Math.sin(angle);
  const v = 1 - c;
  return [c + x * x * v, x * y * v - z * s, x * z * v + y * s, 0, x * y * v + z * s, c + y * y * v, y * z * v - x * s, 0, x * z * v - y * s, y * z * v + x * s, c + z * z * v, 0, 0, 0, 0, 1];
}

/** T_parent_link with its joint at `value`. */
export function linkInParent(link: LinkDescription, value: number): Matrix {
  if (link.drive < 0 || link.joint === "fixed") return [...link.T_parent_joint];
  const [x, y, z] = link.axis;
  const moved = link.joint === "revolute" ? turn(link.axis, value) : [1, 0, 0, x * value, 0, 1, 0, y * value, 0, 0, 1, z * value, 0, 0, 0, 1];
  return times(link.T_parent_joint, moved);
}

/** The joint's value that a T_parent_link shows: m, or rad within half a turn. */
export function jointValue(link: LinkDescription, T_parent_link: readonly number[]): number {
  const [x, y, z] = link.axis;
  const T = times(inverse(link.T_parent_joint), T_parent_link);
  if (link.joint === "prismatic") return x * T[3]! + y * T[7]! + z * T[11]!;
  const sine = 0.5 * (x * (T[9]! - T[6]!) + y * (T[2]! - T[8]!) + z * (T[4]! - T[1]!));
  return Math.atan2(sine, 0.5 * (T[0]! + T[5]! + T[10]! - 1));
}

/** T_lab_link of every link at axes `q`. */
export function linkPoses(hall: HallDescription, q: ArrayLike<number>): Matrix[] {
  const found: Matrix[] = [];
  for (const link of hall.links) {
    const local = linkInParent(link, link.drive < 0 ? 0 : q[link.drive]!);
    found.push(link.parent < 0 ? local : times(found[link.parent]!, local));
  }
  return found;
}

/** Axes that can be shown: as many as the hall has, all finite. A pool of zeros (no cycle yet) is a pose like any other. */
export function usable(hall: HallDescription, q: ArrayLike<number> | null): q is ArrayLike<number> {
  if (!q || q.length !== hall.axes.length) return false;
  for (let i = 0; i < q.length; i++) if (!Number.isFinite(q[i])) return false;
  return true;
}

/** The link at the end of an arm: the port of its spacecraft, or its flange. Counted from 0; of one arm, always that. */
export function tipOf(hall: HallDescription, arm: number): number {
  return hall.crafts[arm]?.port ?? (hall.arms[arm] ?? hall.arms[0]!).flange;
}

export function home(hall: HallDescription): number[] {
  return hall.axes.map((axis) => axis.home);
}
