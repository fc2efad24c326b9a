// How a jog goes: how fast, continuously or by steps, and what that means until standstill. Kept while the page is open.
import type { Desk } from "../desk";
import type { JogLimits } from "../messages";
import { DEG } from "../numbers";
import { HOLD_MS } from "./hold_button";

export const STEPS_MM = [0.1, 1, 10, 100];
export const STEPS_DEG = [0.01, 0.1, 1, 10];
export const STOPPED_MS = 100; // rest after the last sign of life, unless asked otherwise
const CYCLE_MS = 4; // a heartbeat may end just after a cycle has begun

export interface Settings {
  share: number; // of the cell's jog speed, 0.01 … 1
  faster: boolean; // also what takes longer than STOPPED_MS to stop
  stepping: boolean;
  stepMm: number;
  stepDeg: number;
}

export function firstSettings(): Settings {
  return { share: 0.1, faster: false, stepping: false, stepMm: 1, stepDeg: 0.1 };
}

/** The most, in whole percent, from which the drives come to rest within STOPPED_MS of the last heartbeat. */
export function mostShare(limits: JogLimits): number {
  const percent = Math.floor((STOPPED_MS - CYCLE_MS - HOLD_MS) / (10 * limits.ramp_s) + 1e-9);
  return Math.min(Math.max(percent, 1), 100) / 100;
}

/** Step of a press in m or rad; nothing when it runs continuously. */
export function stepOf(settings: Settings, turning: boolean): { step?: number } {
  if (!settings.stepping) return {};
  return { step: turning ? settings.stepDeg / DEG : settings.stepMm / 1000 };
}

export interface Pace {
  capped: boolean; // the open fence allows less than was chosen
  share: number;
  speedMmS: number;
  rateDegS: number;
  fadeMs: number; // from this speed to rest, once the facility lets it fade
  letGoMm: number; // way of the set-point after a release has come
  letGoDeg: number;
  lostMs: number; // to rest, when heartbeats just stay away
  lostMm: number;
  lostDeg: number;
}

/** What the chosen share comes to. The way is v (hold + fade / 2): full speed while a heartbeat counts, then an even ramp. */
export function paceOf(limits: JogLimits, chosen: number, fenceOpen: boolean): Pace {
  const share = fenceOpen ? Math.min(chosen, limits.reduced_share) : chosen;
  const [speedMmS, rateDegS] = [share * limits.speed_m_s * 1000, share * limits.rate_rad_s * DEG];
  const [fade, hold] = [limits.ramp_s * share, HOLD_MS / 1000];
  return {
    capped: share < chosen, share, speedMmS, rateDegS,
    fadeMs: fade * 1000, letGoMm: (speedMmS * fade) / 2, letGoDeg: (rateDegS * fade) / 2,
    lostMs: (hold + fade) * 1000, lostMm: speedMmS * (hold + fade / 2), lostDeg: rateDegS * (hold + fade / 2),
  };
}

export function fenceOpen(desk: Desk): boolean {
  const open = new Set(desk.openInterlocks());
  return (desk.hello?.interlocks ?? []).some((input) => input.kind === "fence" && open.has(input.name));
}
