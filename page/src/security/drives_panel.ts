// Drives and brakes of rail and robots. The facility switches all drives together; power comes to each by its own input.
import { requestButton } from "../button";
import { robotsOf, robotText } from "../cell";
import type { Desk } from "../desk";
import { el, fill, mark, say } from "../dom";

interface Row {
  unit: string;
  power: HTMLElement;
  drives: HTMLElement;
  brakes: HTMLElement;
  element: HTMLElement;
}

/** "drives on", "drives off" or "brakes opening". */
export function drivesWord(desk: Desk): string {
  return desk.value("state.drives") === 1 ? "drives on" : desk.mode === "RELEASING" ? "brakes opening" : "drives off";
}

export function drivesPanel(desk: Desk): { element: HTMLElement; update(): void } {
  let rows: Row[] = [];
  const body = el("tbody");
  const build = () => {
    const axes = desk.hello?.axes ?? [];
    const units = [...robotsOf(axes), ...axes.filter((axis) => axis.slides).map((axis) => axis.name)];
    rows = units.map(rowOf);
    fill(body, ...rows.map((row) => row.element));
  };
  desk.on("hello", build);
  build();
  const on = requestButton(desk, "Drives on", "drives on", "drives", () => ({ on: true }), "small");
  const off = requestButton(desk, "Drives off", "drives off", "drives", () => ({ on: false }), "small");
  const head = el("tr", null, ...["", "power input", "drives", "brakes"].map((text) => el("th", null, text)));
  const element = el("section.panel.drives", { "aria-label": "drives and brakes" }, el("h2", null, "Drives and brakes", el("span.grow"), on.element, off.element), el("table.live", null, el("thead", null, head), body));
  return {
    element,
    update() {
      const [word, open] = [drivesWord(desk), desk.openInterlocks()];
      for (const row of rows) {
        const input = desk.hello?.interlocks.find(({ kind, name }) => kind === "power" && name.endsWith(row.unit));
        tell(row.power, input ? (open.includes(input.name) ? "OFF" : "on") : "no input", input !== undefined && !open.includes(input.name));
        tell(row.drives, word === "drives on" ? "on" : "OFF", word === "drives on");
        tell(row.brakes, word === "drives on" ? "open" : word === "brakes opening" ? "opening" : "CLOSED", word === "drives on");
      }
    },
  };
}

function rowOf(unit: string): Row {
  const [power, drives, brakes] = [el("td"), el("td"), el("td")];
  return { unit, power, drives, brakes, element: el("tr", null, el("td", null, robotText(unit)), power, drives, brakes) };
}

function tell(cell: HTMLElement, word: string, well: boolean): void {
  say(cell, word);
  mark(cell, "ok", well);
  mark(cell, "warn", !well);
}
