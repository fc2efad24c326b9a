// Charts that are asked for again and again, for logs that have what they show.
import { AXES } from "../messages";
import { MINUS, termsOf, type ChartPlan, type CurvePlan } from "./curve";
import type { LogColumn } from "./log_api";

/** Which axes a preset shows: as many as there is room for; the rail belongs to robot 1. */
export const AXIS_SETS = [
  { name: "robot 1 A1–A3", axes: [...[1, 2, 3].map((a) => `robot1_a${a}`), "rail"] },
  { name: "robot 1 A4–A6", axes: [...[4, 5, 6].map((a) => `robot1_a${a}`), "rail"] },
  { name: "robot 2 A1–A3", axes: [1, 2, 3].map((a) => `robot2_a${a}`) },
  { name: "robot 2 A4–A6", axes: [4, 5, 6].map((a) => `robot2_a${a}`) },
] as const;

export interface Preset {
  name: string;
  ofAxes: boolean; // some axes have to be chosen
  charts(axes: readonly string[]): ChartPlan[];
}

const both = (commanded: string, actual: string): CurvePlan[] => [
  { name: commanded, role: "commanded" },
  { name: actual, role: "actual" },
];
const second = (commanded: string, actual: string): CurvePlan[] => [
  { name: commanded, role: "commanded2" },
  { name: actual, role: "actual2" },
];
const axis = (robot: 1 | 2, number: number) => `robot${robot}_a${number}`;
const against = (name: string) => [`setpoint.${name}`, `actual.${name}`] as const;
const plain = (title: string, ...names: string[]): ChartPlan => ({ title, curves: names.map((name) => ({ name })) });
const difference = (name: string): CurvePlan => ({ name: against(name).join(MINUS) });

export const PRESETS: Preset[] = [
  {
    name: "axes",
    ofAxes: true,
    charts: (axes) => axes.map((name) => ({ title: name.replace("_a", " A").replace("robot", "robot "), curves: both(...against(name)) })),
  },
  {
    name: "axes, difference",
    ofAxes: false,
    charts: () => [
      { title: "robot 1, commanded less actual", curves: [1, 2, 3, 4, 5, 6].map((a) => difference(axis(1, a))) },
      { title: "robot 2, commanded less actual", curves: [1, 2, 3, 4, 5, 6].map((a) => difference(axis(2, a))) },
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
export function available(preset: Preset, axes: readonly string[], columns: Map<string, LogColumn>): ChartPlan[] {
  return preset
    .charts(axes)
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

/** True when the hall can be shown from this log. */
export function hasHall(columns: Map<string, LogColumn>): boolean {
  return AXES.every((name) => columns.has(`actual.${name}`) && columns.has(`setpoint.${name}`));
}
