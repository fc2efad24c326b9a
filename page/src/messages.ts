// What the server tells, as plain data. The other side is src/proxops/console/.
import type { Variable } from "./record";
import type { Part } from "./sensors/sight";

export const VERSION = 1;
export type SystemName = "CLW" | "GLC" | "IJT" | "IDC";
export const SYSTEMS: readonly SystemName[] = ["CLW", "GLC", "IJT", "IDC"]; // in the order of a frame

export interface EventItem {
  utc_ms: number;
  tick: number;
  severity: number; // 1 debug … 5 fatal
  name: string;
  text: string;
}

export interface InterlockInput {
  name: string;
  kind: "estop" | "door" | "gate" | "fence" | "laser" | "power";
  at_lab_m: [number, number] | null;
  rule: string; // that it breaks when it is open
  allows: string[]; // modes that it still allows then
}

export interface PlanRoom {
  name: string;
  x_m: [number, number];
  y_m: [number, number];
}

export interface Edge {
  mode: string;
  event: string;
  to: string;
  own: boolean; // raised by the facility itself
}

export interface JogLimits {
  speed_m_s: number;
  rate_rad_s: number;
  reduced_share: number;
  ramp_s: number;
}

export interface Axis {
  name: string; // rail, or robot1_a1
  slides: boolean; // m, else rad
  lower: number | null;
  upper: number | null;
  speed: number;
  acceleration: number;
}

export interface Hello {
  kind: "hello";
  version: number;
  id: number; // of this viewer
  secret: string; // of this viewer: proves that an upload comes from its page
  proxops: string;
  cell: string;
  hall: boolean; // two arms and a rail: it has ports, a bridge and the systems of its commands
  period_s: number;
  record_bytes: number;
  variables: Variable[];
  modes: string[];
  edges: Edge[];
  interlocks: InterlockInput[];
  rules: Record<string, { name: string; meaning: string; unit: string; drives_off: boolean }>;
  plan?: { rooms: PlanRoom[] } | null; // floor plan, where the cell has one
  jog: JogLimits;
  axes: Axis[];
  events: EventItem[];
  scenarios: Scenario[];
  lists: Record<string, string[]>; // variable lists by name
}

export interface Scenario {
  name: string;
  kind: string;
  duration_s: number;
  about: string;
  where: string;
}

export interface Holder {
  id: number;
  name: string;
}

export interface ControlState {
  kind: "control";
  holder: Holder | null;
  viewers: Holder[];
  said: string; // the last change, in words
}

/** Why a button is not possible now; empty when it is. Keys are the requests' names, select by source: "select bridge". */
export type Refusals = Record<string, string>;

export interface RunState {
  kind: "run";
  name: string;
  phase: "idle" | "starting" | "running" | "paused" | "ended" | "failed";
  t_s: number;
  duration_s: number;
  share: number;
  message: string;
}

export interface UploadState {
  kind: "upload";
  phase: "none" | "checking" | "checked" | "loaded";
  number: number; // of the file, to say which one is meant
  name: string;
  lines: number;
  duration_s: number;
  errors: { line: number | null; message: string }[]; // null: about the whole file
  errors_more: number;
  feasible: boolean;
  verdict: string;
  findings: { where: string; what: string }[];
}

export interface Miss {
  utc_ms: number;
  tick: number;
  lateness_s: number;
  work_s: number;
  lost: number; // cycles
  cause: string;
}

export interface TimingState {
  kind: "timing";
  cycles: number;
  late: number; // cycles that began more than late_s after their time
  late_s: number;
  missed: number;
  edges_s: number[]; // of the histogram's bins, n + 1
  counts: number[]; // of the whole session
  recent: number[]; // of the last ten seconds
  quantiles_s: Record<string, number>; // p50, p99, p999, max of the last ten seconds
  work_s: Record<string, number>; // mean, max of the last ten seconds
  misses: Miss[]; // newest first
  console: { viewers: number; frames_dropped: number; refused: number };
}

/** An imaging sensor of the facility. */
export interface SensorInfo {
  name: string;
  kind: "camera" | "tof" | "lidar" | "fiducial";
  width: number; // pixels; points of a line and lines of a LiDAR
  height: number;
  rate_hz: number; // of what is told to viewers
  shows: Part[];
  looked_through?: boolean; // its images are searched for the target
}

/** What image processing said last of a sensor's images, and what has been counted. */
export interface VisionSaid {
  number: number; // of the image
  at_ms: number; // middle of its exposure, server's clock
  state: "SEARCH" | "TRACK" | "LOST";
  doubt: string; // NONE: the pose is trusted
  words: string; // the doubt's
  searched: boolean; // the whole image was
  trust: number | null; // 0 … 1
  sigma_m: number | null; // as claimed: largest standard deviation
  sigma_rad: number | null;
  distance_m: number | null;
  accepted: number;
  refused: Record<string, number>; // by doubt, the most frequent first
  trusted_at_ms: number | null; // exposure of the last image whose pose was trusted
}

export interface VisionState {
  kind: "vision";
  sensors: Record<string, VisionSaid>;
}

export interface SensorsState {
  kind: "sensors";
  sensors: SensorInfo[];
  trouble: string; // with all of them; empty when all is well
}

export interface Reply {
  ok: boolean;
  error?: string;
  result?: unknown;
}

export type Status = Record<string, any>;
