// The column of tools beside the hall: views, follow, layers, measure, CAD, trail.
import { el, mark } from "../dom";
import type { SharedHall } from "./shared_hall";
import { LAYERS, LAYERS_OFF, type Layer, type ViewName } from "./view";

const VIEWS: [ViewName, string][] = [["free", "Free"], ["top", "Top"], ["side", "Side"], ["chaser", "Chaser"]];
const LAYER_NAMES: Record<Layer, string> = { ghost: "Commanded ghost", boxes: "Zone boxes", frames: "Frames", trail: "Trail", walls: "Walls, fence", mockups: "Mock-ups", solids: "Collision solids", lamp: "Sun lamp" };

const OF_ANY_CELL: readonly Layer[] = ["ghost", "frames", "solids"];

export interface Tools {
  element: HTMLElement;
  update(): void;
}

export function tools(hall: SharedHall): Tools {
  const measure = measureButtons(hall);
  const clear = el("button.btn.small", { type: "button", onclick: () => hall.view?.clearTrail() }, "Clear trail");
  const element = el("div.hall-tools", null, group("View", views(hall), follow(hall)), group("Show", ...layers(hall)), group("Measure", measure.element), ofHall(group("Trail", clear)), ofHall(group("CAD of a mock-up", cad(hall))));
  return { element, update: measure.update };
}

function ofHall(element: HTMLElement): HTMLElement {
  mark(element, "of-hall", true);
  return element;
}

function group(name: string, ...children: HTMLElement[]): HTMLElement {
  return el("div.hall-group", null, el("h2", null, name), ...children);
}

function toggle(label: string, on: boolean, change: (on: boolean) => void): HTMLElement {
  const box = el("input", { type: "checkbox", checked: on }) as HTMLInputElement;
  box.addEventListener("change", () => change(box.checked));
  return el("label.hall-toggle", null, box, label);
}

function views(hall: SharedHall): HTMLElement {
  const row = el("div.hall-views");
  for (const [name, label] of VIEWS) {
    const made = el("button.btn.small", { type: "button", "data-view": name, "aria-pressed": name === "free" ? "true" : "false" }, label);
    made.addEventListener("click", () => {
      hall.view?.view(name);
      for (const other of row.children) other.setAttribute("aria-pressed", other === made ? "true" : "false");
    });
    row.append(name === "chaser" ? ofHall(made) : made);
  }
  return row;
}

function follow(hall: SharedHall): HTMLElement {
  return ofHall(toggle("Follow the robots", true, (on) => hall.view?.follow(on)));
}

function layers(hall: SharedHall): HTMLElement[] {
  return LAYERS.map((name) => {
    const made = toggle(LAYER_NAMES[name], !LAYERS_OFF.includes(name), (on) => hall.view?.layer(name, on));
    return OF_ANY_CELL.includes(name) ? made : ofHall(made);
  });
}

function measureButtons(hall: SharedHall): Tools {
  let way: "" | "points" | "ports" = "";
  const points = el("button.btn.small", { type: "button" }, "Two points");
  const ports = el("button.btn.small.of-hall", { type: "button" }, "Port 2 → 1");
  const choose = (chosen: "points" | "ports") => {
    way = way === chosen ? "" : chosen;
    hall.view?.measure(way === "points");
    if (way === "ports") hall.view?.measurePorts();
    points.setAttribute("aria-pressed", String(way === "points"));
    ports.setAttribute("aria-pressed", String(way === "ports"));
  };
  points.addEventListener("click", () => choose("points"));
  ports.addEventListener("click", () => choose("ports"));
  const hint = el("div.reason", { hidden: true }, "Click two points in the picture.");
  const update = () => mark(hint, "muted", (hint.hidden = way !== "points" || Boolean(hall.view?.measurement())));
  return { element: el("div", null, el("div.row", null, points, ports), hint), update };
}

/** A file from the operator's own disc; it goes nowhere. */
function cad(hall: SharedHall): HTMLElement {
  const row = el("div.row");
  for (const robot of [1, 2] as const) {
    const input = el("input", { type: "file", accept: ".stl,.obj,.gltf,.glb", hidden: true }) as HTMLInputElement;
    input.addEventListener("change", () => {
      const file = input.files?.[0];
      if (file) hall.chooseCad(robot, file);
      input.value = "";
    });
    row.append(input, el("button.btn.small", { type: "button", title: "STL, OBJ or glTF in the port frame, in metres or millimetres; shown on this page only", onclick: () => input.click() }, `Robot ${robot} …`));
  }
  return row;
}
