// The chosen robot in all four coordinate systems, actual values.
import type { Desk } from "../desk";
import { el, fill, say } from "../dom";
import { componentsOf, ORDER, RAIL, shown, type RobotName } from "./components";
import { rangeBar, type RangeBar } from "./range_bar";

const UNITS = { IJT: "deg", IDC: "mm, deg", GLC: "m, deg", CLW: "m, deg" };

export class NumbersPanel {
  private readonly title = el("span");
  private readonly body = el("tbody");
  readonly element = el(
    "section.panel.numbers", { "aria-label": "actual values" },
    el("h2", null, this.title),
    el("div.scroll", null, el("table.live", null, el("thead", null, el("tr", null, ...ORDER.map((system) => el("th.num", null, system, el("small", null, ` ${UNITS[system]}`))))), this.body)),
  );
  private cells: (() => void)[] = [];

  constructor(private readonly desk: Desk) {}

  show(robot: RobotName): void {
    this.cells = [];
    say(this.title, `${robot === "robot1" ? "Robot 1" : "Robot 2"}, actual`);
    const rows = [0, 1, 2, 3, 4, 5].map((k) => el("tr", null, ...ORDER.map((system) => this.cell(componentsOf(system, robot)[k]!))));
    const rail = this.cell(RAIL);
    rail.setAttribute("colspan", "1");
    fill(this.body, ...rows, el("tr.rail", null, rail, el("td.muted", { colspan: 3 }, "mm, on the rail")));
  }

  update(): void {
    for (const cell of this.cells) cell();
  }

  private cell(component: ReturnType<typeof componentsOf>[number]): HTMLElement {
    const value = el("span");
    const bar: RangeBar | null = component.axis >= 0 ? rangeBar(this.desk, component.axis, false) : null;
    this.cells.push(() => {
      say(value, shown(component, this.desk.system("actual", component.system)));
      bar?.update();
    });
    return el("td.num", null, el("span.what", null, component.label), value, bar?.element);
  }
}
