// How plots look: shared by strip charts, the timing's histogram and the log viewer.
import type uPlot from "uplot";

export const CURVE_COLOURS = ["#58a6ff", "#e3b341", "#3fb950", "#f778ba", "#bc8cff", "#56d4dd", "#ff9e64", "#c9d1d9"];

const TEXT = "#93a0b0";
const GRID = { stroke: "#222a35", width: 1 };
const FONT = '11px "DejaVu Sans", system-ui, sans-serif';

/** An axis of a plot, with its label (and unit). */
export function axis(label: string, more: Partial<uPlot.Axis> = {}): uPlot.Axis {
  return { label, stroke: TEXT, grid: GRID, ticks: GRID, font: FONT, labelFont: FONT, labelSize: 18, size: 52, ...more };
}
