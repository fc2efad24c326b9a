// Robots from above, where they are now: base, arm as the chain of its links, mock-up as the outline of its box.
import { robotsOf } from "../cell";
import type { Desk } from "../desk";
import { say, svg } from "../dom";
import { carry, home, linkPoses, tipOf, usable } from "../hall/chain";
import type { HallDescription } from "../hall/description";
import { onDrawing, type Point } from "./ground_plan";
import type { Box } from "./labels";

const BASE_M = 0.45; // half edge of the drawn base
const NAME_M = [1.8, 0.5] as const; // half width and height of a robot's name

export interface RobotsDrawing {
  element: SVGElement;
  update(drives: string): void;
}

/** Without the cell's description only the ports or flanges are known, and only they are drawn. `scale`: of the drawing. */
export function robotsDrawing(desk: Desk, hall: HallDescription | null, scale: number): RobotsDrawing {
  const tip = desk.hello?.hall === false ? "flange" : "port";
  const robots = robotsOf(desk.hello?.axes ?? []).map((_, k) => k + 1).map((number) => ({
    number,
    base: svg("rect.base", { x: -BASE_M, y: -BASE_M, width: 2 * BASE_M, height: 2 * BASE_M, rx: 0.1, visibility: "hidden" }),
    arm: svg("polyline.arm"),
    joints: svg("g.joints"),
    mockup: svg("polygon.mockup"),
    port: svg("circle.port", { r: 0.09 }),
    name: svg("text.robot-name", { "text-anchor": "middle" }),
  }));
  const element = svg("g.live.robots", null, ...robots.map((r) => svg("g", null, r.base, r.mockup, r.arm, r.joints, r.port, r.name)));
  let shown = "";
  return {
    element,
    update(drives) {
      const axes = desk.axes("actual");
      const ports = robots.map(({ number }): Point => onDrawing([desk.value(`actual_${tip}${number}.x`), desk.value(`actual_${tip}${number}.y`)], scale));
      const key = [...axes, ...ports.flat()].map((value) => value.toFixed(3)).join() + drives;
      if (key === shown) return;
      shown = key;
      const poses = hall && usable(hall, axes) ? linkPoses(hall, axes) : null;
      if (!poses && !ports.flat().every(Number.isFinite)) return; // nothing has come yet
      robots.forEach((robot, k) => {
        const port = ports[k]!;
        if (port.every(Number.isFinite)) robot.port.setAttribute("transform", `translate(${port[0]} ${-port[1]})`);
        const chain = poses && hall ? chainOf(hall, poses, robot.number, scale) : [port];
        const [x, y] = chain[0]!;
        place(robot, chain);
        if (poses && hall) robot.mockup.setAttribute("points", text(outline(hall, poses, k, scale)));
        robot.base.setAttribute("visibility", poses ? "visible" : "hidden");
        robot.name.setAttribute("x", String(x));
        robot.name.setAttribute("y", String(-y + 2 * BASE_M));
        say(robot.name, `robot ${robot.number} · ${drives}`);
      });
    },
  };
}

/** Where the robots and their names stand now (before the first data: at home), in drawing metres, y down. */
export function robotBoxes(desk: Desk, hall: HallDescription | null, scale: number): Box[] {
  if (!hall) return [];
  const axes = desk.axes("actual");
  const poses = linkPoses(hall, usable(hall, axes) ? axes : home(hall));
  return hall.arms.flatMap(({ robot }, k) => {
    const chain = chainOf(hall, poses, robot, scale);
    const [x, y] = chain[0]!;
    const drawn = [...chain, ...outline(hall, poses, k, scale), [x - BASE_M, y - BASE_M], [x + BASE_M, y + BASE_M]];
    const [xs, ys] = [drawn.map((p) => p[0]!), drawn.map((p) => -p[1]!)];
    const name = { x: x - NAME_M[0], y: -y + 2 * BASE_M - 0.4, wide: 2 * NAME_M[0], high: NAME_M[1] };
    return [{ x: Math.min(...xs), y: Math.min(...ys), wide: Math.max(...xs) - Math.min(...xs), high: Math.max(...ys) - Math.min(...ys) }, name];
  });
}

function place(robot: { base: SVGElement; arm: SVGElement; joints: SVGElement }, chain: Point[]): void {
  const [x, y] = chain[0]!;
  robot.base.setAttribute("transform", `translate(${x} ${-y})`);
  robot.arm.setAttribute("points", text(chain));
  while (robot.joints.childElementCount < chain.length) robot.joints.append(svg("circle", { r: 0.13 }));
  chain.forEach(([px, py], k) => robot.joints.children[k]?.setAttribute("transform", `translate(${px} ${-py})`));
}

const text = (points: Point[]) => points.map(([x, y]) => `${x.toFixed(3)},${(-y).toFixed(3)}`).join(" ");

/** From the base over the links to the port, on the floor. */
function chainOf(hall: HallDescription, poses: number[][], robot: number, scale: number): Point[] {
  const found = hall.links.flatMap((link, k): Point[] => (link.name.startsWith(`robot${robot}/`) && !link.mockup ? [[poses[k]![3]!, poses[k]![7]!]] : []));
  const T_lab_tip = poses[tipOf(hall, robot - 1)]!;
  return [...found, [T_lab_tip[3]!, T_lab_tip[7]!] as Point].map((p) => onDrawing(p, scale));
}

/** Convex outline on the floor of the box round a mock-up, where there is one. */
function outline(hall: HallDescription, poses: number[][], k: number, scale: number): Point[] {
  const craft = hall.crafts[k];
  if (!craft) return [];
  const [low, high] = craft.box_m;
  const corners = [0, 1, 2, 3, 4, 5, 6, 7].map((c) => [0, 1, 2].map((i) => ((c >> i) & 1 ? high[i]! : low[i]!)));
  return hull(corners.map((corner): Point => onDrawing(carry(poses[craft.port]!, corner).slice(0, 2) as Point, scale)));
}

function hull(points: Point[]): Point[] {
  const sorted = [...points].sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const half = (all: Point[]) => {
    const chain: Point[] = [];
    for (const p of all) {
      while (chain.length > 1 && turns(chain.at(-2)!, chain.at(-1)!, p) <= 0) chain.pop();
      chain.push(p);
    }
    return chain.slice(0, -1);
  };
  return [...half(sorted), ...half(sorted.reverse())];
}

const turns = (a: Point, b: Point, c: Point) => (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
