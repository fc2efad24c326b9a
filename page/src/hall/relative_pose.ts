// Poses of the ports as the pool has them, and the relative pose: T_port2_port1 with its range and angles.
import type { PoolRecord } from "../record";
import { inverse, times, type Matrix } from "./chain";

export interface RelativePose {
  range_m: number;
  xyz_m: [number, number, number];
  rpy_rad: [number, number, number]; // roll, pitch, yaw: R = Rz(yaw) Ry(pitch) Rx(roll)
}

/** A pose group of the pool (x y z qw qx qy qz) as a matrix. */
function poseOf(record: PoolRecord, group: string): Matrix {
  const [x, y, z, w, a, b, c] = ["x", "y", "z", "qw", "qx", "qy", "qz"].map((name) => record.value(`${group}.${name}`)) as [number, number, number, number, number, number, number];
  return [
    1 - 2 * (b * b + c * c), 2 * (a * b - w * c), 2 * (a * c + w * b), x,
    2 * (a * b + w * c), 1 - 2 * (a * a + c * c), 2 * (b * c - w * a), y,
    2 * (a * c - w * b), 2 * (b * c + w * a), 1 - 2 * (a * a + b * b), z,
    0, 0, 0, 1,
  ];
}

export function relativePose(record: PoolRecord, which: "commanded" | "actual"): RelativePose {
  const T = times(inverse(poseOf(record, `${which}_port2`)), poseOf(record, `${which}_port1`));
  const xyz: [number, number, number] = [T[3]!, T[7]!, T[11]!];
  return { range_m: Math.hypot(...xyz), xyz_m: xyz, rpy_rad: [Math.atan2(T[9]!, T[10]!), Math.atan2(-T[8]!, Math.hypot(T[0]!, T[4]!)), Math.atan2(T[4]!, T[0]!)] };
}
