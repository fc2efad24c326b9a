// What any view of the hall can do: the one in three dimensions and the plan.
import type { Triple } from "./description";

export type Which = "actual" | "commanded";
export type ViewName = "free" | "top" | "side" | "chaser";
export const LAYERS = ["ghost", "boxes", "frames", "trail", "walls", "mockups", "solids", "lamp"] as const;
export type Layer = (typeof LAYERS)[number];
export const LAYERS_OFF: readonly Layer[] = ["solids"]; // at the beginning

export interface Measurement {
  from_lab_m: Triple;
  to_lab_m: Triple;
  d_lab_m: Triple;
  distance_m: number;
  ports: boolean; // from port 2 to port 1, kept up to date
}

export interface HallView {
  readonly webgl: boolean;
  /** What it says about itself. */
  readonly text: string;
  /** All axes, m and rad. What is not a number is passed over: the last pose stays. Null hides the commanded ghost. */
  setAxes(which: Which, q: ArrayLike<number> | null): void;
  /** Words GREEN, YELLOW, RED (anything else: unknown), and how thick yellow is. */
  setZones(commanded: string, actual: string, yellow_m: number): void;
  view(name: ViewName): void;
  follow(on: boolean): void;
  layer(name: Layer, on: boolean): void;
  /** Take the next clicks as points to measure between. */
  measure(on: boolean): void;
  /** Measure between the ports, for as long as measuring is on. */
  measurePorts(): void;
  measurement(): Measurement | null;
  /** A point of the approach: port 1 in the frame of port 2, m. */
  addTrail(p_port2_port1: Triple): void;
  clearTrail(): void;
  /** Show a CAD model in place of a mock-up; refuses in words. */
  loadCad(robot: 1 | 2, source: File | string, format?: string): Promise<void>;
  resize(): void;
  /** Nothing is drawn while nobody looks. */
  pause(on: boolean): void;
  /** The axes as the picture stands: read back from its joints. */
  axesShown(which: Which): number[];
  /** T_lab_flange as the picture stands, row by row. */
  flange(robot: 1 | 2, which: Which): number[];
  /** Frames drawn so far. */
  readonly drawn: number;
}

export function measured(from: Triple, to: Triple, ports: boolean): Measurement {
  const d: Triple = [to[0] - from[0], to[1] - from[1], to[2] - from[2]];
  return { from_lab_m: from, to_lab_m: to, d_lab_m: d, distance_m: Math.hypot(...d), ports };
}

export const ZONE_COLOURS: Record<string, string> = { GREEN: "#3fb950", YELLOW: "#e3b341", RED: "#f85149" };
export const UNKNOWN_ZONE = "#7d8896";

export function zoneColour(word: string): string {
  return ZONE_COLOURS[word.toUpperCase()] ?? UNKNOWN_ZONE;
}
