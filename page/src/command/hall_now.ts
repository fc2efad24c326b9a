// What the hall does now, in a few lines: what stands in the way, how near it is to anything, whether all is recorded.
import type { Desk } from "../desk";
import { el, say } from "../dom";
import { fixed } from "../numbers";

export interface HallNow {
  element: HTMLElement;
  update(): void;
}

type Reading = [string, string]; // text, colour class
const ZONE_COLOURS: Record<string, string> = { GREEN: "ok", YELLOW: "warn", RED: "bad" };

const OF_A_HALL = ["bridge", "zones, commanded", "zones, actual", "clearance to red"];
const READINGS: [string, (desk: Desk) => Reading][] = [
  ["interlocks", interlocks],
  ["bridge", bridge],
  ["zones, commanded", (desk) => zone(desk, "bridge.commanded_zone")],
  ["zones, actual", (desk) => zone(desk, "bridge.actual_zone")],
  ["clearance to red", (desk) => metres(desk.value("bridge.actual_clearance"), desk)],
  ["axis range left", (desk) => share(desk.value("margin.axis_range"))],
  ["axis speed left", (desk) => share(desk.value("margin.speed"))],
  ["cycles missed", missed],
  ["alarms", alarms],
];

export function hallNow(desk: Desk): HallNow {
  const rows = READINGS.map(([name, read]) => ({ value: el("td.num"), name, read }));
  const table = el("table.live", null, el("tbody", null, ...rows.map((row) => el(OF_A_HALL.includes(row.name) ? "tr.of-hall" : "tr", null, el("td", null, row.name), row.value))));
  return {
    element: el("div.hall-now", null, el("h2", null, el("span.of-hall", null, "Hall now"), el("span.of-arms", null, "Cell now")), table),
    update() {
      for (const row of rows) {
        const [text, colour]: Reading = desk.record ? row.read(desk) : ["–", "muted"];
        say(row.value, text);
        row.value.className = `num ${colour}`;
      }
    },
  };
}

function interlocks(desk: Desk): Reading {
  const open = desk.openInterlocks();
  return open.length ? [open.length === 1 ? `${open[0]} open` : `${open.length} open`, "bad"] : ["all healthy", "ok"];
}

function bridge(desk: Desk): Reading {
  const [phase, cause] = [desk.word("bridge.phase"), desk.word("bridge.cause")];
  if (phase === "IDLE") return ["not selected", "muted"];
  return cause === "NONE" ? [phase.toLowerCase(), phase === "FOLLOWING" ? "ok" : ""] : [`${phase}: ${cause}`.toLowerCase().replaceAll("_", " "), "warn"];
}

function zone(desk: Desk, path: string): Reading {
  if (desk.word("bridge.phase") === "IDLE") return ["–", "muted"];
  const word = desk.word(path);
  return [word.toLowerCase(), ZONE_COLOURS[word] ?? ""];
}

function metres(value: number, desk: Desk): Reading {
  return desk.word("bridge.phase") === "IDLE" ? ["–", "muted"] : [`${fixed(value, 3)} m`, ""];
}

function share(value: number): Reading {
  return [`${fixed(100 * value, 1)} %`, value < 0.05 ? "warn" : ""];
}

function missed(desk: Desk): Reading {
  const count = desk.value("timing.missed");
  return [`${fixed(count, 0)} of ${fixed(desk.value("clock.tick"), 0)}`, count > 0 ? "warn" : "ok"];
}

function alarms(desk: Desk): Reading {
  const names = (desk.status?.alarms ?? []) as string[];
  return names.length ? [names.join(", ").replaceAll("_", " "), "warn"] : ["none", "ok"];
}
