// What is said of a sensor's newest sight: how old it is, whether it is the same again, whether there is any.
import type { SensorInfo } from "../messages";
import { fixed } from "../numbers";
import type { Sight } from "./sight";

const OLD_MS = 1000; // or three of the sensor's periods
const FROZEN = 2; // sights that are the same as the one before: noise never repeats itself

export interface Said {
  text: string;
  kind: "ok" | "warn" | "bad" | "";
}

export function saidOf(sensor: SensorInfo, sight: Sight | undefined, ageMs: number, trouble: string, connected: boolean): Said {
  if (!sight) return { text: trouble ? "no image" : "no image yet", kind: trouble ? "bad" : "" };
  if (sight.trouble) return { text: sight.trouble, kind: "bad" };
  const old = Number.isFinite(ageMs) ? `${inWords(ageMs)} old` : "of unknown age";
  if (trouble || !connected) return { text: old, kind: "bad" };
  if (!(ageMs <= Math.max(OLD_MS, 3000 / sensor.rate_hz))) return { text: `${old}, no newer one`, kind: "warn" };
  if (sight.same >= FROZEN) return { text: `frozen: the same to the bit, ${sight.same + 1} times`, kind: "warn" };
  return { text: old, kind: "ok" };
}

/** 0.2 s, 3 s, 4 min. */
export function inWords(ms: number): string {
  const seconds = Math.max(0, ms) / 1000;
  if (seconds < 10) return `${fixed(seconds, seconds < 1 ? 2 : 1)} s`;
  if (seconds < 120) return `${fixed(seconds, 0)} s`;
  return seconds < 7200 ? `${fixed(seconds / 60, 0)} min` : `${fixed(seconds / 3600, 0)} h`;
}
