// How charts of a log look on a ground, dark on the screen and dark or white on paper; and how their numbers are written.
import type uPlot from "uplot";
import { fixed } from "../numbers";
import type { Curve } from "./curve";

export interface Ground {
  name: "dark" | "white";
  paper: string;
  text: string;
  dim: string;
  grid: string;
}

export const DARK: Ground = { name: "dark", paper: "#151b23", text: "#dbe2ea", dim: "#93a0b0", grid: "#222a35" };
export const WHITE: Ground = { name: "white", paper: "#ffffff", text: "#1b222b", dim: "#4a5563", grid: "#dde2e8" };
export const FONT = '11px "DejaVu Sans", system-ui, sans-serif';
const SMALL = 1e-6; // steps of an axis below this are written with powers of ten
const FILL_ALPHA = "40"; // of the band between least and greatest

export function ink(curve: Curve, ground: Ground): string {
  return curve[ground.name];
}

export function bandInk(curve: Curve, ground: Ground): string {
  return ink(curve, ground) + FILL_ALPHA;
}

/** Numbers of an axis with as many digits as its steps need. */
export function plainValues(_: uPlot, splits: number[], __: number, ___: number, step: number): string[] {
  if (step > 0 && step < SMALL) return splits.map((value) => (value ? value.toExponential(1).replace(/-/g, "−") : "0"));
  let digits = 0;
  const whole = () => Math.round(step * 10 ** digits);
  while (digits < 9 && (whole() === 0 || Math.abs(step * 10 ** digits - whole()) > 1e-4)) digits++;
  return splits.map((value) => fixed(value, digits));
}

/** A value on the display: a number with its unit, or the word of an enumeration. */
export function valueText(curve: Curve, value: number): string {
  if (curve.names) return curve.names[String(value)] ?? fixed(value, 0);
  return fixed(value * curve.shown.scale, curve.shown.unit === "" && Number.isInteger(value) ? 0 : curve.shown.digits);
}

/** What all values of a scale have in common: curves with the same key share an axis. */
export function scaleKey(curve: Curve): string {
  return curve.names ? `words ${Object.values(curve.names).join(" ")}` : `unit ${curve.shown.unit}`;
}

export function axisLabel(curve: Curve): string {
  return curve.names ? "" : curve.shown.unit ? `[${curve.shown.unit}]` : "[1]";
}
