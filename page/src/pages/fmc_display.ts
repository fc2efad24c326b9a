import { el } from "../dom";
import type { Page } from "../page";

export const fmcDisplay: Page = {
  id: "fmc",
  title: "FMC Display",
  mount(root) {
    root.append(el("div.empty", null, "FMC Display"));
    return { update() {} };
  },
};
