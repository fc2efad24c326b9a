// RvD View: the hall as it stands, with the approach in numbers.
import "../hall/hall.css";
import { el } from "../dom";
import { hallPanel } from "../hall/panel";
import { readOut } from "../hall/read_out";
import { sharedHall } from "../hall/shared_hall";
import { tools } from "../hall/tools";
import type { Page } from "../page";

export { hallPanel } from "../hall/panel";

export const rvdView: Page = {
  id: "rvd",
  title: "RvD View",
  mount(root, desk) {
    const panel = hallPanel(desk);
    const hall = sharedHall(desk);
    const column = tools(hall);
    const numbers = readOut(desk, hall);
    root.append(el("div.panel.hall-column", null, column.element), panel.element, el("div.panel.hall-column", null, numbers.element));
    panel.enter();
    return {
      update() {
        panel.update();
        column.update();
        numbers.update();
      },
      enter: panel.enter,
      leave: panel.leave,
    };
  },
};
