// Command Center: the whole operation on one page.
import "./command_center.css";
import { eventList } from "../command/event_list";
import { modeMachine } from "../command/mode_machine";
import { operation } from "../command/operation";
import { scenarioPanel } from "../command/scenario_panel";
import { trajectoryPanel } from "../command/trajectory_panel";
import { NEEDS_HALL } from "../cell";
import { el } from "../dom";
import { hallPanel } from "../hall/panel";
import type { Page } from "../page";

export const commandCenter: Page = {
  id: "command",
  title: "Command Center",
  mount(root, desk) {
    const parts = [operation(desk), modeMachine(desk), scenarioPanel(desk), trajectoryPanel(desk), eventList(desk)] as const;
    const [steps, machine, scenarios, trajectory, events] = parts;
    const hall = hallPanel(desk);
    root.append(
      steps.element,
      hall.element,
      el("div.panel.machine-panel", null, el("h2", null, "Modes"), machine.element),
      el("div.right", null, scenarios.element, trajectory.element, el("div.panel.muted.of-arms", null, NEEDS_HALL), events.element),
    );
    return {
      update() {
        for (const part of parts) part.update();
        hall.update();
      },
      enter: () => hall.enter(),
      leave: () => hall.leave(),
    };
  },
};
