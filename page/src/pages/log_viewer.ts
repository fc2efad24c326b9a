import { el } from "../dom";
import type { Page } from "../page";

export const logViewer: Page = {
  id: "logs",
  title: "Log Viewer",
  mount(root) {
    root.append(el("div.empty", null, "Log Viewer"));
    return { update() {} };
  },
};
