// The hall as a part of a page.
import type { Desk } from "../desk";
import { el } from "../dom";
import { sharedHall } from "./shared_hall";

export interface HallPanel {
  element: HTMLElement;
  update(): void;
  enter(): void;
  leave(): void;
}

/** A place for the shared hall. It comes when the page is in front; call `leave` when another page is. */
export function hallPanel(desk: Desk): HallPanel {
  const element = el("div.hall-place");
  const hall = sharedHall(desk);
  const enter = () => hall.moveTo(element);
  return { element, enter, update: enter, leave: () => hall.leave(element) };
}
