// What kind of cell is served: a hall of two arms and a rail, or one or two arms of any kind. Parts of a page that only one of them
// has bear the class of-hall or of-arms; style.css hides the others.
import type { Axis } from "./messages";

export const NEEDS_HALL = "The bridge, scenarios and trajectory files need a hall of two arms and a rail.";

/** robot1, robot2: whatever the axes name. */
export function robotsOf(axes: readonly Axis[]): string[] {
  return [...new Set(axes.filter((axis) => !axis.slides).map((axis) => axis.name.split("_")[0]!))];
}

/** "rail", "robot 1 A1". */
export function axisText(name: string): string {
  const [robot = "", joint] = name.split("_");
  return joint ? `${robotText(robot)} ${joint.toUpperCase()}` : robot;
}

/** "robot 1" of robot1. */
export function robotText(robot: string): string {
  return robot.replace("robot", "robot ");
}
