// What a page of the console is. Pages are built once, when they are first shown, and hidden afterwards.
import type { Desk } from "./desk";

export interface Page {
  readonly id: string; // in the address: #/id
  readonly title: string;
  readonly titleOfArms?: string; // where the cell is no hall
  /** Whether there is anything to show; without this there always is. */
  shown?(desk: Desk): boolean;
  /** Build the page into `root`, which fills the window below the header. */
  mount(root: HTMLElement, desk: Desk): Mounted;
}

export interface Mounted {
  /** Called about twenty times a second while the page is shown. */
  update(): void;
  /** The page is shown again. */
  enter?(): void;
  /** Another page is shown: let go of whatever is held. */
  leave?(): void;
}
