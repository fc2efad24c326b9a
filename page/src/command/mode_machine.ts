// The mode machine, drawn from the facility's own table; only the places of the modes are chosen here.
import type { Desk } from "../desk";
import { mark, svg } from "../dom";
import type { Edge } from "../messages";

// Drawn so that a letter is as large on the smallest screen as it is here.
const WIDTH = 80;
const HEIGHT = 30;
const STEP_X = 96;
const STEP_Y = 45;
const MARGIN = 2;
const LINE = 12; // of text

// column, row
const PLACES: Record<string, [number, number]> = {
  STANDBY: [0, 1],
  RELEASING: [1, 1],
  READY: [2, 1],
  ARMED: [3, 0],
  MOVING_TO_START: [4, 0],
  AT_START: [5, 0],
  RUNNING: [6, 0],
  BRIDGED: [3, 1],
  HALTING: [4, 1],
  MANUAL: [3, 2],
  SINE: [4, 2],
  ENDING: [6, 2],
  STOPPING: [0, 2],
  STOPPED: [1, 2],
};

export interface ModeMachine {
  element: SVGElement;
  update(): void;
}

export function modeMachine(desk: Desk): ModeMachine {
  const drawing = svg("svg.machine.live", { viewBox: `0 0 ${6 * STEP_X + WIDTH + 2 * MARGIN} ${2 * STEP_Y + HEIGHT + 2 * MARGIN + 17}`, role: "img", "aria-label": "modes of the facility" });
  const nodes = new Map<string, SVGElement>();
  const arrows: { edge: Edge; line: SVGElement }[] = [];
  let drawn = false;

  function draw(): void {
    if (!desk.hello) return;
    drawn = true;
    drawing.append(arrowHead());
    const pairs = new Map<string, Edge>();
    for (const edge of desk.hello.edges) {
      if (edge.event !== "trip" && edge.mode !== edge.to) pairs.set(`${edge.mode}>${edge.to}`, edge);
    }
    for (const edge of pairs.values()) {
      const line = svg("path.edge", { d: route(edge.mode, edge.to), "marker-end": "url(#arrow)" }, svg("title", null, `${edge.mode} → ${edge.to}: ${edge.event}`));
      arrows.push({ edge, line });
      drawing.append(line);
    }
    for (const mode of desk.hello.modes) nodes.set(mode, drawing.appendChild(node(mode)));
    const [x, y] = corner("STOPPING");
    drawing.append(svg("text.note", { x, y: y + HEIGHT + 15 }, "safe stop or a broken rule leads to STOPPING from anywhere"));
  }

  return {
    element: drawing,
    update() {
      if (!drawn) draw();
      const mode = desk.mode;
      for (const [name, element] of nodes) mark(element, "present", name === mode);
      for (const { edge, line } of arrows) mark(line, "possible", edge.mode === mode && !edge.own);
      drawing.dataset.mode = mode;
    },
  };
}

function corner(mode: string): [number, number] {
  const [column, row] = PLACES[mode] ?? [5, 2];
  return [MARGIN + column * STEP_X, MARGIN + row * STEP_Y];
}

function node(mode: string): SVGElement {
  const [x, y] = corner(mode);
  const words = mode.split("_");
  const lines = words.length > 2 ? [words.slice(0, -1).join(" "), words.at(-1)!] : [words.join(" ")];
  const first = y + HEIGHT / 2 + 4 - ((lines.length - 1) * LINE) / 2;
  return svg("g.node", { "data-mode": mode }, svg("rect", { x, y, width: WIDTH, height: HEIGHT, rx: 5 }), ...lines.map((line, k) => svg("text", { x: x + WIDTH / 2, y: first + k * LINE }, line)));
}

/** From border to border; sideways where both are neighbours in a row, else by a gentle curve. */
function route(from: string, to: string): string {
  const [x0, y0] = corner(from);
  const [x1, y1] = corner(to);
  const right = x1 > x0;
  if (y0 === y1 && Math.abs(x1 - x0) <= STEP_X) {
    const lift = right ? -4 : 4; // there and back do not hide each other
    return `M ${right ? x0 + WIDTH : x0} ${y0 + HEIGHT / 2 + lift} L ${right ? x1 - 3 : x1 + WIDTH + 3} ${y1 + HEIGHT / 2 + lift}`;
  }
  if (y0 === y1) {
    const [start, end, dip] = [x0 + WIDTH * (right ? 0.7 : 0.3), x1 + WIDTH * (right ? 0.3 : 0.7), y0 + HEIGHT + 12]; // below those between
    return `M ${start} ${y0 + HEIGHT} C ${start} ${dip}, ${end} ${dip}, ${end} ${y1 + HEIGHT + 2}`;
  }
  if (y1 - y0 === STEP_Y && x1 - x0 >= 2 * STEP_X) {
    const [start, end, between] = [x0 + WIDTH, x1 + WIDTH * 0.3, y0 + (HEIGHT + STEP_Y) / 2]; // in the lane between two rows
    return `M ${start} ${y0 + HEIGHT / 2} C ${start + 14} ${y0 + HEIGHT / 2}, ${start} ${between}, ${start + 16} ${between} L ${end - 8} ${between} Q ${end} ${between} ${end} ${y1 - 2}`;
  }
  if (x0 === x1) return `M ${x0 + WIDTH / 2} ${y0 + (y1 > y0 ? HEIGHT : 0)} L ${x1 + WIDTH / 2} ${y1 > y0 ? y1 - 3 : y1 + HEIGHT + 3}`;
  const start = [right ? x0 + WIDTH : x0, y0 + HEIGHT / 2];
  const end = [right ? x1 - 3 : x1 + WIDTH + 3, y1 + HEIGHT / 2];
  const bend = Math.max(24, 0.45 * Math.abs(x1 - x0)) * (right ? 1 : -1);
  return `M ${start[0]} ${start[1]} C ${start[0]! + bend} ${start[1]}, ${end[0]! - bend} ${end[1]}, ${end[0]} ${end[1]}`;
}

function arrowHead(): SVGElement {
  return svg("defs", null, svg("marker", { id: "arrow", viewBox: "0 0 8 8", refX: 6, refY: 4, markerWidth: 8, markerHeight: 8, markerUnits: "userSpaceOnUse", orient: "auto" }, svg("path.head", { d: "M0 0 L8 4 L0 8 z" })));
}
