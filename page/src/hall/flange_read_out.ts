// Numbers beside a cell of arms: where its flanges are in the lab, how much its axes have left, what is measured.
import { robotsOf, robotText } from "../cell";
import type { Desk } from "../desk";
import { el, fill, say } from "../dom";
import { DEG, fixed } from "../numbers";
import { COMPONENTS, measuredRows, poseTable, type ReadOut } from "./read_out";
import { flangePose, turnBetween } from "./relative_pose";
import type { SharedHall } from "./shared_hall";

const MARGINS = [["axis range left", "margin.axis_range"], ["axis speed left", "margin.speed"]] as const;

/** Components, and the rotation between commanded and actual as one angle, which is always well defined. */
function flangeTable(desk: Desk, robot: number): ReadOut {
  const table = poseTable(desk, COMPONENTS, (record, which) => flangePose(record, which, robot));
  const turn = el("td.num.difference", { colspan: 3 });
  table.element.append(el("tbody", null, el("tr", null, el("td", null, "turn ", el("span.muted", null, "deg")), turn)));
  return {
    element: table.element,
    update() {
      table.update();
      if (desk.record) say(turn, fixed(turnBetween(flangePose(desk.record, "commanded", robot), flangePose(desk.record, "actual", robot)) * DEG, 3));
    },
  };
}

export function flangeReadOut(desk: Desk, hall: SharedHall): ReadOut {
  const flanges = el("div.hall-readout");
  let tables: ReadOut[] = [];
  const build = () => {
    const robots = desk.hello?.hall === false ? robotsOf(desk.hello.axes) : [];
    tables = robots.map((_, k) => flangeTable(desk, k + 1));
    fill(flanges, ...robots.flatMap((robot, k) => [el("h2", null, `Flange of ${robotText(robot)} in the lab`), tables[k]!.element]));
  };
  desk.on("hello", build);
  build();
  const values = MARGINS.map(() => el("td.num"));
  const measured = measuredRows(hall);
  const rows = MARGINS.map(([name], k) => el("tr", null, el("td", null, name), values[k]!));
  const element = el("div.hall-readout", null, flanges, el("h2", null, "Margins"), el("table.live", null, el("tbody", null, ...rows, ...measured.elements)));
  return {
    element,
    update() {
      for (const table of tables) table.update();
      MARGINS.forEach(([, path], k) => say(values[k]!, `${fixed(100 * desk.value(path), 1)} %`));
      measured.update();
    },
  };
}
