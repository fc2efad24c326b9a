// Security Display: the floor plan with every input at its place and state, and what forbids motion now.
import { el, fill, say } from "../dom";
import type { HallDescription } from "../hall/description";
import type { Hello } from "../messages";
import type { Page } from "../page";
import { drivesPanel, drivesWord } from "../security/drives_panel";
import { floorPlan, type FloorPlan } from "../security/floor_plan";
import { forbidsPanel } from "../security/forbids_panel";
import { reasonOfSimulation } from "../security/inputs";
import { inputsPanel } from "../security/inputs_panel";
import { fetchOwn } from "../visitor";
import "./security_display.css";

export const securityDisplay: Page = {
  id: "security",
  title: "Security Display",
  mount(root, desk) {
    const [forbids, drives] = [forbidsPanel(desk), drivesPanel(desk)];
    const [plan, list, hint] = [el("div.plan.live"), el("div.list"), el("span.reason")];
    root.append(
      el("section.panel.floor", { "aria-label": "floor plan and inputs" }, el("h2", null, "Floor plan", el("span.grow"), hint), plan, list),
      el("div.side", null, forbids.element, drives.element),
    );
    fill(plan, el("div.empty", null, "Waiting for the facility: start one with proxops serve."));
    let [drawn, inputs]: [FloorPlan | null, ReturnType<typeof inputsPanel> | null] = [null, null];
    let hall: HallDescription | null = null;
    let known: Hello | null = null;
    const describe = () =>
      void describedHall().then((description) => {
        hall = description;
        if (hall && known) draw(known);
      });
    const draw = (hello: Hello) => {
      if (!hall && known && known !== hello) describe(); // it could not be fetched before
      known = hello;
      [drawn, inputs] = [floorPlan(desk, hello, hall), inputsPanel(desk, hello)];
      fill(plan, drawn.element);
      fill(list, inputs.element);
    };
    describe();
    return {
      update() {
        if (desk.hello && desk.hello !== known) draw(desk.hello);
        const reason = reasonOfSimulation(desk);
        const open = new Set(desk.openInterlocks());
        drawn?.update(open, drivesWord(desk), reason);
        inputs?.update(open, reason);
        say(hint, reason ? `Inputs cannot be simulated: ${reason}` : "Click an input (or Enter) to simulate it open or healthy");
        forbids.update();
        drives.update();
      },
    };
  },
};

/** The hall as the server describes it; without it the plan shows less, and stays. */
async function describedHall(): Promise<HallDescription | null> {
  try {
    const answer = await fetchOwn("/api/hall");
    return answer.ok ? ((await answer.json()) as HallDescription) : null;
  } catch {
    return null;
  }
}
