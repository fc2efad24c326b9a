// Where labels go so that they cover neither each other nor a symbol: each takes the place round its symbol that covers least,
// and takes a better one as long as the others make room for it.
import type { Point } from "./ground_plan";

export interface Label {
  at: Point; // of the symbol, in drawing metres (y down)
  half: Point; // extent of the symbol to each side
  wide: number;
  high: number;
}

interface Box {
  x: number; // left
  y: number; // top
  wide: number;
  high: number;
  light?: boolean; // better not covered, but it may be
}

const LIGHT = 0.1; // what covering a light box counts
const FAR = 0.02; // what a metre away from the symbol counts, against square metres covered
const PASSES = 4;
const GAP_M = 0.08;

/** Upper left corners, one for each label, within the bounds. */
export function labelPlaces(labels: Label[], taken: Box[], bounds: Box): Point[] {
  const fixed = [...taken, ...labels.map(({ at: [x, y], half: [h, v] }) => ({ x: x - h, y: y - v, wide: 2 * h, high: 2 * v }))];
  const placed: Box[] = [];
  for (let pass = 0; pass < PASSES; pass++) {
    labels.forEach((label, k) => {
      placed[k] = best(label, [...fixed, ...placed.filter((_, other) => other !== k)], bounds);
    });
  }
  return placed.map(({ x, y }) => [x, y]);
}

function best(label: Label, others: Box[], bounds: Box): Box {
  const all = candidates(label);
  const cost = (box: Box) => others.reduce((sum, other) => sum + overlap(box, other), 0) + FAR * Math.hypot(box.x + box.wide / 2 - label.at[0], box.y + box.high / 2 - label.at[1]);
  return all.filter((box) => inside(box, bounds)).sort((a, b) => cost(a) - cost(b))[0] ?? all[0]!;
}

/** Below, above, right, left and askew; then the same farther away. */
function candidates({ at: [x, y], half: [h, v], wide, high }: Label): Box[] {
  return [0, 0.4, 0.8, 1.2].flatMap((more) => {
    const [below, above] = [y + v + GAP_M + more, y - v - GAP_M - more - high];
    const [right, left] = [x + h + GAP_M + more, x - h - GAP_M - more - wide];
    const places: Point[] = [[x - wide / 2, below], [x - wide / 2, above], [right, y - high / 2], [left, y - high / 2]];
    const corners: Point[] = [[x, below], [x - wide, below], [x, above], [x - wide, above]];
    return [...places, ...corners].map(([cx, cy]) => ({ x: cx, y: cy, wide, high }));
  });
}

function overlap(a: Box, b: Box): number {
  const wide = Math.min(a.x + a.wide, b.x + b.wide) - Math.max(a.x, b.x);
  const high = Math.min(a.y + a.high, b.y + b.high) - Math.max(a.y, b.y);
  return wide > 0 && high > 0 ? wide * high * (b.light ? LIGHT : 1) : 0;
}

function inside(box: Box, bounds: Box): boolean {
  return box.x >= bounds.x && box.y >= bounds.y && box.x + box.wide <= bounds.x + bounds.wide && box.y + box.high <= bounds.y + bounds.high;
}
