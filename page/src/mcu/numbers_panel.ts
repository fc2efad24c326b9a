// The chosen robot in all coordinate systems that the cell has, actual values.
import type { Desk } from "../desk";
import { el, fill, say } from "../dom";
import { robotText } from "../cell";
import { rowsOf, shown, type Component, type RobotName } from "./components";
import type { SystemName } from "../messages";
import { rangeBar, type RangeBar } from "./range_bar";

const isRail = (component: Component) => component.name === "rail";
const UNITS = { IJT: "deg", IDC: "mm, deg", GLC: "m, deg", CLW: "m, deg" };

export class NumbersPanel {
  private readonly title = el("span");
  private readonly head = el("tr");
  private readonly body = el("tbody");
  readonly element = el(
    "section.panel.numbers", { "aria-label": "actual values" },
    el("h2", null, this.title),
    el("div.scroll", null, el("table.live", null, el("thead", null, this.head), this.body)),
  );
  private cells: (() => void)[] = [];

  constructor(private readonly desk: Desk) {}

  show(robot: RobotName, systems: readonly SystemName[]): void {
    this.cells = [];
    say(this.title, `${robotText(robot).replace("r", "R")}, actual`);
    fill(this.head, ...systems.map((system) => el("th.num", null, system, el("small", null, ` ${UNITS[system]}`))));
    const columns = systems.map((system) => rowsOf(this.desk.hello, system, robot));
    const [rail, turning] = [columns[0]!.find(isRail), columns.map((column) => column.filter((component) => !isRail(component)))];
    const rows = turning[0]!.map((_, k) => el("tr", null, ...turning.map((column) => this.cell(column[k]!))));
    fill(this.body, ...rows, rail && el("tr.rail", null, this.cell(rail), el("td.muted", { colspan: 3 }, "mm, on the rail")));
  }

  update(): void {
    for (const cell of this.cells) cell();
  }

  private cell(component: Component): HTMLElement {
    const value = el("span");
    const bar: RangeBar | null = component.axis >= 0 ? rangeBar(this.desk, component.axis, false) : null;
    this.cells.push(() => {
      say(value, shown(component, this.desk.system("actual", component.system)));
      bar?.update();
    });
    return el("td.num", null, el("span.what", null, component.label), value, bar?.element);
  }
}
