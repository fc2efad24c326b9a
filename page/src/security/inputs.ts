// The interlock inputs as an operator speaks of them: words for their states, what they forbid, and simulating them.
import { reasonOf } from "../button";
import type { Desk } from "../desk";
import type { InterlockInput } from "../messages";
import { notice } from "../notice";

export type Kind = InterlockInput["kind"];

interface KindWords {
  what: string;
  healthy: string;
  open: string;
  cure: string; // what a person does about it
}

export const KINDS: Record<Kind, KindWords> = {
  estop: { what: "emergency stop", healthy: "ready", open: "PRESSED", cure: "see that nobody is in danger, then pull out" },
  door: { what: "door", healthy: "closed", open: "OPEN", cure: "close" },
  gate: { what: "rolling gate", healthy: "closed", open: "OPEN", cure: "close" },
  fence: { what: "fence", healthy: "closed", open: "OPEN", cure: "close" },
  laser: { what: "laser circuit", healthy: "closed", open: "OPEN", cure: "close the circuit of" },
  power: { what: "drive power", healthy: "on", open: "OFF", cure: "switch on" },
};

/** Name in a list of one kind: without the kind in front. */
export function shortName(input: InterlockInput): string {
  return plain(input).replace(/^(estop|door|gate|laser|drive power) /, "");
}

/** Name on the plan, where only the symbols of e-stops and doors speak for themselves. */
export function planName(input: InterlockInput): string {
  return plain(input).replace(/^(estop|door|drive) /, "");
}

const plain = (input: InterlockInput) => input.name.replace(/_/g, " ").replace(/robot(\d)/g, "robot $1");

export function stateWord(kind: Kind, open: boolean): string {
  return open ? KINDS[kind].open : KINDS[kind].healthy;
}

/** What motion an open input still allows. */
export function stillAllows(desk: Desk, input: InterlockInput): string {
  const share = (desk.hello?.jog.reduced_share ?? NaN) * 100;
  return input.allows.includes("MANUAL") ? `manual jog at ${share.toFixed(0)} % of its speed` : "no motion";
}

/** Why an input cannot be simulated now; empty when it can. */
export function reasonOfSimulation(desk: Desk): string {
  const hardware = desk.word("state.hardware");
  return reasonOf(desk, "interlock") || (desk.stale ? "the facility is silent" : hardware === "SIMULATION" ? "" : `hardware is ${hardware}: inputs come from the hall`);
}

/** Open a healthy input, or close an open one, in the virtual hall. */
export function simulate(desk: Desk, input: InterlockInput): void {
  const reason = reasonOfSimulation(desk);
  if (reason) {
    notice(`${input.name} cannot be simulated: ${reason}`, "warn");
    return;
  }
  const healthy = desk.openInterlocks().includes(input.name);
  void desk.ask("interlock", { name: input.name, healthy }).then((reply) => {
    if (!reply.ok) notice(reply.error ?? `${input.name}: refused`, "bad");
  });
}
