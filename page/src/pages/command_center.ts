import { el } from "../dom";
import type { Page } from "../page";

export const commandCenter: Page = {
  id: "command",
  title: "Command Center",
  mount(root) {
    root.append(el("div.empty", null, "Command Center"));
    return { update() {} };
  },
};
