// Scenarios: choose, start, pause, go on, end; how far it is.
import { reasonOf, requestButton } from "../button";
import type { Desk } from "../desk";
import { el, fill, say } from "../dom";
import type { RunState } from "../messages";
import { duration } from "../numbers";

export interface ScenarioPanel {
  element: HTMLElement;
  update(): void;
}

export function scenarioPanel(desk: Desk): ScenarioPanel {
  const pick = el("select#scenario", { "aria-label": "scenario" }) as HTMLSelectElement;
  const about = el("div.about.muted");
  const start = requestButton(desk, "Start", "run_start", "run_start", () => ({ name: pick.value }), "primary");
  const pause = requestButton(desk, "Pause", "run_pause", "run_pause", () => ({}));
  const resume = requestButton(desk, "Go on", "run_resume", "run_resume", () => ({}));
  const end = requestButton(desk, "End", "run_end", "run_end", () => ({}));
  const fillBar = el("div");
  const state = el("div.run-state");
  const element = el("div.panel.scenarios.of-hall", null, el("h2", null, "Scenario"), pick, about, el("div.row", null, start.element, pause.element, resume.element, end.element), el("div.bar", { role: "progressbar" }, fillBar), state);

  function describe(): void {
    const chosen = desk.hello?.scenarios?.find((s) => s.name === pick.value);
    say(about, chosen ? `${duration(chosen.duration_s)}, ${chosen.where}. ${chosen.about}` : "");
    about.title = about.textContent ?? "";
  }
  pick.addEventListener("change", describe);
  function offer(): void {
    const before = pick.value;
    fill(pick, ...groups(desk).map(([kind, names]) => el("optgroup", { label: kind }, ...names.map((n) => el("option", { value: n }, n)))));
    if (desk.hello?.scenarios.some((s) => s.name === before)) pick.value = before;
    describe();
  }
  desk.on("hello", offer);
  offer();

  return {
    element,
    update() {
      const run = desk.run;
      fillBar.style.width = `${100 * (run?.share ?? 0)}%`;
      const going = run && run.phase !== "idle";
      say(state, going ? sentence(run) : reasonOf(desk, "run_start"));
      state.className = `run-state ${run?.phase === "failed" ? "bad" : "muted"}`;
    },
  };
}

function sentence(run: RunState): string {
  if (run.phase === "starting") return `${run.name}: starting; the first time it is compiled, which takes a minute or two`;
  return `${run.name}: ${run.phase}, ${duration(run.t_s)} of ${duration(run.duration_s)}${run.message ? ` – ${run.message}` : ""}`;
}

function groups(desk: Desk): [string, string[]][] {
  const found = new Map<string, string[]>();
  for (const scenario of desk.hello?.scenarios ?? []) {
    found.set(scenario.kind, [...(found.get(scenario.kind) ?? []), scenario.name]);
  }
  return [...found];
}
