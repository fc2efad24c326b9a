import { el } from "../dom";
import type { Page } from "../page";

export const securityDisplay: Page = {
  id: "security",
  title: "Security Display",
  mount(root) {
    root.append(el("div.empty", null, "Security Display"));
    return { update() {} };
  },
};
