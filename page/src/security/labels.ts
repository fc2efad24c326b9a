// Where labels go so that they cover neither each other nor a symbol: each takes the place round its symbol that covers least,
// and takes a better one as long as the others make room for it.
import type { Point } from "./ground_plan";

/** In drawing metres, y down. */
export interface Box {
  x: number; // left
  y: number; // top
  wide: number;
  high: number;
  light?: boolean; // better not covered, but it may be
}

export interface Label {
  at: Point; // of the symbol
  symbol: Box;
  wide: number;
  high: number;
}

const LIGHT = 0.4; // what covering a light box counts
const FAR = 0.01; // what a metre away from the symbol counts, against square metres covered
const PASSES = 4;
const GAP_M = 0.08;
const ASIDE_M = 0.25; // off the line that a symbol stands on
const FARTHER_M = [0, 0.3, 0.6, 0.9, 1.2];

/** Upper left corners, one for each label, within the bounds. */
export function labelPlaces(labels: Label[], taken: Box[], bounds: Box): Point[] {
  const fixed = [...taken, ...labels.map((label) => label.symbol)];
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
  const costs = new Map(all.filter((box) => inside(box, bounds)).map((box) => [box, cost(box)]));
  return [...costs.keys()].sort((a, b) => costs.get(a)! - costs.get(b)!)[0] ?? all[0]!;
}

/** Below, above, right and left, in the middle and more and more askew; then the same farther away. */
function candidates({ at: [x, y], symbol, wide, high }: Label): Box[] {
  const along = (middle: number, size: number) => [-size / 2, -0.75 * size, -0.25 * size, -size, 0, -size - ASIDE_M, ASIDE_M].map((shift) => middle + shift);
  return FARTHER_M.flatMap((more) => {
    const rows = [symbol.y + symbol.high + GAP_M + more, symbol.y - GAP_M - more - high];
    const columns = [symbol.x + symbol.wide + GAP_M + more, symbol.x - GAP_M - more - wide];
    const places = [...rows.flatMap((top) => along(x, wide).map((left): Point => [left, top])), ...columns.flatMap((left) => along(y, high).map((top): Point => [left, top]))];
    return places.map(([left, top]) => ({ x: left, y: top, wide, high }));
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
