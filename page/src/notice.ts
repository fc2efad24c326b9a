// Short notices at the foot of the page: what was refused and why. They go away by themselves; the events stay.
import { el } from "./dom";

const SHOWN_MS = 7000;
const MOST = 4;
const shelf = el("div.notices", { role: "status", "aria-live": "polite" });

export function noticeShelf(): HTMLElement {
  return shelf;
}

export function notice(text: string, kind: "ok" | "warn" | "bad" = "warn"): void {
  const last = shelf.lastElementChild;
  if (last?.textContent === text) last.remove();
  const made = el(`div.notice.${kind}`, { onclick: () => made.remove() }, text);
  shelf.append(made);
  while (shelf.children.length > MOST) shelf.firstElementChild?.remove();
  setTimeout(() => made.remove(), SHOWN_MS);
}
