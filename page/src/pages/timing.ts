import { el } from "../dom";
import type { Page } from "../page";

export const timing: Page = {
  id: "timing",
  title: "Timing",
  mount(root) {
    root.append(el("div.empty", null, "Timing"));
    return { update() {} };
  },
};
