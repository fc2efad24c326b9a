// Where things are on the floor, from what the server tells: rooms, fence, rail. Nothing is made up here. A small room is drawn larger,
// so that symbols and names, which keep their size, find their place: `scale` drawing metres to a lab metre.
import type { HallDescription } from "../hall/description";
import type { Hello, PlanRoom } from "../messages";

export type Point = [number, number];
export type Segment = [Point, Point];

export interface GroundPlan {
  rooms: PlanRoom[];
  fence: Segment[];
  rail: Segment | null;
  scale: number;
  bounds: { x: Point; y: Point };
}

const LEAST_M = 18; // wide on the drawing
const MARGIN_M = 0.6;
const FOOT_M = 0.9; // below, where the scale is

export function groundPlan(hello: Hello, hall: HallDescription | null): GroundPlan {
  const rooms = hello.plan?.rooms ?? (hall ? [{ name: "hall", x_m: hall.room.x_m, y_m: hall.room.y_m }] : []);
  const rail = railOf(hello, hall);
  const walls = { x: rooms.flatMap((room) => room.x_m), y: rooms.flatMap((room) => room.y_m) };
  const fence = (hall?.plan.fence ?? []).map((segment) => clipped(segment, walls));
  const places = [...(rail ?? []), ...fence.flat(), ...hello.interlocks.flatMap((input) => (input.at_lab_m ? [input.at_lab_m] : []))];
  const [xs, ys] = [[...walls.x, ...places.map((p) => p[0])], [...walls.y, ...places.map((p) => p[1])]];
  const scale = Math.max(1, LEAST_M / (Math.max(...xs) - Math.min(...xs)));
  const span = (values: number[], below: number): Point => [Math.min(...values) * scale - below, Math.max(...values) * scale + MARGIN_M];
  const grown = ([a, b]: Segment): Segment => [onDrawing(a, scale), onDrawing(b, scale)];
  return {
    rooms: rooms.map(({ name, x_m, y_m }) => ({ name, x_m: onDrawing(x_m, scale), y_m: onDrawing(y_m, scale) })),
    fence: fence.map(grown), rail: rail && grown(rail), scale, bounds: { x: span(xs, MARGIN_M), y: span(ys, FOOT_M) },
  };
}

/** Lab metres as they are drawn. */
export function onDrawing([a, b]: readonly [number, number], scale: number): Point {
  return [a * scale, b * scale];
}

function railOf(hello: Hello, hall: HallDescription | null): Segment | null {
  const stroke = hello.axes[0];
  if (!stroke?.slides) return null;
  const [x, y] = hall?.rail?.origin_lab_m ?? [0, 0];
  return [[x + (stroke.lower ?? 0), y], [x + (stroke.upper ?? 0), y]];
}

/** A line as far as it runs within the walls. */
function clipped(segment: Segment, walls: { x: number[]; y: number[] }): Segment {
  const within = (value: number, all: number[]) => (all.length ? Math.min(Math.max(value, Math.min(...all)), Math.max(...all)) : value);
  return segment.map(([x, y]) => [within(x, walls.x), within(y, walls.y)]) as Segment;
}

/** Every line that a door or gate can be part of. */
export function lines(plan: GroundPlan): Segment[] {
  const walls = plan.rooms.flatMap(({ x_m: [a, b], y_m: [c, d] }): Segment[] => [[[a, c], [b, c]], [[b, c], [b, d]], [[b, d], [a, d]], [[a, d], [a, c]]]);
  return [...walls, ...plan.fence];
}

/** Direction in degrees, 0 along x, of the line next to a place. */
export function directionAt(plan: GroundPlan, at: Point): number {
  let [best, direction] = [Infinity, 0];
  for (const [a, b] of lines(plan)) {
    const [dx, dy] = [b[0] - a[0], b[1] - a[1]];
    const share = Math.min(Math.max(((at[0] - a[0]) * dx + (at[1] - a[1]) * dy) / (dx * dx + dy * dy || 1), 0), 1);
    const distance = Math.hypot(at[0] - a[0] - share * dx, at[1] - a[1] - share * dy);
    if (distance < best) [best, direction] = [distance, Math.abs(dx) > Math.abs(dy) ? 0 : 90];
  }
  return direction;
}
