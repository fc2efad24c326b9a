// What an operator does next, in plain words and in order, from what is open, what has stopped and the mode.
import type { Desk } from "../desk";
import type { InterlockInput } from "../messages";
import { KINDS } from "./inputs";
import type { StopWords } from "./stop_words";

export interface Verdict {
  word: string;
  kind: "ok" | "warn" | "bad";
}

/** In few words whether motion is possible. */
export function verdict(desk: Desk, open: InterlockInput[], stop: StopWords | null): Verdict {
  if (!desk.connected || desk.stale) return { word: "Not known: no fresh data", kind: "bad" };
  if (desk.mode === "STOPPED" || desk.mode === "STOPPING") return { word: stop ? `Stopped by ${stop.rule}` : "Stopped", kind: "bad" };
  if (open.some((input) => input.kind !== "fence")) return { word: "Motion is forbidden", kind: "bad" };
  if (open.length) return { word: "Only manual jog at reduced speed", kind: "warn" };
  if (desk.mode === "STANDBY" || desk.mode === "RELEASING") return { word: "Allowed; drives are off", kind: "warn" };
  return { word: "Motion is allowed", kind: "ok" };
}

export function nextSteps(desk: Desk, open: InterlockInput[], stop: StopWords | null): string[] {
  if (!desk.connected) return ["Wait for the connection, or go to the hall: hardware emergency stops work without the console."];
  if (desk.stale) return ["The facility is silent: look whether its process runs."];
  const steps = open.map((input) => `${capital(KINDS[input.kind].cure)} ${input.name}.`);
  if (desk.mode === "STOPPING") return [...steps, "Wait until the robots stand."];
  if (desk.mode === "STOPPED") return [...steps, ...afterStop(desk, stop)];
  if (steps.length) return steps;
  return [STEP_OF_MODE[desk.mode] ?? "Nothing: the hall is at work."];
}

function afterStop(desk: Desk, stop: StopWords | null): string[] {
  const reset = stop?.causes.length ? "Then reset." : "Reset.";
  if (desk.value("state.drives") !== 1) return [reset, "Switch the drives on again."];
  if (stop?.rule === "COLLISION_ZONE") return [reset, "Select manual and jog out of the red zone (MCU)."];
  if (stop?.numbers.length) return [reset, "Change what was commanded, or it will stop there again."];
  return [reset, "Choose a source again."];
}

const STEP_OF_MODE: Record<string, string> = {
  STANDBY: "Switch the drives on.",
  RELEASING: "Wait until the brakes are open.",
  READY: "Choose a source (Command Center, or MCU for manual).",
  MANUAL: "Jog (MCU), or select none.",
  SINE: "Start a sine test (MCU), or select none.",
  ARMED: "Move to start (Command Center).",
  AT_START: "Confirm (Command Center).",
};

const capital = (text: string) => text[0]!.toUpperCase() + text.slice(1);
