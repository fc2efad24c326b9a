import { el } from "../dom";
import type { Page } from "../page";

export const rvdView: Page = {
  id: "rvd",
  title: "RvD View",
  mount(root) {
    root.append(el("div.empty", null, "RvD View"));
    return { update() {} };
  },
};
