// Poses of ports and flanges as the pool has them, with their ranges and angles; of the ports the relative one, T_port2_port1.
import type { PoolRecord } from "../record";
import { inverse, times, type Matrix } from "./chain";

export interface PoseNumbers {
  T: Matrix;
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

export function relativePose(record: PoolRecord, which: "commanded" | "actual"): PoseNumbers {
  return numbersOf(times(inverse(poseOf(record, `${which}_port2`)), poseOf(record, `${which}_port1`)));
}

/** T_lab_flange. */
export function flangePose(record: PoolRecord, which: "commanded" | "actual", robot: number): PoseNumbers {
  return numbersOf(poseOf(record, `${which}_flange${robot}`));
}

function numbersOf(T: Matrix): PoseNumbers {
  const xyz: [number, number, number] = [T[3]!, T[7]!, T[11]!];
  return { T, range_m: Math.hypot(...xyz), xyz_m: xyz, rpy_rad: [Math.atan2(T[9]!, T[10]!), Math.atan2(-T[8]!, Math.hypot(T[0]!, T[4]!)), Math.atan2(T[4]!, T[0]!)] };
}

/** Angle of the rotation between two poses, rad. */
export function turnBetween(a: PoseNumbers, b: PoseNumbers): number {
  const R = times(inverse(a.T), b.T);
  const sine = 0.5 * Math.hypot(R[9]! - R[6]!, R[2]! - R[8]!, R[4]! - R[1]!);
  return Math.atan2(sine, 0.5 * (R[0]! + R[5]! + R[10]! - 1));
}
