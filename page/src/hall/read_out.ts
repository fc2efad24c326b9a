// Numbers beside the hall: relative pose commanded, actual and their difference, zones, clearance, the bridge, what is measured.
import type { Desk } from "../desk";
import { el, say } from "../dom";
import { DEG, fixed } from "../numbers";
import { relativePose, type RelativePose } from "./relative_pose";
import type { SharedHall } from "./shared_hall";
import { zoneColour } from "./view";

const ROWS: [string, string, number, (p: RelativePose) => number][] = [
  ["range", "m", 4, (p) => p.range_m],
  ["x", "m", 4, (p) => p.xyz_m[0]],
  ["y", "m", 4, (p) => p.xyz_m[1]],
  ["z", "m", 4, (p) => p.xyz_m[2]],
  ["roll", "deg", 3, (p) => p.rpy_rad[0] * DEG],
  ["pitch", "deg", 3, (p) => p.rpy_rad[1] * DEG],
  ["yaw", "deg", 3, (p) => p.rpy_rad[2] * DEG],
];

export interface ReadOut {
  element: HTMLElement;
  update(): void;
}

export function readOut(desk: Desk, hall: SharedHall): ReadOut {
  const relative = relativeTable(desk);
  const facts = factTable(desk, hall);
  const element = el("div.hall-readout", null, el("h2", null, "Relative pose, port 1 in port 2"), relative.element, el("h2", null, "Safety and bridge"), facts.element);
  return { element, update: () => (relative.update(), facts.update()) };
}

function relativeTable(desk: Desk): ReadOut {
  const cells = ROWS.map(() => [el("td.num.commanded"), el("td.num.actual"), el("td.num.difference")] as const);
  const head = el("tr", null, el("th", null, ""), el("th.num", null, "commanded"), el("th.num", null, "actual"), el("th.num", null, "diff."));
  const rows = ROWS.map(([name, unit], k) => el("tr", null, el("td", null, `${name} `, el("span.muted", null, unit)), ...cells[k]!));
  const update = () => {
    if (!desk.record) return;
    const [commanded, actual] = [relativePose(desk.record, "commanded"), relativePose(desk.record, "actual")];
    ROWS.forEach(([, unit, digits, of], k) => {
      const [c, a] = [of(commanded), of(actual)];
      const difference = unit === "deg" ? ((((a - c + 180) % 360) + 360) % 360) - 180 : a - c;
      [c, a, difference].forEach((value, column) => say(cells[k]![column]!, fixed(value, digits)));
    });
  };
  return { element: el("table.live", null, el("thead", null, head), el("tbody", null, ...rows)), update };
}

function factTable(desk: Desk, hall: SharedHall): ReadOut {
  const names = ["zone commanded", "zone actual", "clearance to red", "yellow layer", "bridge", "measured"] as const;
  const values = names.map(() => el("td.num"));
  const rows = names.map((name, k) => el("tr", null, el("td", null, name), values[k]!));
  const update = () => {
    const zones = [desk.word("bridge.commanded_zone"), desk.word("bridge.actual_zone")];
    zones.forEach((word, k) => {
      const judged = desk.record !== null && desk.word("bridge.phase") !== "IDLE"; // zones are the bridge's
      say(values[k]!, judged ? word : "–");
      values[k]!.style.color = judged ? zoneColour(word) : "";
    });
    say(values[2]!, `${fixed(desk.value("bridge.actual_clearance"), 3)} m`);
    say(values[3]!, `${fixed(desk.value("bridge.yellow"), 3)} m`);
    say(values[4]!, desk.record ? desk.word("bridge.phase") : "–");
    const found = hall.view?.measurement();
    say(values[5]!, found ? `${fixed(found.distance_m, 4)} m` : "–");
    say(components, found ? `along lab x y z: ${found.d_lab_m.map((d) => fixed(d, 3)).join("  ")} m` : "");
  };
  const components = el("td.num.muted", { colspan: 2 });
  return { element: el("table.live", null, el("tbody", null, ...rows, el("tr", null, components))), update };
}
