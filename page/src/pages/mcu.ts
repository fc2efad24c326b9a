// Manual control unit: jog an axis or a component of a frame while a button is held; and the sine test.
import { reasonOf, requestButton } from "../button";
import { robotsOf, robotText } from "../cell";
import type { Desk } from "../desk";
import { el, fill, mark, say } from "../dom";
import { choice } from "../mcu/choice";
import { ABOUT, ORDER, type RobotName } from "../mcu/components";
import { Hand } from "../mcu/hold_button";
import { JogRows } from "../mcu/jog_rows";
import { NumbersPanel } from "../mcu/numbers_panel";
import { pacePanel } from "../mcu/pace_panel";
import { firstSettings, STEPS_DEG, STEPS_MM, type Settings } from "../mcu/settings";
import { sinePanel } from "../mcu/sine_panel";
import type { SystemName } from "../messages";
import type { Page } from "../page";
import "./mcu.css";

const CALM = 4; // updates

export const mcu: Page = {
  id: "mcu",
  title: "MCU",
  mount(root, desk) {
    const settings = firstSettings();
    const hand = new Hand(desk, () => reasonOfJog(desk));
    const [rows, numbers, pace, sine] = [new JogRows(desk, hand, settings), new NumbersPanel(desk), pacePanel(desk, settings), sinePanel(desk)];
    const [said, about] = [el("div.reason#jog-reason", { role: "status" }), el("span.muted")];
    const top = el("div.tools", null, whatPanel(desk, rows, numbers, about), howPanel(settings, hand));
    root.append(
      el("section.panel.jog", { "aria-label": "jog" }, el("h2", null, "Manual control unit", el("span.grow"), about), modeRow(desk, said), top, rows.element),
      el("div.side", null, pace.element, numbers.element, sine.element),
    );
    let updates = 0;
    return {
      update() {
        const reason = reasonOfJog(desk);
        rows.update(reason);
        // While a button is held, heartbeats go first: what stands beside it is brought up to date less often.
        if (hand.state === "free" || ++updates % CALM === 0) for (const panel of [numbers, pace, sine]) panel.update();
        const state = hand.state;
        say(said, reason ? `Jog is not possible: ${reason}` : state === "over" ? "Step done: let go, press again for the next" : state === "runs" ? "Moving while held" : "Hold − or + to move (mouse, touch, Space or Enter); letting go stops");
        mark(said, "warn", reason !== "");
        mark(said, "ok", !reason && state === "runs");
      },
      leave: () => hand.letGo(),
    };
  },
};

/** Why nothing can be jogged now; empty when it can. */
function reasonOfJog(desk: Desk): string {
  if (desk.connected && desk.stale) return "the facility is silent";
  return reasonOf(desk, "jog");
}

function modeRow(desk: Desk, said: HTMLElement): HTMLElement {
  const select = (label: string, source: string) => requestButton(desk, label, `select ${source}`, "select", () => ({ source })).element;
  const drives = requestButton(desk, "Drives on", "drives on", "drives", () => ({ on: true })).element;
  return el("div.row", null, drives, select("Select manual", "manual"), select("Select none", "none"), said);
}

/** Which robot, in which system. */
function whatPanel(desk: Desk, rows: JogRows, numbers: NumbersPanel, about: HTMLElement): HTMLElement {
  let [robot, system]: [RobotName, SystemName] = ["robot1", "IJT"];
  const element = el("div.row");
  const build = () => {
    const [names, offered] = desk.hello?.hall === false ? [robotsOf(desk.hello.axes), ["IJT"] as const] : [["robot1", "robot2"], ORDER];
    const robots = choice<RobotName>("robot", names.map((value) => ({ value, text: robotText(value).replace("r", "R") })), (value) => ((robot = value), show()));
    const systems = choice<SystemName>("coordinate system", offered.map((value) => ({ value, text: value, about: ABOUT[value] })), (value) => ((system = value), show()));
    const show = () => {
      robots.show(robot);
      systems.show(system);
      rows.show(robot, system);
      numbers.show(robot, offered);
      say(about, `${system}: ${ABOUT[system].replace(/\bn\b/g, robot.replace("robot", ""))}`);
    };
    fill(element, robots.element, systems.element);
    show();
  };
  let known: string | undefined; // cell: another one may be served when the line comes back
  const greet = () => {
    if (known !== undefined && known === desk.hello?.cell) return;
    known = desk.hello?.cell;
    build();
  };
  desk.on("hello", greet);
  greet();
  return element;
}

/** Continuously or by steps. */
function howPanel(settings: Settings, hand: Hand): HTMLElement {
  const ways = choice("kind of motion", [{ value: false, text: "Continuous" }, { value: true, text: "Step" }], (value) => ((settings.stepping = value), show()));
  const mm = choice("step in mm", STEPS_MM.map((value) => ({ value, text: String(value) })), (value) => ((settings.stepMm = value), show()));
  const deg = choice("step in deg", STEPS_DEG.map((value) => ({ value, text: String(value) })), (value) => ((settings.stepDeg = value), show()));
  const sizes = el("div.row.sizes", null, mm.element, el("span.muted", null, "mm"), deg.element, el("span.muted", null, "deg"));
  const show = () => {
    hand.letGo();
    ways.show(settings.stepping);
    mm.show(settings.stepMm);
    deg.show(settings.stepDeg);
    mark(sizes, "off", !settings.stepping);
  };
  show();
  return el("div.row", null, ways.element, sizes);
}
