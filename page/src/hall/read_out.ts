// Numbers beside the hall: relative pose commanded, actual and their difference, zones, clearance, the bridge, what is measured.
import type { Desk } from "../desk";
import { el, say } from "../dom";
import { DEG, fixed } from "../numbers";
import type { PoolRecord } from "../record";
import { relativePose, type PoseNumbers } from "./relative_pose";
import type { SharedHall } from "./shared_hall";
import { zoneColour } from "./view";

type Row = [string, string, number, (p: PoseNumbers) => number];
export const RANGE: Row = ["range", "m", 4, (p) => p.range_m];
export const COMPONENTS: Row[] = [
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
  const relative = poseTable(desk, [RANGE, ...COMPONENTS], relativePose);
  const facts = factTable(desk, hall);
  const element = el("div.hall-readout", null, el("h2", null, "Relative pose, port 1 in port 2"), relative.element, el("h2", null, "Safety and bridge"), facts.element);
  return { element, update: () => (relative.update(), facts.update()) };
}

/** So near pitch = ±90 deg roll and yaw are not told apart: only their sum or difference means something. */
function locked(pose: PoseNumbers): boolean {
  return Math.abs(Math.abs(pose.rpy_rad[1] * DEG) - 90) < 1;
}

/** Numbers of a pose, commanded, actual and their difference. */
export function poseTable(desk: Desk, numbers: Row[], poseOf: (record: PoolRecord, which: "commanded" | "actual") => PoseNumbers): ReadOut {
  const cells = numbers.map(() => [el("td.num.commanded"), el("td.num.actual"), el("td.num.difference")] as const);
  const head = el("tr", null, el("th", null, ""), el("th.num", null, "commanded"), el("th.num", null, "actual"), el("th.num", null, "diff."));
  const rows = numbers.map(([name, unit], k) => el("tr", null, el("td", null, `${name} `, el("span.muted", null, unit)), ...cells[k]!));
  const update = () => {
    if (!desk.record) return;
    const [commanded, actual] = [poseOf(desk.record, "commanded"), poseOf(desk.record, "actual")];
    numbers.forEach(([name, unit, digits, of], k) => {
      const [c, a] = [of(commanded), of(actual)];
      const apart = unit === "deg" ? ((((a - c + 180) % 360) + 360) % 360) - 180 : a - c;
      const difference = locked(commanded) && (name === "roll" || name === "yaw") ? NaN : apart;
      [c, a, difference].forEach((value, column) => say(cells[k]![column]!, fixed(value, digits)));
    });
  };
  return { element: el("table.live", null, el("thead", null, head), el("tbody", null, ...rows)), update };
}

function factTable(desk: Desk, hall: SharedHall): ReadOut {
  const names = ["zone commanded", "zone actual", "clearance to red", "yellow layer", "bridge"] as const;
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
    measured.update();
  };
  const measured = measuredRows(hall);
  return { element: el("table.live", null, el("tbody", null, ...rows, ...measured.elements)), update };
}

/** Rows of a table: what was measured last, and its components. */
export function measuredRows(hall: SharedHall): { elements: HTMLElement[]; update(): void } {
  const [distance, components] = [el("td.num"), el("td.num.muted", { colspan: 2 })];
  const update = () => {
    const found = hall.view?.measurement();
    say(distance, found ? `${fixed(found.distance_m, 4)} m` : "–");
    say(components, found ? `along lab x y z: ${found.d_lab_m.map((d) => fixed(d, 3)).join("  ")} m` : "");
  };
  return { elements: [el("tr", null, el("td", null, "measured"), distance), el("tr", null, components)], update };
}
