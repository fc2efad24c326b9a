// Where things are on the floor, in lab metres, from what the server tells: rooms, fence, rail. Nothing is made up here.
import type { HallDescription } from "../hall/description";
import type { Hello, PlanRoom } from "../messages";

export type Point = [number, number];
export type Segment = [Point, Point];

export interface GroundPlan {
  rooms: PlanRoom[];
  fence: Segment[];
  rail: Segment;
  bounds: { x: Point; y: Point };
}

const MARGIN_M = 0.6;
const FOOT_M = 0.9; // below, where the scale is

export function groundPlan(hello: Hello, hall: HallDescription | null): GroundPlan {
  const rooms = hello.plan?.rooms ?? (hall ? [{ name: "hall", x_m: hall.room.x_m, y_m: hall.room.y_m }] : []);
  const [x, y] = hall?.rail.origin_lab_m ?? [0, 0];
  const rail: Segment = [[x + (hello.axes[0]?.lower ?? 0), y], [x + (hello.axes[0]?.upper ?? 0), y]];
  const walls = { x: rooms.flatMap((room) => room.x_m), y: rooms.flatMap((room) => room.y_m) };
  const fence = (hall?.plan.fence ?? []).map((segment) => clipped(segment, walls));
  const places = [...rail, ...fence.flat(), ...hello.interlocks.flatMap((input) => (input.at_lab_m ? [input.at_lab_m] : []))];
  const span = (values: number[], below: number): Point => [Math.min(...values) - below, Math.max(...values) + MARGIN_M];
  return { rooms, fence, rail, bounds: { x: span([...walls.x, ...places.map((p) => p[0])], MARGIN_M), y: span([...walls.y, ...places.map((p) => p[1])], FOOT_M) } };
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
