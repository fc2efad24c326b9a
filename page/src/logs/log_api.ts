// What the server tells of recorded runs; the other side is console/log_routes.py. Times are seconds since a run's first record.
import { unpack } from "../packed";
import { fetchOwn } from "../visitor";

export interface RunEntry {
  id: string;
  name: string;
  bytes: number;
  written_ns: number;
  kind: string;
  scenario: string;
  began_utc: string | null;
  duration_s: number;
  complete: boolean;
  recording: boolean;
  ended_in_stop: boolean | null;
  passed: boolean | null;
  ended: string; // how, in the log's words
  problem: string;
}

export interface LogColumn {
  path: string;
  unit: string;
  meaning: string;
  names: Record<string, string>; // of an enumeration
}

export type Severity = "DEBUG" | "INFO" | "WARNING" | "ERROR" | "FATAL" | "UNKNOWN";

export interface LogEvent {
  tick: number;
  t: number;
  utc_ns: number;
  severity: Severity;
  name: string;
  text: string;
}

export interface OpenedLog {
  id: string;
  t0: number;
  t1: number;
  records: number;
  begin_ns: number | null;
  columns: LogColumn[];
  events: LogEvent[];
  metadata: Record<string, string>;
  complete: boolean;
  recording: boolean;
  notes: string[];
}

export interface CurveTable {
  t: Float64Array;
  low: Map<string, Float64Array>;
  high: Map<string, Float64Array>;
  recordsPerColumn: number;
  sampled: Set<string>; // not least and greatest, but one record of each column
}

export async function listRuns(): Promise<RunEntry[]> {
  return (await (await ask("/api/logs", {})).json()) as RunEntry[];
}

export async function openRun(id: string): Promise<OpenedLog> {
  return (await (await ask("/api/log", { id })).json()) as OpenedLog;
}

export async function fetchCurves(id: string, names: string[], t0: number, t1: number, pixels: number, signal: AbortSignal): Promise<CurveTable> {
  const answer = await ask("/api/log/curves", { id, names: names.join(","), t0, t1, pixels }, signal);
  const { head, arrays } = unpack(await answer.arrayBuffer());
  const side = (which: string) => new Map(names.map((name) => [name, arrays.get(`${which} ${name}`) ?? new Float64Array(0)]));
  return { t: arrays.get("t") ?? new Float64Array(0), low: side("low"), high: side("high"), recordsPerColumn: Number(head.records_per_column), sampled: new Set(head.sampled as string[]) };
}

/** Records at `hz`, one array for each name and one for the time. */
export async function fetchSamples(id: string, names: string[], t0: number, t1: number, hz: number, signal: AbortSignal): Promise<Map<string, Float64Array>> {
  const answer = await ask("/api/log/samples", { id, names: names.join(","), t0, t1, hz }, signal);
  return unpack(await answer.arrayBuffer()).arrays;
}

/** CSV of a span, or of the whole run. */
export async function fetchCsv(id: string, names: string[], span: { t0: number; t1: number } | null): Promise<Blob> {
  return (await ask("/api/log/csv", { id, names: names.join(","), ...(span ?? {}) })).blob();
}

async function ask(path: string, given: Record<string, string | number>, signal?: AbortSignal): Promise<Response> {
  const search = new URLSearchParams(Object.entries(given).map(([name, value]) => [name, String(value)]));
  let answer: Response;
  try {
    answer = await fetchOwn(`${path}?${search}`, signal ? { signal } : {});
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new Error("the console's server does not answer");
  }
  if (answer.ok) return answer;
  const told = (await answer.json().catch(() => null)) as { error?: string } | null;
  throw new Error(told?.error ?? `the server could not read it (${answer.status})`);
}

export const inWords = (error: unknown): string => (error instanceof Error ? error.message : String(error));
