// RvD View: the hall as it stands, with the approach in numbers.
import "../hall/hall.css";
import "../sensors/sensors.css";
import { el } from "../dom";
import { hallPanel } from "../hall/panel";
import { flangeReadOut } from "../hall/flange_read_out";
import { readOut } from "../hall/read_out";
import { sharedHall } from "../hall/shared_hall";
import { tools } from "../hall/tools";
import type { Page } from "../page";
import { sharedEyes } from "../sensors/eyes";
import { EyeInset } from "../sensors/inset";

export { hallPanel } from "../hall/panel";

export const rvdView: Page = {
  id: "rvd",
  title: "RvD View",
  titleOfArms: "Cell View",
  mount(root, desk) {
    const panel = hallPanel(desk);
    const hall = sharedHall(desk);
    const column = tools(hall);
    const [numbers, flanges] = [readOut(desk, hall), flangeReadOut(desk, hall)];
    const eye = new EyeInset(desk, sharedEyes(desk));
    root.append(el("div.panel.hall-column", null, column.element), panel.element, el("div.hall-side", null, el("div.panel.hall-column.of-hall", null, numbers.element), el("div.panel.hall-column.of-arms", null, flanges.element), eye.element));
    panel.enter();
    eye.look(true);
    return {
      update() {
        panel.update();
        column.update();
        eye.update();
        (desk.hello?.hall === false ? flanges : numbers).update();
      },
      enter: () => (panel.enter(), eye.look(true)),
      leave: () => (panel.leave(), eye.look(false)),
    };
  },
};
