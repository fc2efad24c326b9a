// The operator's sequence: hardware, drives, source, move to start in the order chosen, confirm, reset.
import { requestButton, type Button } from "../button";
import type { Desk } from "../desk";
import { el, mark, say } from "../dom";
import { hallNow } from "./hall_now";

const ORDERS = ["rail,robot1,robot2", "rail,robot2,robot1", "robot1,rail,robot2", "robot1,robot2,rail", "robot2,rail,robot1", "robot2,robot1,rail"];
const SOURCES: [string, string, string][] = [
  ["bridge", "Bridge", "two spacecraft in any frame, over UDP"],
  ["sync", "Sync", "22 doubles every 4 ms, over UDP"],
  ["async", "Async file", "a trajectory file, line by line"],
  ["manual", "Manual", "the buttons of the MCU page"],
  ["sine", "Sine", "a test wave on one axis; set and started on the MCU page"],
  ["none", "None", "let go, braking first"],
];

const OF_A_HALL = ["bridge", "sync", "async"];

export interface Operation {
  element: HTMLElement;
  update(): void;
}

export function operation(desk: Desk): Operation {
  const sources = new Map<string, Button>();
  for (const [source, label, about] of SOURCES) {
    const made = requestButton(desk, label, `select ${source}`, "select", () => ({ source }));
    made.element.dataset.about = about;
    mark(made.element, "of-hall", OF_A_HALL.includes(source));
    sources.set(source.toUpperCase(), made);
  }
  const hardware = {
    SIMULATION: requestButton(desk, "Simulation", "hardware simulation", "hardware", () => ({ kind: "simulation" })),
    REAL: requestButton(desk, "Real hardware", "hardware real", "hardware", () => ({ kind: "real" })),
  };
  const drives = { on: requestButton(desk, "Drives on", "drives on", "drives", () => ({ on: true })), off: requestButton(desk, "Drives off", "drives off", "drives", () => ({ on: false })) };
  const order = el("select#order", { "aria-label": "order of the move to start" }, ...ORDERS.map((o) => el("option", { value: o }, o.replaceAll(",", " → ").replaceAll("robot", "robot ")))) as HTMLSelectElement;
  const move = requestButton(desk, "Move to start", "move_to_start", "move_to_start", () => ({ order: order.value }), "primary");
  const confirm = requestButton(desk, "Confirm", "confirm", "confirm", () => ({}), "primary");
  const accept = requestButton(desk, "Accept client", "accept", "accept", () => ({}));
  accept.element.dataset.about = "let the client that waits at the bridge move the hall";
  for (const { element: each } of [move, confirm, accept]) mark(each, "of-hall", true);
  const reset = requestButton(desk, "Reset", "reset", "reset", () => ({}));
  const reason = el("div.reason");
  const now = hallNow(desk);
  const moving = el("span.muted");
  const element = el(
    "div.panel.operation",
    null,
    el("h2", null, "Hardware and drives"),
    el("div.row", null, hardware.SIMULATION.element, hardware.REAL.element),
    el("div.row", null, drives.on.element, drives.off.element),
    el("h2", null, "Source"),
    el("div.sources", null, ...[...sources.values()].map((s) => s.element)),
    el("h2", null, el("span.of-hall", null, "Run ", moving), el("span.of-arms", null, "After a stop")),
    el("div.row.of-hall", null, order),
    el("div.row", null, move.element, confirm.element, accept.element, reset.element),
    reason,
    now.element,
  );
  // The reason for a disabled button is shown where the eye is, for mouse and keyboard.
  for (const event of ["pointerover", "focusin"]) {
    element.addEventListener(event, (e) => {
      const over = (e.target as Element).closest("button");
      if (over) say(reason, over.title || over.dataset.about || "");
    });
  }
  element.addEventListener("pointerleave", () => say(reason, ""));

  return {
    element,
    update() {
      now.update();
      const source = desk.word("state.source");
      for (const [name, made] of sources) mark(made.element, "on", name === source && source !== "NONE");
      for (const [name, made] of Object.entries(hardware)) mark(made.element, "on", desk.word("state.hardware") === name);
      const on = desk.value("state.drives") === 1;
      mark(drives.on.element, "on", on);
      mark(move.element, "on", desk.mode === "MOVING_TO_START");
      say(moving, desk.mode === "MOVING_TO_START" ? `moving ${String(desk.status?.moving_unit ?? "")}` : "");
    },
  };
}
