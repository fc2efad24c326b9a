import { el } from "../dom";
import type { Page } from "../page";

export const mcu: Page = {
  id: "mcu",
  title: "MCU",
  mount(root) {
    root.append(el("div.empty", null, "MCU"));
    return { update() {} };
  },
};
