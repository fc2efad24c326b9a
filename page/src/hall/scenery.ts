// What stands around the robots: floor with a metre grid, walls, fence, pedestal, floodlight. Nothing of it moves.
import { BufferGeometry, CanvasTexture, Color, ConeGeometry, CylinderGeometry, DoubleSide, Float32BufferAttribute, Group, LineBasicMaterial, LineSegments, Mesh, MeshBasicMaterial, MeshLambertMaterial, MeshStandardMaterial, PlaneGeometry, Quaternion, SRGBColorSpace, Vector3 } from "three";
import { RoundedBoxGeometry } from "three/examples/jsm/geometries/RoundedBoxGeometry.js";
import type { HallDescription, Lamp, Pair } from "./description";

const UP = new Vector3(0, 0, 1);
const STEEL = new MeshStandardMaterial({ color: "#4a4e55", roughness: 0.5, metalness: 0.3 });
const DARK = new MeshStandardMaterial({ color: "#1d2026", roughness: 0.7 });

export interface Scenery {
  always: Group;
  walls: Group; // with the fence
  lamp: Group;
}

export function scenery(hall: HallDescription): Scenery {
  const always = new Group();
  always.add(floor(hall), grid(hall), ...(hall.rail ? [metres(hall, hall.rail)] : []), pedestal(hall));
  const walls = new Group();
  walls.add(...hall.plan.walls.map((line) => wall(hall, line)), fence(hall));
  return { always, walls, lamp: hall.lamp ? floodlight(hall, hall.lamp) : new Group() };
}

function floor(hall: HallDescription): Mesh {
  const [[x0, x1], [y0, y1]] = [hall.plan.floor_x_m, hall.plan.floor_y_m];
  const made = new Mesh(new PlaneGeometry(x1 - x0, y1 - y0), new MeshLambertMaterial({ color: "#33383f" }));
  made.position.set((x0 + x1) / 2, (y0 + y1) / 2, hall.floor_z_m);
  made.receiveShadow = true;
  return made;
}

/** Lines every metre, stronger ones every five. */
function grid(hall: HallDescription): Group {
  const [[x0, x1], [y0, y1]] = [hall.plan.floor_x_m, hall.plan.floor_y_m];
  const z = hall.floor_z_m + 0.004;
  const fine: number[] = [];
  const strong: number[] = [];
  for (let x = Math.ceil(x0); x <= x1; x++) (x % 5 ? fine : strong).push(x, y0, z, x, y1, z);
  for (let y = Math.ceil(y0); y <= y1; y++) (y % 5 ? fine : strong).push(x0, y, z, x1, y, z);
  const lines = (points: number[], color: string) => new LineSegments(new BufferGeometry().setAttribute("position", new Float32BufferAttribute(points, 3)), new LineBasicMaterial({ color, transparent: true, opacity: 0.6 }));
  const made = new Group();
  made.add(lines(fine, "#4d535d"), lines(strong, "#737b88"));
  return made;
}

/** Metres along the rail, painted on the floor beside it. */
function metres(hall: HallDescription, rail: NonNullable<HallDescription["rail"]>): Mesh {
  const [low, high] = rail.stroke_m;
  const [x0, y0] = rail.origin_lab_m;
  const [width, height] = [high - low + 2, 0.5];
  const canvas = document.createElement("canvas");
  canvas.width = 4096;
  canvas.height = Math.round((4096 * height) / width);
  const pen = canvas.getContext("2d")!;
  const scale = canvas.width / width;
  pen.textAlign = "center";
  pen.textBaseline = "middle";
  for (let m = Math.ceil(low); m <= high; m++) {
    const strong = m % 5 === 0;
    pen.font = `${strong ? 600 : 400} ${Math.round((strong ? 0.3 : 0.19) * scale)}px "DejaVu Sans", system-ui, sans-serif`;
    pen.fillStyle = strong ? "#c9a13b" : "#8d95a1";
    pen.fillText(m === Math.ceil(low) ? `${m} m` : String(m), (m - low + 1) * scale, canvas.height * 0.55);
  }
  const texture = new CanvasTexture(canvas);
  texture.colorSpace = SRGBColorSpace;
  texture.anisotropy = 4;
  const made = new Mesh(new PlaneGeometry(width, height), new MeshBasicMaterial({ map: texture, transparent: true, opacity: 0.85, depthWrite: false }));
  made.position.set(x0 + (low + high) / 2, y0 - 1.2, hall.floor_z_m + 0.006);
  return made;
}

/** Seen from inside only: from outside one looks through it. */
function wall(hall: HallDescription, [from, to]: [Pair, Pair]): Mesh {
  const height = hall.plan.wall_height_m;
  const length = Math.hypot(to[0] - from[0], to[1] - from[1]);
  const made = new Mesh(new PlaneGeometry(length, height), new MeshLambertMaterial({ color: "#2c323c" }));
  made.position.set((from[0] + to[0]) / 2, (from[1] + to[1]) / 2, hall.floor_z_m + height / 2);
  const middle = new Vector3((hall.plan.floor_x_m[0] + hall.plan.floor_x_m[1]) / 2, (hall.plan.floor_y_m[0] + hall.plan.floor_y_m[1]) / 2, made.position.z);
  const across = new Vector3(to[1] - from[1], from[0] - to[0], 0).normalize();
  if (across.dot(middle.sub(made.position)) < 0) across.negate();
  made.up.copy(UP);
  made.lookAt(made.position.clone().add(across));
  made.receiveShadow = true;
  return made;
}

/** Posts, and seven wires between them. */
function fence(hall: HallDescription): Group {
  const made = new Group();
  const { fence_posts, fence_height_m: height, fence: lines } = hall.plan;
  const post = new MeshLambertMaterial({ color: "#b8921f" });
  const shape = new CylinderGeometry(0.03, 0.03, height, 10).rotateX(Math.PI / 2);
  for (const [x, y] of fence_posts) {
    const rod = new Mesh(shape, post);
    rod.position.set(x, y, hall.floor_z_m + height / 2);
    made.add(rod);
  }
  const wires: number[] = [];
  for (let k = 0; k < 9; k++) {
    const z = hall.floor_z_m + 0.2 + (k / 8) * (height - 0.2);
    for (const [[x0, y0], [x1, y1]] of lines) wires.push(x0, y0, z, x1, y1, z);
  }
  made.add(new LineSegments(new BufferGeometry().setAttribute("position", new Float32BufferAttribute(wires, 3)), new LineBasicMaterial({ color: "#6d727b", transparent: true, opacity: 0.6 })));
  return made;
}

function pedestal(hall: HallDescription): Group {
  const made = new Group();
  if (!hall.pedestal) return made;
  const { xy_m, half_m, top_z_m } = hall.pedestal;
  const height = top_z_m - hall.floor_z_m;
  if (!(height > 0.02)) return made;
  const block = new Mesh(new RoundedBoxGeometry(2 * half_m, 2 * half_m, height, 2, 0.02), STEEL);
  block.position.set(...xy_m, hall.floor_z_m + height / 2);
  const foot = new Mesh(new RoundedBoxGeometry(2 * half_m + 0.3, 2 * half_m + 0.3, 0.03, 1, 0.01), DARK);
  foot.position.set(...xy_m, hall.floor_z_m + 0.015);
  block.castShadow = block.receiveShadow = true;
  made.add(block, foot);
  return made;
}

/** The sun simulator on its tripod, with a faint cone of light. */
function floodlight(hall: HallDescription, lamp: Lamp): Group {
  const head = new Vector3(...lamp.head_lab_m);
  const beam = new Vector3(...lamp.beam_lab);
  const hub = new Vector3(head.x, head.y, hall.floor_z_m + 0.9);
  const made = new Group();
  made.add(rod(hub, head, 0.04, DARK));
  for (const angle of [90, 210, 330].map((deg) => (deg * Math.PI) / 180)) {
    made.add(rod(hub, new Vector3(head.x + 0.6 * Math.cos(angle), head.y + 0.6 * Math.sin(angle), hall.floor_z_m + 0.03), 0.025, DARK));
  }
  const at = (along: number) => head.clone().addScaledVector(beam, along);
  made.add(rod(at(-0.25), at(0.25), 0.3, new MeshStandardMaterial({ color: "#3b3f47", roughness: 0.5, metalness: 0.3 })));
  made.add(rod(at(0.25), at(0.262), 0.26, new MeshBasicMaterial({ color: "#fff3d6" })));
  made.add(lightCone(at(0.27), beam, lamp.reach_m));
  return made;
}

function rod(from: Vector3, to: Vector3, radius: number, material: MeshStandardMaterial | MeshBasicMaterial): Mesh {
  const along = to.clone().sub(from);
  const made = new Mesh(new CylinderGeometry(radius, radius, along.length(), 24), material);
  made.position.copy(from).addScaledVector(along, 0.5);
  made.quaternion.copy(new Quaternion().setFromUnitVectors(new Vector3(0, 1, 0), along.normalize()));
  made.castShadow = material instanceof MeshStandardMaterial;
  return made;
}

/** Light that fades on its way. */
function lightCone(from: Vector3, beam: Vector3, reach_m: number): Mesh {
  const shape = new ConeGeometry(1.05, reach_m, 40, 1, true).translate(0, -reach_m / 2, 0);
  const colours: number[] = [];
  const at = shape.getAttribute("position");
  const warm = new Color("#ffe9b8");
  for (let i = 0; i < at.count; i++) colours.push(warm.r, warm.g, warm.b, 0.16 * (1 + at.getY(i) / reach_m));
  shape.setAttribute("color", new Float32BufferAttribute(colours, 4));
  const made = new Mesh(shape, new MeshBasicMaterial({ vertexColors: true, transparent: true, depthWrite: false, side: DoubleSide }));
  made.position.copy(from).addScaledVector(beam, -0.27);
  made.quaternion.setFromUnitVectors(new Vector3(0, -1, 0), beam);
  made.renderOrder = 5;
  made.raycast = () => undefined; // light is nothing to measure from
  return made;
}
