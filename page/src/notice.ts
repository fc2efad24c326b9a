// Short notices beside the tabs, where no control is: what was refused and why. They go away by themselves; the events stay.
import { el } from "./dom";

const SHOWN_MS = 7000;
const MOST = 3;
const shelf = el("div.notices", { role: "status", "aria-live": "polite" });

export function noticeShelf(): HTMLElement {
  return shelf;
}

/** Newest first. It takes the place of an older one with the same topic: "safe stop", "jog", "control", a button's label. */
export function notice(text: string, kind: "ok" | "warn" | "bad" = "warn", topic = text): void {
  for (const old of [...shelf.children] as HTMLElement[]) if (old.dataset.topic === topic) old.remove();
  const made = el(`div.notice.${kind}`, { "data-topic": topic, title: "click to put it away", onclick: () => made.remove() }, text);
  shelf.prepend(made);
  while (shelf.children.length > MOST) shelf.lastElementChild?.remove();
  setTimeout(() => made.remove(), SHOWN_MS);
}
