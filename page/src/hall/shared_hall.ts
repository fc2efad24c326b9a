// The one live view of the hall: shown by whichever page is in front, moved there with its canvas. Never a second WebGL context.
import type { Desk } from "../desk";
import { el, mark, say } from "../dom";
import { notice } from "../notice";
import { fetchOwn } from "../visitor";
import type { HallDescription } from "./description";
import { openHall } from "./open";
import { relativePose } from "./relative_pose";
import type { HallView } from "./view";

export class SharedHall {
  readonly element = el("div.hall");
  view: HallView | null = null;
  description: HallDescription | null = null;
  private readonly said = el("div.hall-said");
  private trailRun = "";
  private looked = false; // a page shows it

  constructor(private readonly desk: Desk) {
    this.element.append(this.said);
    this.tell("loading the hall …");
    void this.open();
    desk.on("frame", () => this.frame());
    desk.on("run", () => this.newRun());
  }

  /** Show the hall in `container`, taking it from wherever it was. */
  moveTo(container: HTMLElement): void {
    if (this.element.parentElement !== container) container.prepend(this.element);
    if (this.looked) return;
    this.looked = true;
    this.view?.pause(false);
    this.frame(); // as it stands now
  }

  /** Nobody looks, unless another page has taken it meanwhile. */
  leave(container: HTMLElement): void {
    if (this.element.parentElement !== container) return;
    this.looked = false;
    this.view?.pause(true);
  }

  private async open(): Promise<void> {
    try {
      this.description = await fetchDescription();
      this.view = await openHall(this.element, this.description);
    } catch (error) {
      this.tell(`The hall cannot be drawn: ${error instanceof Error ? error.message : String(error)}. Trying again.`);
      setTimeout(() => void this.open(), 2000);
      return;
    }
    window.proxops.hall = this.view;
    this.view.pause(!this.looked);
    this.tell("");
    this.frame();
  }

  /** In the middle, where there is no picture yet. */
  private tell(text: string): void {
    mark(this.said, "alone", text !== "");
    say(this.said, text);
  }

  private frame(): void {
    const { desk, view } = this;
    if (!view || !desk.record) return;
    if (desk.hello?.hall) view.addTrail(relativePose(desk.record, "actual").xyz_m); // also while nobody looks
    if (!this.looked) return;
    say(this.said, view.text);
    view.setAxes("actual", desk.axes("actual"));
    view.setAxes("commanded", desk.axes("setpoint"));
    view.setZones(desk.word("bridge.commanded_zone"), desk.word("bridge.actual_zone"), desk.value("bridge.yellow"));
  }

  /** A new run has a new trail. */
  private newRun(): void {
    const run = this.desk.run;
    if (!run || run.phase !== "starting" || run.name === this.trailRun) {
      if (run && run.phase !== "starting") this.trailRun = "";
      return;
    }
    this.trailRun = run.name;
    this.view?.clearTrail();
  }

  /** Show a CAD file of the operator's own: on this page only. */
  chooseCad(robot: 1 | 2, file: File): void {
    void this.view?.loadCad(robot, file).then(
      () => notice(`${file.name} stands in for the mock-up of robot ${robot}, on this page only`, "ok"),
      (error: Error) => notice(error.message, "bad"),
    );
  }
}

export async function fetchDescription(): Promise<HallDescription> {
  const answer = await fetchOwn("/api/hall");
  if (!answer.ok) throw new Error(`the server says ${answer.status}`);
  return (await answer.json()) as HallDescription;
}

let shared: SharedHall | null = null;

export function sharedHall(desk: Desk): SharedHall {
  shared ??= new SharedHall(desk);
  return shared;
}
