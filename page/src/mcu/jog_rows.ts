// The rows of the manual control unit: minus, value, plus, and for an axis where it stands in its range.
import type { Desk } from "../desk";
import { el, fill, mark, say } from "../dom";
import type { SystemName } from "../messages";
import { rowsOf, shown, type Component, type RobotName } from "./components";
import { holdButton, type Hand } from "./hold_button";
import { rangeBar } from "./range_bar";
import { stepOf, type Settings } from "./settings";

interface Row {
  element: HTMLElement;
  update(reason: string): void;
}

export class JogRows {
  readonly element = el("div.jog-rows");
  private rows: Row[] = [];

  constructor(
    private readonly desk: Desk,
    private readonly hand: Hand,
    private readonly settings: Settings,
  ) {}

  /** Show another robot or system; what is held is let go of. */
  show(robot: RobotName, system: SystemName): void {
    this.hand.letGo();
    this.rows = rowsOf(this.desk.hello, system, robot).map((component) => this.row(component));
    fill(this.element, ...this.rows.map((row) => row.element));
  }

  /** `reason`: why nothing can be jogged now. */
  update(reason: string): void {
    for (const row of this.rows) row.update(reason);
  }

  private row(component: Component): Row {
    const orders = (direction: 1 | -1) => () => ({
      system: component.system, robot: component.robot, component: component.name, direction, speed: this.settings.share,
      ...stepOf(this.settings, component.turning),
    });
    const buttons = ([["−", "minus", -1], ["+", "plus", 1]] as const).map(([sign, word, direction]) => holdButton(this.hand, sign, `${component.meaning} ${word}`, orders(direction)));
    const value = el("span.value.num.live");
    const bar = component.axis >= 0 ? rangeBar(this.desk, component.axis, true) : null;
    const name = el("span.name", null, component.label, component.name === "rail" && this.desk.hello?.hall !== false && el("small", null, "carries robot 1"));
    const element = el(`div.jog-row${component.name === "rail" ? ".rail" : ""}`, { "data-component": component.name }, name, buttons[0], el("div.read", null, el("div", null, value, el("span.unit", null, component.unit)), bar?.element), buttons[1]);
    return {
      element,
      update: (reason) => {
        say(value, shown(component, this.desk.system("actual", component.system)));
        bar?.update();
        for (const each of buttons) {
          if (each.title !== reason) each.title = reason;
          if (each.getAttribute("aria-disabled") !== String(reason !== "")) each.setAttribute("aria-disabled", String(reason !== ""));
        }
        mark(element, "moving", buttons.some((each) => each.classList.contains("held")));
      },
    };
  }
}
