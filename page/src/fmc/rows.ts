// What a path of a variable list stands for: numbers that can be shown and drawn, commanded beside actual where there are both.
import type { Desk } from "../desk";
import { robotText } from "../cell";
import type { Hello, SystemName } from "../messages";
import { clockTime } from "../numbers";
import type { Variable } from "../record";
import { shownIn, written, type Shown, type Units } from "./units";

export type Role = "commanded" | "actual" | "difference" | "value";

/** One number that can be shown or drawn. */
export interface Quantity {
  key: string; // path and role
  label: string;
  unit: string; // as it comes
  orbital: boolean;
  stepped: boolean; // an enumeration, flag or count: drawn in steps, no digits
  read(): number;
  word?(value: number): string;
}

/** One line of the table. */
export interface Row {
  path: string;
  heading: string;
  name: string;
  title: string;
  meaning: string;
  cells: Partial<Record<Role, Quantity>>;
  turn: string; // rows with the same turn are one quaternion: their difference is one angle
}

export function shownOf(quantity: Quantity, units: Units): Shown {
  return quantity.stepped ? { scale: 1, unit: quantity.unit === "1" ? "" : quantity.unit, digits: 0 } : shownIn(units, quantity.unit, quantity.orbital);
}

/** A quantity's value as text, without its unit. */
export function textOf(quantity: Quantity, value: number, units: Units): string {
  return quantity.word && Number.isFinite(value) ? quantity.word(value) : written(value, shownOf(quantity, units));
}

// --- coordinate systems: the 22 doubles of docs/interfaces.md

interface Component {
  path: string;
  heading: string;
  name: string;
  title: string;
  unit: string;
  at: number; // in the 22 doubles
  quaternion: number; // where its quaternion begins; -1 for none
}

const ABC = ["A", "B", "C"];
const XYZ = ["x", "y", "z"];
const QUATERNION = ["qx", "qy", "qz", "qw"];
const TURN = "turn"; // of poses with A B C: the rotation between commanded and actual as one angle
const LOCKED_DEG = 1; // so near B = ±90 deg A and C are not told apart: only their sum or difference means something
const SYSTEM_TITLES: Record<SystemName, { robot: string; lin: string; linUnit: string; linName: string }> = {
  IJT: { robot: "axes", lin: "rail", linUnit: "mm", linName: "rail" },
  IDC: { robot: "flange in base", lin: "rail", linUnit: "mm", linName: "rail" },
  GLC: { robot: "port in lab", lin: "x of flange 1 in base 1 (data lin)", linUnit: "m", linName: "lin" },
  CLW: { robot: "port from point of view", lin: "x of flange 1 in base 1 (data lin)", linUnit: "m", linName: "lin" },
};

function partOf(system: SystemName, part: string, label: string, start: number, what: string): Component[] {
  const [positions, length] = system === "IJT" ? [[], ""] : [XYZ, system === "IDC" ? "mm" : "m"];
  const angles = system === "IJT" ? [1, 2, 3, 4, 5, 6].map((i) => `A${i}`) : system === "CLW" ? QUATERNION : ABC;
  const heading = `${system} · ${label} ${what}`;
  const names = [...positions, ...angles, ...(angles === ABC ? [TURN] : [])];
  return names.map((name, k) => ({
    path: `${system}.${part}.${name}`,
    heading,
    name,
    title: name === TURN ? `${system}, ${label}: angle of the rotation between commanded and actual` : `${system}, ${label}: ${name} of ${what}`,
    unit: k < positions.length ? length : system === "CLW" ? "quaternion" : "deg",
    at: name === TURN ? start + positions.length : start + k,
    quaternion: system === "CLW" && k >= positions.length ? start + positions.length : -1,
  }));
}

/** The components of a system that mean something, in the order of the display: what moves the rail first. A cell of arms has its axes. */
export function componentsOf(system: SystemName, hello: Hello | null): Component[] {
  if (hello?.hall === false) return system === "IJT" ? hello.axes.map(({ name, slides }, k) => axisComponent(name, slides, k)) : [];
  const words = SYSTEM_TITLES[system];
  const lin = { path: `${system}.${words.linName}`, heading: `${system} · ${words.linName === "rail" ? "rail" : "data lin"}`, name: words.linName, title: words.lin, unit: words.linUnit, at: 21, quaternion: -1 };
  const robots = [1, 2].flatMap((r) => partOf(system, `robot${r}`, `robot ${r}`, 7 * (r - 1), words.robot));
  if (system === "IJT" || system === "IDC") return [lin, ...robots];
  return [...robots, ...(system === "CLW" ? partOf(system, "pov", "point of view", 14, "in lab") : []), lin];
}

function axisComponent(name: string, slides: boolean, at: number): Component {
  const [robot = "", joint] = name.split("_");
  const label = joint ? joint.toUpperCase() : robot;
  return { path: joint ? `IJT.${robot}.${label}` : `IJT.${robot}`, heading: `IJT · ${robotText(robot)}${joint ? " axes" : ""}`, name: label, title: `IJT, ${robotText(robot)}: ${label}`, unit: slides ? "mm" : "deg", at, quaternion: -1 };
}

/** A difference of angles, at most half a turn. */
export function wrapped(difference: number, turn: number): number {
  return difference - turn * Math.round(difference / turn);
}

/** Angle of the rotation between two quaternions (scalar last), deg. */
export function turnBetween(a: Float64Array, b: Float64Array): number {
  const [ax = NaN, ay = NaN, az = NaN, aw = NaN] = a;
  const [bx = NaN, by = NaN, bz = NaN, bw = NaN] = b;
  const w = aw * bw + ax * bx + ay * by + az * bz;
  const x = aw * bx - ax * bw - ay * bz + az * by;
  const y = aw * by + ax * bz - ay * bw - az * bx;
  const z = aw * bz - ax * by + ay * bx - az * bw;
  return (360 / Math.PI) * Math.atan2(Math.hypot(x, y, z), Math.abs(w));
}

/** Quaternion (scalar last) of KUKA's angles, R = Rz(A) Ry(B) Rx(C), deg. */
export function quaternionOf([a = NaN, b = NaN, c = NaN]: Float64Array): Float64Array {
  const half = Math.PI / 360;
  const [ca, sa, cb, sb, cc, sc] = [Math.cos(a * half), Math.sin(a * half), Math.cos(b * half), Math.sin(b * half), Math.cos(c * half), Math.sin(c * half)];
  return Float64Array.of(ca * cb * sc - sa * sb * cc, ca * sb * cc + sa * cb * sc, sa * cb * cc - ca * sb * sc, ca * cb * cc + sa * sb * sc);
}

/** The row of the rotation between commanded and actual, for poses with A B C. */
function turnRow(desk: Desk, system: SystemName, c: Component): Row {
  const of = (which: "commanded" | "actual") => quaternionOf(desk.system(which, system).subarray(c.at, c.at + 3));
  const difference: Quantity = { key: `${c.path}|difference`, label: `${c.path} difference`, unit: "deg", orbital: false, stepped: false, read: () => turnBetween(of("commanded"), of("actual")) };
  return { path: c.path, heading: c.heading, name: c.name, title: c.title, meaning: c.title, turn: "", cells: { difference } };
}

function systemRow(desk: Desk, system: SystemName, c: Component): Row {
  const of = (which: "commanded" | "actual") => desk.system(which, system)[c.at] ?? NaN;
  const quaternion = (which: "commanded" | "actual") => desk.system(which, system).subarray(c.quaternion, c.quaternion + 4);
  const part = c.path.slice(0, c.path.lastIndexOf("."));
  const plain = { unit: c.unit, orbital: false, stepped: false };
  const b = c.at + 1 - ABC.indexOf(c.name); // where B is, for A and C
  const locked = () => Math.abs(Math.abs(desk.system("commanded", system)[b] ?? NaN) - 90) < LOCKED_DEG;
  const apart = () => (c.unit !== "deg" ? of("actual") - of("commanded") : (c.name === "A" || c.name === "C") && locked() ? NaN : wrapped(of("actual") - of("commanded"), 360));
  const difference: Quantity =
    c.quaternion >= 0
      ? { ...plain, key: `${part}|turn`, label: `${part} rotation, difference`, unit: "deg", read: () => turnBetween(quaternion("commanded"), quaternion("actual")) }
      : { ...plain, key: `${c.path}|difference`, label: `${c.path} difference`, read: apart };
  return {
    path: c.path,
    heading: c.heading,
    name: c.name,
    title: c.name === "A" || c.name === "C" ? `${c.title}; no difference where B is near ±90 deg, see turn` : c.title,
    meaning: c.title,
    turn: c.quaternion >= 0 ? part : "",
    cells: {
      commanded: { ...plain, key: `${c.path}|commanded`, label: `${c.path} commanded`, read: () => of("commanded") },
      actual: { ...plain, key: `${c.path}|actual`, label: `${c.path} actual`, read: () => of("actual") },
      difference,
    },
  };
}

// --- variables of the pool

const PAIRS: Record<string, [string, string]> = {};
for (const [commanded, actual] of [["setpoint", "actual"], ["setpoint_rate", "actual_rate"], ["commanded_port1", "actual_port1"], ["commanded_port2", "actual_port2"], ["commanded_flange1", "actual_flange1"], ["commanded_flange2", "actual_flange2"]] as const) {
  PAIRS[commanded] = PAIRS[actual] = [commanded, actual];
}
const ORBITAL = new Set(["orbit", "relative", "goal", "measurement", "estimate_error", "estimate_sigma", "mission"]);

function wordOf(desk: Desk, variable: Variable): ((value: number) => string) | undefined {
  const names = variable.names;
  if (names) return (value) => names[String(value)] ?? String(value);
  if (variable.path === "clock.utc_ns") return (value) => `${clockTime(value * 1e-6)} UTC`;
  if (variable.path === "state.open_interlocks") return (value) => (value ? desk.openInterlocks().join(", ") : "none open");
  if (variable.path === "state.alarms") return (value) => (value ? (desk.status?.alarms ?? []).join(", ") || String(value) : "none");
  if (variable.path === "state.axis") return (value) => (value ? (desk.hello?.axes[value - 1]?.name ?? String(value)) : "none");
  if (variable.name === "rule") return (value) => (value ? (desk.hello?.rules[String(value)]?.name ?? String(value)) : "none");
  return undefined;
}

function quantityOf(desk: Desk, variable: Variable, role: Role): Quantity {
  const stepped = variable.type !== "f8" && variable.unit !== "ns";
  const label = role === "value" ? variable.path : `${variable.path} ${role}`;
  const unit = /^q[wxyz]$/.test(variable.name) ? "quaternion" : variable.unit;
  return { key: `${variable.path}|${role}`, label, unit, orbital: ORBITAL.has(variable.group), stepped, read: () => desk.value(variable.path), word: wordOf(desk, variable) };
}

function poolRow(desk: Desk, variables: Map<string, Variable>, variable: Variable): Row {
  const pair = PAIRS[variable.group];
  const row = { path: variable.path, heading: variable.group, name: variable.name, title: `${variable.path}: ${variable.meaning}`, meaning: variable.meaning.slice(variable.meaning.indexOf(": ") + 2), turn: "" };
  const commanded = pair && variables.get(`${pair[0]}.${variable.name}`);
  const actual = pair && variables.get(`${pair[1]}.${variable.name}`);
  if (!commanded || !actual) return { ...row, cells: { value: quantityOf(desk, variable, "value") } };
  const [a, b] = [quantityOf(desk, commanded, "commanded"), quantityOf(desk, actual, "actual")];
  const apart = () => (variable.unit === "rad" ? wrapped(b.read() - a.read(), 2 * Math.PI) : b.read() - a.read());
  return { ...row, heading: `${pair[0]} / ${pair[1]}`, cells: { commanded: a, actual: b, difference: { ...b, key: `${actual.path}|difference`, label: `${actual.path} difference`, read: apart } } };
}

/** Every row that there is, by its path: the systems' first. */
export function allRows(desk: Desk): Map<string, Row> {
  const rows = new Map<string, Row>();
  for (const system of ["IJT", "IDC", "GLC", "CLW"] as const) for (const c of componentsOf(system, desk.hello)) rows.set(c.path, c.name === TURN ? turnRow(desk, system, c) : systemRow(desk, system, c));
  const variables = new Map((desk.hello?.variables ?? []).map((v) => [v.path, v]));
  for (const variable of variables.values()) rows.set(variable.path, poolRow(desk, variables, variable));
  return rows;
}
