// The floor plan: rooms, fence, rail, robots and every input that has a place, at its place. North (lab y) is up.
import type { Desk } from "../desk";
import { mark, say, svg } from "../dom";
import type { HallDescription } from "../hall/description";
import type { Hello, InterlockInput } from "../messages";
import { directionAt, groundPlan, lines, onDrawing, type GroundPlan, type Point, type Segment } from "./ground_plan";
import { KINDS, planName, simulate, stateWord } from "./inputs";
import { labelPlaces, type Box, type Label } from "./labels";
import { robotBoxes, robotsDrawing } from "./robots_drawing";
import { roomOf, symbol } from "./symbols";

const LETTER_M = 0.225; // width of a letter of a label
const LINE_M = 0.42; // height of its lines

export interface FloorPlan {
  element: SVGElement;
  update(open: ReadonlySet<string>, drives: string, reason: string): void;
}

export function floorPlan(desk: Desk, hello: Hello, hall: HallDescription | null): FloorPlan {
  const plan = groundPlan(hello, hall);
  const { x: [x0, x1], y: [y0, y1] } = plan.bounds;
  const robots = robotsDrawing(desk, hall, plan.scale);
  const placed = hello.interlocks.filter((input) => input.at_lab_m);
  const labels = placed.map((input) => labelOf(plan, input));
  const corners = labelPlaces(labels, [...taken(plan), ...robotBoxes(desk, hall, plan.scale)], { x: x0, y: -y1, wide: x1 - x0, high: y1 - y0 });
  const inputs = placed.map((input, k) => inputDrawing(desk, plan, input, labels[k]!.wide, corners[k]!));
  const fence = svg("g.fence", null, ...plan.fence.map((segment) => line("fence-line", segment)));
  const element = svg("svg.floor-plan", { viewBox: `${x0} ${-y1} ${x1 - x0} ${y1 - y0}`, role: "group", "aria-label": "floor plan of the hall" }, ...rooms(plan), plan.rail && railDrawing(plan.rail, plan.scale), fence, robots.element, ...inputs.map((input) => input.element), scaleBar(x1 - 0.7, -y0 - 0.15, plan.scale));
  return {
    element,
    update(open, drives, reason) {
      robots.update(drives);
      mark(fence, "open", hello.interlocks.some((input) => input.kind === "fence" && open.has(input.name)));
      for (const input of inputs) input.update(open.has(input.name), reason);
    },
  };
}

function labelOf(plan: GroundPlan, input: InterlockInput): Label {
  const [x, y] = onDrawing(input.at_lab_m!, plan.scale);
  const longest = Math.max(planName(input).length, KINDS[input.kind].open.length, KINDS[input.kind].healthy.length);
  const room = roomOf(input.kind, directionAt(plan, [x, y]));
  return { at: [x, -y], symbol: { ...room, x: x + room.x, y: -y + room.y }, wide: longest * LETTER_M, high: 2 * LINE_M };
}

function inputDrawing(desk: Desk, plan: GroundPlan, input: InterlockInput, wide: number, corner: Point) {
  const [x, y] = onDrawing(input.at_lab_m!, plan.scale);
  const along = input.kind === "door" || input.kind === "gate" ? -directionAt(plan, [x, y]) : 0;
  const [state, title] = [svg("text.state"), svg("title")];
  const label = svg("g.label", { transform: `translate(${corner[0] + wide / 2} ${corner[1]})`, "text-anchor": "middle" }, svg("text", { y: LINE_M * 0.8 }, planName(input)), state);
  state.setAttribute("y", String(LINE_M * 1.75));
  const element = svg("g.input", { tabindex: 0, role: "button", "data-input": input.name }, title, svg("circle.touch", { cx: x, cy: -y, r: 0.75 }), svg("g", { transform: `translate(${x} ${-y}) rotate(${along})` }, symbol(input.kind)), label);
  element.addEventListener("click", () => simulate(desk, input));
  element.addEventListener("keydown", (event) => {
    const key = (event as KeyboardEvent).key;
    if (key !== "Enter" && key !== " ") return;
    event.preventDefault();
    if (!(event as KeyboardEvent).repeat) simulate(desk, input);
  });
  return {
    element,
    name: input.name,
    update(open: boolean, reason: string) {
      const word = stateWord(input.kind, open);
      mark(element, "open", open);
      say(state, word);
      say(title, reason ? `${input.name}: ${word} (${reason})` : `${input.name}: ${word}; click to simulate the other`);
      const spoken = `${KINDS[input.kind].what} ${input.name}, ${word}`;
      if (element.getAttribute("aria-label") !== spoken) element.setAttribute("aria-label", spoken);
    },
  };
}

function line(kind: string, [[ax, ay], [bx, by]]: [Point, Point]): SVGElement {
  return svg(`line.${kind}`, { x1: ax, y1: -ay, x2: bx, y2: -by });
}

function rooms(plan: GroundPlan): SVGElement[] {
  return plan.rooms.flatMap(({ name, x_m: [a, b], y_m: [c, d] }) => [
    svg("rect.room", { x: a, y: -d, width: b - a, height: d - c }),
    svg("text.room-name", { x: b - 0.3, y: -d + 0.6, "text-anchor": "end" }, name),
  ]);
}

/** Boxes that labels keep free: names of rooms, the rail with robot 1's name below it, walls where they can. */
function taken(plan: GroundPlan): Box[] {
  const names = plan.rooms.map(({ name, x_m, y_m }) => ({ x: x_m[1] - 0.4 - name.length * 0.28, y: -y_m[1] + 0.1, wide: name.length * 0.28 + 0.3, high: 0.7 }));
  const walls = lines(plan).map(([[px, py], [qx, qy]]) => ({ x: Math.min(px, qx) - 0.1, y: -Math.max(py, qy) - 0.1, wide: Math.abs(qx - px) + 0.2, high: Math.abs(qy - py) + 0.2, light: true }));
  if (!plan.rail) return [...names, ...walls];
  const [[ax, ay], [bx]] = plan.rail;
  return [...names, ...walls, { x: ax - 1, y: -ay - 0.6, wide: bx - ax + 2, high: 1.7 }];
}

function railDrawing([[ax, ay], [bx]]: Segment, scale: number): SVGElement {
  const metres = Array.from({ length: Math.floor((bx - ax) / scale / 5) + 1 }, (_, k) => 5 * k);
  return svg(
    "g.rail", null, svg("rect", { x: ax - 0.6, y: -ay - 0.3, width: bx - ax + 1.2, height: 0.6 }), line("", [[ax - 0.6, ay + 0.2], [bx + 0.6, ay + 0.2]]), line("", [[ax - 0.6, ay - 0.2], [bx + 0.6, ay - 0.2]]),
    ...metres.map((m) => svg("text", { x: ax + m * scale, y: -ay + 0.11, "text-anchor": "middle" }, m === 0 ? "rail 0" : `${m} m`)),
  );
}

/** Ends at `right`. */
function scaleBar(right: number, y: number, scale: number): SVGElement {
  const metres = scale > 1.5 ? 1 : 5;
  const [x, length] = [right - metres * scale, metres * scale];
  return svg("g.scale", null, svg("path", { d: `M${x} ${y - 0.15}v.15h${length}v-.15` }), svg("text", { x: x + length / 2, y: y - 0.12, "text-anchor": "middle" }, `${metres} m`));
}
