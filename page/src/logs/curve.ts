// A curve of a chart: a variable or the difference of two, its unit on the display, its colour on dark and on white.
import { shownUnit, type Shown } from "../numbers";
import type { LogColumn } from "./log_api";

export const MINUS = "-"; // as the server spells a difference: setpoint.rail-actual.rail
export type Role = "commanded" | "actual" | "commanded2" | "actual2";

export interface CurvePlan {
  name: string;
  role?: Role | "free";
}

export interface ChartPlan {
  title: string;
  curves: CurvePlan[];
}

export interface Curve {
  name: string;
  label: string;
  shown: Shown;
  names: Record<string, string> | null; // of an enumeration
  meaning: string;
  dark: string;
  white: string;
  dashed: boolean;
  under: boolean; // drawn broader: what lies on it leaves its edges in sight
}

type Ink = [dark: string, white: string];
const ROLES: Record<Role, Ink> = {
  commanded: ["#58a6ff", "#0a5bd3"],
  actual: ["#e3b341", "#a86f00"],
  commanded2: ["#a9d1ff", "#5b8fd9"],
  actual2: ["#f2d796", "#c99a3c"],
};
const FREE: Ink[] = [["#3fb950", "#1a7f37"], ["#f778ba", "#bf3989"], ["#bc8cff", "#7a42d8"], ["#56d4dd", "#0f7d88"], ["#ff9e64", "#bc4c00"], ["#c9d1d9", "#4a535e"], ["#8ddb8c", "#4d8f4c"], ["#d2a8ff", "#a475f9"]];

/** The variables that a curve is made of: one, or two for a difference. */
export function termsOf(name: string): string[] {
  return name.split(MINUS);
}

/** Curves of a plan, without those that the log does not have. */
export function curvesOf(plan: ChartPlan, columns: Map<string, LogColumn>): Curve[] {
  let free = 0;
  const roles = new Set<string | undefined>(plan.curves.map((curve) => curve.role));
  return plan.curves.flatMap(({ name, role }) => {
    const found = termsOf(name).map((term) => columns.get(term));
    const first = found[0];
    if (!first || found.includes(undefined)) return [];
    const ownRole = role === "free" ? null : (role ?? naturalRole(name, roles));
    if (ownRole) roles.add(ownRole);
    const [dark, white] = ownRole ? ROLES[ownRole] : FREE[free++ % FREE.length]!;
    const spelled = found.length === 1 && Object.keys(first.names).length > 0;
    return [{ name, label: labelOf(name), shown: shownOf(first, found.length > 1), names: spelled ? first.names : null, meaning: found.map((c) => c!.meaning).join(" minus "), dark, white, dashed: Boolean(ownRole?.endsWith("2")), under: Boolean(ownRole?.startsWith("commanded")) }];
  });
}

/** A difference of the same variable in two groups names it once. */
function labelOf(name: string): string {
  const [first, second] = termsOf(name);
  const [group, variable] = first!.split(".");
  const [otherGroup, otherVariable] = (second ?? "").split(".");
  return !second ? name : variable === otherVariable ? `${variable} ${group} − ${otherGroup}` : `${first} − ${second}`;
}

/** Commanded is blue and actual amber also for what was chosen freely, as long as the colour is not taken in this chart. */
function naturalRole(name: string, taken: Set<string | undefined>): Role | null {
  if (termsOf(name).length > 1) return null;
  const role = /^(setpoint|commanded|shown_relative)|\.commanded/.test(name) ? "commanded" : /^(actual|hall_truth)|\.actual/.test(name) ? "actual" : null;
  return role && !taken.has(role) ? role : null;
}

/** Differences are small: metres as mm, angles with more digits; times of a cycle as ms. */
function shownOf(column: LogColumn, difference: boolean): Shown {
  const usual = shownUnit(column.unit);
  if (column.path.startsWith("timing.") && column.unit === "s") return { scale: 1e3, unit: "ms", digits: 4 };
  if (!difference) return Object.keys(column.names).length || column.unit === "" ? { ...usual, digits: 0 } : usual;
  return column.unit === "m" ? { scale: 1e3, unit: "mm", digits: 4 } : { ...usual, digits: usual.digits + 2 };
}
