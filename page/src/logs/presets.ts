// Charts that are asked for again and again, for logs that have what they show.
import { axisText, robotText } from "../cell";
import { MINUS, termsOf, type ChartPlan, type CurvePlan } from "./curve";
import type { LogColumn } from "./log_api";

const MOST_AXES = 4; // charts of a preset, for which there is room

export interface AxisSet {
  name: string;
  axes: string[];
}

/** Axes of which the log has the set-point and the actual value, in its order: those of the cell. */
export function axesOf(columns: Map<string, LogColumn>): string[] {
  const actual = [...columns.keys()].filter((path) => path.startsWith("actual.")).map((path) => path.slice("actual.".length));
  return actual.filter((name) => columns.has(`setpoint.${name}`));
}

/** Which axes a preset shows: as many as there is room for; the rail belongs to robot 1. */
export function axisSets(axes: readonly string[]): AxisSet[] {
  return byRobot(axes).flatMap(([robot, joints]) => {
    const each = Math.ceil(joints.length / Math.ceil(joints.length / MOST_AXES));
    const parts = joints.filter((_, k) => k % each === 0).map((_, k) => joints.slice(k * each, (k + 1) * each));
    return parts.map((part) => ({ name: `${robotText(robot)} ${joint(part[0]!)}–${joint(part.at(-1)!)}`, axes: [...part, ...(robot === "robot1" && axes.includes("rail") ? ["rail"] : [])] }));
  });
}

/** Robots with their axes. */
function byRobot(axes: readonly string[]): [string, string[]][] {
  const found = new Map<string, string[]>();
  for (const name of axes) if (name.includes("_")) found.set(name.split("_")[0]!, [...(found.get(name.split("_")[0]!) ?? []), name]);
  return [...found];
}

const joint = (name: string) => name.split("_")[1]!.toUpperCase();

export interface Preset {
  name: string;
  ofAxes: boolean; // some axes have to be chosen
  /** `axes`: those that are chosen, and all that the log has. */
  charts(chosen: readonly string[], axes: readonly string[]): ChartPlan[];
}

const both = (commanded: string, actual: string): CurvePlan[] => [
  { name: commanded, role: "commanded" },
  { name: actual, role: "actual" },
];
const second = (commanded: string, actual: string): CurvePlan[] => [
  { name: commanded, role: "commanded2" },
  { name: actual, role: "actual2" },
];
const against = (name: string) => [`setpoint.${name}`, `actual.${name}`] as const;
const plain = (title: string, ...names: string[]): ChartPlan => ({ title, curves: names.map((name) => ({ name })) });
const difference = (name: string): CurvePlan => ({ name: against(name).join(MINUS) });

export const PRESETS: Preset[] = [
  {
    name: "axes",
    ofAxes: true,
    charts: (chosen) => chosen.map((name) => ({ title: axisText(name), curves: both(...against(name)) })),
  },
  {
    name: "axes, difference",
    ofAxes: false,
    charts: (_, axes) => [
      ...byRobot(axes).map(([robot, joints]) => ({ title: `${robotText(robot)}, commanded less actual`, curves: joints.map(difference) })),
      { title: "rail, commanded less actual", curves: [difference("rail")] },
    ],
  },
  {
    name: "relative pose",
    ofAxes: false,
    charts: () => [
      ...["x", "y", "z"].map((c) => ({ title: `port 1 seen from port 2: ${c}`, curves: [...both(`commanded_relative.${c}`, `hall_truth.${c}`), { name: `shown_relative.${c}`, role: "commanded2" as const }] })),
      { title: "attitude: qx, qy (dashed), qz (green, pink)", curves: [...both("shown_relative.qx", "hall_truth.qx"), ...second("shown_relative.qy", "hall_truth.qy"), { name: "shown_relative.qz", role: "free" }, { name: "hall_truth.qz", role: "free" }] },
    ],
  },
  {
    name: "zones, clearance",
    ofAxes: false,
    charts: () => [
      { title: "clearance to red", curves: [...both("bridge.commanded_clearance", "bridge.actual_clearance"), { name: "bridge.yellow" }] },
      { title: "zones", curves: both("bridge.commanded_zone", "bridge.actual_zone") },
      plain("bridge", "bridge.phase"),
      plain("facility", "state.mode"),
    ],
  },
  {
    name: "mission",
    ofAxes: false,
    charts: () => [
      plain("chaser from target, LVLH", "relative.p_x", "relative.p_y", "relative.p_z"),
      plain("docking interfaces", "mission.gap", "mission.lateral", "mission.tilt", "mission.roll"),
      plain("rates of the interfaces", "mission.closing_rate", "mission.lateral_rate"),
      plain("mission", "mission.phase"),
    ],
  },
  {
    name: "timing",
    ofAxes: false,
    charts: () => [plain("wake-up after the deadline", "timing.lateness"), plain("time spent in a cycle", "timing.work"), plain("missed cycles so far", "timing.missed")],
  },
];

/** A preset's charts as far as the log has their variables. */
export function available(preset: Preset, chosen: readonly string[], columns: Map<string, LogColumn>): ChartPlan[] {
  return preset
    .charts(chosen, axesOf(columns))
    .map((chart) => ({ ...chart, curves: chart.curves.filter(({ name }) => termsOf(name).every((term) => columns.has(term))) }))
    .filter((chart) => chart.curves.length);
}

/** Charts to begin with in a log of whatever kind: the first groups of it. */
export function firstCharts(columns: Map<string, LogColumn>): ChartPlan[] {
  const groups = new Map<string, LogColumn[]>();
  for (const column of columns.values()) {
    const group = column.path.split(".")[0]!;
    if (group !== "clock") groups.set(group, [...(groups.get(group) ?? []), column]);
  }
  return [...groups.entries()].slice(0, 3).map(([group, members]) => {
    const alike = members.filter((column) => column.unit === members[0]!.unit);
    return plain(group, ...alike.slice(0, 4).map((column) => column.path));
  });
}
