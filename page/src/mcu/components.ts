// What can be jogged: the axes, or the components of a frame, of a robot; where they stand in the 22 doubles and how they are shown.
// A cell of arms is jogged by its axes.
import { robotText } from "../cell";
import type { Axis, Hello, SystemName } from "../messages";
import { DEG, fixed } from "../numbers";

export type RobotName = string; // robot1, robot2

export interface Component {
  system: SystemName;
  robot: RobotName; // or rail
  name: string; // as the facility calls it
  label: string;
  meaning: string;
  turning: boolean; // jogs in deg; else in mm
  unit: string; // of the value shown
  digits: number;
  axis: number; // number among the cell's axes; -1 for a component of a frame
  /** The value shown, from the numbers of its system. */
  read(values: Float64Array): number;
}

/** System, what it is of a robot (n stands for its number), and the sense in which it is jogged. */
export const ABOUT: Record<SystemName, string> = {
  IJT: "axes of the arm, as its controller counts them",
  IDC: "flange n in base n: x y z, angles A B C",
  GLC: "port n in the lab: x y z, angles A B C",
  CLW: "port n seen from the point of view; turns about its axes",
};
export const ORDER: readonly SystemName[] = ["IJT", "IDC", "GLC", "CLW"];
const RAIL_COLUMN = 21;

export const RAIL: Component = {
  system: "IJT", robot: "rail", name: "rail", label: "rail", meaning: "rail", turning: false, unit: "mm", digits: 2, axis: 0,
  read: (values) => values[RAIL_COLUMN]!,
};

/** What of a robot can be jogged in a system, and the rail. */
export function rowsOf(hello: Hello | null, system: SystemName, robot: RobotName): Component[] {
  if (!hello || hello.hall) return [...componentsOf(system, robot), RAIL];
  return hello.axes.flatMap((axis, k) => (axis.slides || axis.name.startsWith(`${robot}_`) ? [axisComponent(axis, k)] : []));
}

function axisComponent({ name, slides }: Axis, k: number): Component {
  const [robot = "", joint = "rail"] = name.split("_");
  return {
    system: "IJT", robot, name: joint, label: slides ? joint : joint.toUpperCase(), meaning: slides ? joint : `${robotText(robot)} IJT ${joint.toUpperCase()}`,
    turning: !slides, unit: slides ? "mm" : "deg", digits: slides ? 2 : 3, axis: k, read: (values) => values[k]!,
  };
}

/** The six rows of a robot of the hall in a system. */
function componentsOf(system: SystemName, robot: RobotName): Component[] {
  const names = system === "IJT" ? ["a1", "a2", "a3", "a4", "a5", "a6"] : system === "CLW" ? ["x", "y", "z", "rx", "ry", "rz"] : ["x", "y", "z", "a", "b", "c"];
  return names.map((name, k) => componentOf(system, robot, name, k));
}

function componentOf(system: SystemName, robot: RobotName, name: string, k: number): Component {
  const turning = system === "IJT" || k >= 3;
  const start = robot === "robot1" ? 0 : 7;
  const label = system === "IJT" || (turning && system !== "CLW") ? name.toUpperCase() : name;
  return {
    system, robot, name, label, turning,
    meaning: `${robotText(robot)} ${system} ${label}`,
    unit: turning ? "deg" : system === "IDC" ? "mm" : "m",
    digits: turning ? 3 : system === "IDC" ? 2 : 5,
    axis: system === "IJT" ? (robot === "robot1" ? 1 : 7) + k : -1,
    read: system === "CLW" && turning ? (values) => rotationVector(values, start + 3)[k - 3]! * DEG : (values) => values[start + k]!,
  };
}

/** Rotation vector in rad of a quaternion (x y z w, as on the wire). */
function rotationVector(values: Float64Array, at: number): number[] {
  const sign = values[at + 3]! < 0 ? -1 : 1; // the shorter way round
  const vector = [values[at]!, values[at + 1]!, values[at + 2]!].map((v) => v * sign);
  const sine = Math.hypot(...vector);
  const scale = sine > 1e-9 ? (2 * Math.atan2(sine, Math.abs(values[at + 3]!))) / sine : 2;
  return vector.map((v) => v * scale);
}

export function shown(component: Component, values: Float64Array): string {
  return fixed(component.read(values), component.digits);
}
