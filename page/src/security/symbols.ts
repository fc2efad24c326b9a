// Symbols of the inputs, about a metre wide round their place. Form says the kind, form and colour say the state; x points along the wall.
import { svg } from "../dom";
import type { Kind } from "./inputs";

/** Parts of class when-healthy and when-open are shown by the state of the group that they are in. */
export function symbol(kind: Kind): SVGElement {
  return svg(`g.symbol.${kind}`, null, ...PARTS[kind]());
}

const path = (d: string, spec = "path") => svg(spec, { d });
const either = (healthy: SVGElement[], open: SVGElement[]) => [svg("g.when-healthy", null, ...healthy), svg("g.when-open", null, ...open)];

const PARTS: Record<Kind, () => SVGElement[]> = {
  // A mushroom on its plate: out, or pushed in.
  estop: () => [
    svg("rect.plate", { x: -0.42, y: -0.42, width: 0.84, height: 0.84, rx: 0.12 }),
    ...either([svg("circle.face", { r: 0.27 })], [svg("circle.face", { r: 0.34 }), path("M-.16 -.16L.16 .16M.16 -.16L-.16 .16", "path.sign")]),
  ],
  // A leaf of 1.2 m in its opening.
  door: () => [
    svg("rect.opening", { x: -0.6, y: -0.16, width: 1.2, height: 0.32 }),
    path("M-.6 -.22V.22M.6 -.22V.22", "path.post"),
    ...either([path("M-.6 0H.6", "path.leaf")], [path("M-.6 0L-.4 -1.15", "path.leaf"), path("M.6 0A1.2 1.2 0 0 0 -.4 -1.15", "path.swing")]),
  ],
  // Two metres of slats; open, they are rolled up at both sides.
  gate: () => [
    svg("rect.opening", { x: -1, y: -0.16, width: 2, height: 0.32 }),
    path("M-1 -.24V.24M1 -.24V.24", "path.post"),
    ...either([path("M-1 0H1", "path.leaf"), path("M-.6 -.13V.13M-.2 -.13V.13M.2 -.13V.13M.6 -.13V.13", "path.slats")], [path("M-1 0H-.75M.75 0H1", "path.leaf"), path("M-.6 0H.6", "path.swing")]),
  ],
  fence: () => [
    svg("rect.plate", { x: -0.42, y: -0.42, width: 0.84, height: 0.84, rx: 0.12 }),
    ...either([path("M-.26 -.24V.24M0 -.24V.24M.26 -.24V.24M-.32 -.1H.32M-.32 .1H.32", "path.sign")], [path("M-.28 -.24V.24M.28 -.24V.24M-.32 -.1H-.14M.14 -.1H.32M-.32 .1H-.14M.14 .1H.32", "path.sign")]),
  ],
  laser: () => [
    path("M0 -.5L.5 .38H-.5Z", "path.plate"),
    ...either([path("M-.2 .1H.22M-.1 -.08L.1 .28M.1 -.08L-.1 .28", "path.sign")], [path("M-.16 -.05L.16 .27M.16 -.05L-.16 .27", "path.sign")]),
  ],
  power: () => [
    svg("rect.plate", { x: -0.42, y: -0.42, width: 0.84, height: 0.84, rx: 0.12 }),
    path("M.08 -.3L-.16 .05H.02L-.08 .3L.16 -.05H-.02Z", "path.bolt"),
    ...either([], [path("M-.32 .32L.32 -.32", "path.sign")]),
  ],
};

/** Room that a symbol takes on the plan round its place, m (y down); direction of its wall in degrees. */
export function roomOf(kind: Kind, direction: number): { x: number; y: number; wide: number; high: number } {
  const lying = direction === 0;
  if (kind === "door") return lying ? { x: -0.7, y: -1.2, wide: 1.4, high: 1.5 } : { x: -1.2, y: -0.7, wide: 1.5, high: 1.4 }; // with its leaf open
  if (kind === "gate") return lying ? { x: -1.1, y: -0.3, wide: 2.2, high: 0.6 } : { x: -0.3, y: -1.1, wide: 0.6, high: 2.2 };
  return { x: -0.5, y: -0.5, wide: 1, high: 1 };
}

/** The symbol alone, for a list. */
export function symbolIcon(kind: Kind): SVGElement {
  const wide = kind === "gate" || kind === "door";
  return svg("svg.icon", { viewBox: wide ? "-1.1 -1.25 2.2 1.6" : "-0.6 -0.6 1.2 1.2", "aria-hidden": "true" }, symbol(kind));
}
