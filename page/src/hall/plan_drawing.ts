// The hall on paper, from above or from the side: grid, rail, robots, mock-ups, zones, trail, ruler, scale bar.
import { fixed } from "../numbers";
import { carry, IDENTITY, tipOf, type Matrix } from "./chain";
import type { HallDescription, Lamp, Pair, Triple } from "./description";
import { outline, type Look } from "./outline";
import type { Sheet } from "./sheet";
import { type Layer, type Measurement, zoneColour } from "./view";

export interface Drawing {
  side: boolean;
  poses: { actual: Matrix[]; commanded: Matrix[] | null };
  zones: { actual: string; commanded: string };
  trail: Triple[]; // lab
  measured: Measurement | null;
  on: (layer: Layer) => boolean;
}

/** From above: x right, y up. From the side: x right, z up. */
export function lookOf(side: boolean): Look {
  return side ? ([x, y, z]) => [x, z, -y] : ([x, y, z]) => [x, y, z];
}

export function draw(sheet: Sheet, hall: HallDescription, what: Drawing): void {
  const { pen } = sheet;
  pen.fillStyle = "#12161c";
  pen.fillRect(0, 0, sheet.width, sheet.height);
  grid(sheet);
  ground(sheet, hall, what);
  machines(sheet, hall, what);
  if (what.poses.commanded && what.on("ghost")) ghost(sheet, hall, what);
  if (what.on("boxes")) boxes(sheet, hall, what);
  if (what.on("trail")) trail(sheet, what);
  if (what.on("frames")) frames(sheet, hall, what);
  if (what.measured) ruler(sheet, what, what.measured);
  scaleBar(sheet);
}

function grid(sheet: Sheet): void {
  const { pen } = sheet;
  const half: Pair = [sheet.width / 2 / sheet.scale, sheet.height / 2 / sheet.scale];
  pen.font = '11px "DejaVu Sans", system-ui, sans-serif';
  pen.textAlign = "left";
  const every = sheet.scale < 16 ? 5 : 1;
  for (const axis of [0, 1] as const) {
    const [from, to] = [sheet.middle[axis] - half[axis], sheet.middle[axis] + half[axis]];
    for (let m = Math.ceil(from / every) * every; m <= to; m += every) {
      const [px, py] = sheet.at(axis === 0 ? [m, 0] : [0, m]);
      const strong = m % 5 === 0;
      pen.fillStyle = strong ? "#2b333e" : "#1d232b";
      if (axis === 0) pen.fillRect(Math.round(px), 0, 1, sheet.height);
      else pen.fillRect(0, Math.round(py), sheet.width, 1);
      if (!strong && sheet.scale < 35) continue;
      pen.fillStyle = "#76828f";
      if (axis === 0) pen.fillText(fixed(m, 0), px + 3, sheet.height - 5);
      else pen.fillText(fixed(m, 0), 4, py - 3);
    }
  }
}

/** Walls and fence from above, the floor from the side; the pedestal and the lamp. */
function ground(sheet: Sheet, hall: HallDescription, what: Drawing): void {
  const { pen } = sheet;
  pen.lineWidth = 2;
  if (what.side) {
    pen.strokeStyle = "#5d6978";
    sheet.path([[hall.plan.floor_x_m[0], hall.floor_z_m], [hall.plan.floor_x_m[1], hall.floor_z_m]]);
    pen.stroke();
  } else if (what.on("walls")) {
    for (const [lines, colour] of [[hall.plan.walls, "#5d6978"], [hall.plan.fence, "#8c7426"]] as const) {
      pen.strokeStyle = colour;
      for (const line of lines) {
        sheet.path(line);
        pen.stroke();
      }
    }
  }
  if (hall.pedestal) pedestal(sheet, hall, hall.pedestal, what.side);
  if (hall.lamp && what.on("lamp")) lamp(sheet, hall.lamp, what.side);
}

function pedestal(sheet: Sheet, hall: HallDescription, { xy_m: [x, y], half_m: h, top_z_m }: NonNullable<HallDescription["pedestal"]>, side: boolean): void {
  const { pen } = sheet;
  pen.fillStyle = "#3a3f47";
  sheet.path(side ? [[x - h, hall.floor_z_m], [x + h, hall.floor_z_m], [x + h, top_z_m], [x - h, top_z_m]] : [[x - h, y - h], [x + h, y - h], [x + h, y + h], [x - h, y + h]], true);
  pen.fill();
}

function lamp(sheet: Sheet, { head_lab_m: p, beam_lab: b, reach_m }: Lamp, side: boolean): void {
  const { pen } = sheet;
  const look = lookOf(side);
  const [[x, y], [tx, ty]] = [look(p), look([p[0] + reach_m * b[0], p[1] + reach_m * b[1], p[2] + reach_m * b[2]])];
  const [nx, ny] = [-(ty - y) / reach_m, (tx - x) / reach_m];
  pen.fillStyle = "rgba(255,233,184,0.07)";
  sheet.path([[x, y], [tx + nx, ty + ny], [tx - nx, ty - ny]], true);
  pen.fill();
  pen.fillStyle = "#ffe9b8";
  pen.beginPath();
  pen.arc(...sheet.at([x, y]), 0.22 * sheet.scale, 0, 2 * Math.PI);
  pen.fill();
}

function machines(sheet: Sheet, hall: HallDescription, what: Drawing): void {
  const { pen } = sheet;
  const look = lookOf(what.side);
  const seen = hall.links.flatMap((link, k) => {
    if (link.mockup && !what.on("mockups")) return [];
    return (what.on("solids") ? link.solids : link.visuals).map((solid) => ({ ...outline(solid, what.poses.actual[k]!, look), rgba: solid.rgba }));
  });
  seen.sort((a, b) => a.near - b.near);
  pen.lineWidth = 1;
  for (const { points, rgba } of seen) {
    const [r = 0, g = 0, b = 0, a = 1] = rgba.map((v, k) => (k < 3 ? Math.round(230 * v) : v));
    pen.fillStyle = `rgba(${r},${g},${b},${a})`;
    pen.strokeStyle = "rgba(0,0,0,0.35)";
    sheet.path(points, true);
    pen.fill();
    pen.stroke();
  }
}

function ghost(sheet: Sheet, hall: HallDescription, what: Drawing): void {
  const { pen } = sheet;
  const look = lookOf(what.side);
  pen.strokeStyle = "rgba(88,166,255,0.75)";
  pen.fillStyle = "#58a6ff";
  pen.lineWidth = 2.5;
  hall.arms.forEach(({ base }, arm) => {
    const joints: Pair[] = [];
    for (let k = tipOf(hall, arm); k >= 0; k = k === base ? -1 : hall.links[k]!.parent) {
      const [x, y] = look(carry(what.poses.commanded![k]!, [0, 0, 0]));
      joints.push([x, y]);
    }
    sheet.path(joints);
    pen.stroke();
    for (const joint of joints) {
      pen.beginPath();
      pen.arc(...sheet.at(joint), 3, 0, 2 * Math.PI);
      pen.fill();
    }
  });
}

function boxes(sheet: Sheet, hall: HallDescription, what: Drawing): void {
  const { pen } = sheet;
  for (const which of ["commanded", "actual"] as const) {
    const poses = what.poses[which];
    if (!poses) continue;
    pen.strokeStyle = pen.fillStyle = zoneColour(what.zones[which]);
    pen.setLineDash(which === "actual" ? [] : [5, 4]);
    pen.lineWidth = 1.5;
    for (const { port, box_m: [low, high] } of hall.crafts) {
      const size = high.map((h, i) => h - low[i]!);
      const T_link_solid = [1, 0, 0, low[0] + size[0]! / 2, 0, 1, 0, low[1] + size[1]! / 2, 0, 0, 1, low[2] + size[2]! / 2, 0, 0, 0, 1];
      const { points } = outline({ kind: "box", size_m: size, T_link_solid, rgba: [], material: "" }, poses[port]!, lookOf(what.side));
      sheet.path(points, true);
      pen.stroke();
      pen.globalAlpha = 0.08;
      pen.fill();
      pen.globalAlpha = 1;
    }
  }
  pen.setLineDash([]);
}

function trail(sheet: Sheet, what: Drawing): void {
  const { pen } = sheet;
  const look = lookOf(what.side);
  const points = what.trail.map((p): Pair => [look(p)[0], look(p)[1]]);
  pen.strokeStyle = "#e3b341";
  pen.lineWidth = 2;
  for (let k = 1; k < points.length; k++) {
    pen.globalAlpha = 0.1 + (0.9 * k) / points.length;
    sheet.path([points[k - 1]!, points[k]!]);
    pen.stroke();
  }
  pen.globalAlpha = 1;
}

function frames(sheet: Sheet, hall: HallDescription, what: Drawing): void {
  const { pen } = sheet;
  const look = lookOf(what.side);
  pen.lineWidth = 2;
  for (const { name, link } of hall.frames) {
    if (hall.crafts.length && name.startsWith("flange")) continue; // too near to the ports on paper
    const T = link < 0 ? IDENTITY : what.poses.actual[link]!;
    const [x, y] = look(carry(T, [0, 0, 0]));
    ["#ff5d55", "#4fd267", "#5aa2ff"].forEach((colour, k) => {
      const [tx, ty] = look(carry(T, [k === 0 ? 0.4 : 0, k === 1 ? 0.4 : 0, k === 2 ? 0.4 : 0]));
      pen.strokeStyle = colour;
      sheet.path([[x, y], [tx, ty]]);
      pen.stroke();
    });
    pen.fillStyle = "#dbe2ea";
    const [px, py] = sheet.at([x, y]);
    pen.fillText(name, px + 5, py - 5);
  }
}

function ruler(sheet: Sheet, what: Drawing, found: Measurement): void {
  const { pen } = sheet;
  const ends = [found.from_lab_m, found.to_lab_m].map((p): Pair => [lookOf(what.side)(p)[0], lookOf(what.side)(p)[1]]);
  pen.strokeStyle = pen.fillStyle = "#f778ba";
  pen.lineWidth = 2;
  sheet.path(ends);
  pen.stroke();
  const [x, y] = sheet.at([(ends[0]![0] + ends[1]![0]) / 2, (ends[0]![1] + ends[1]![1]) / 2]);
  pen.fillText(`${found.distance_m.toFixed(3)} m`, x + 6, y - 6);
}

function scaleBar(sheet: Sheet): void {
  const { pen } = sheet;
  const metres = [0.5, 1, 2, 5, 10].find((m) => m * sheet.scale > 70) ?? 20;
  const [x, y, length] = [sheet.width - 24 - metres * sheet.scale, sheet.height - 26, metres * sheet.scale];
  pen.fillStyle = "#dbe2ea";
  pen.fillRect(x, y, length, 3);
  pen.fillRect(x, y - 4, 1, 11);
  pen.fillRect(x + length, y - 4, 1, 11);
  pen.textAlign = "center";
  pen.fillText(`${metres} m`, x + length / 2, y - 6);
  pen.textAlign = "left";
}
