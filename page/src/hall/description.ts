// What the server tells of the hall (GET /api/hall); the other side is console/hall_description.py. Poses: sixteen numbers, row by row.

export type Pose = number[];
export type Triple = [number, number, number];
export type Pair = [number, number];

export interface Solid {
  kind: "box" | "cylinder" | "sphere" | "mesh";
  size_m: number[]; // edges; radius and length along z; radius; edges of the box round it
  T_link_solid: Pose;
  rgba: number[];
  material: string;
  corners_m?: number[]; // of a mesh: x y z of each, in the solid's frame
  triangles?: number[]; // three corners each
}

export interface LinkDescription {
  name: string;
  parent: number; // into links, always an earlier one; -1: the lab
  joint: "fixed" | "revolute" | "prismatic";
  axis: Triple;
  drive: number; // which of the axes moves it; -1: none
  T_parent_joint: Pose;
  mockup: 0 | 1 | 2; // part of that robot's mock-up
  visuals: Solid[];
  solids: Solid[];
}

export interface CadDescription {
  format: string;
  url: string;
  scale: number;
  T_port_cad: Pose;
}

export interface Lamp {
  head_lab_m: Triple;
  beam_lab: Triple;
  reach_m: number;
}

export interface Craft {
  robot: 1 | 2;
  what: string;
  flange: number; // into links
  port: number;
  T_flange_port: Pose;
  box_m: [Triple, Triple]; // where red begins, in the port frame
  cad: CadDescription | null;
}

export interface Arm {
  robot: number;
  base: number; // into links
  flange: number;
}

/** A hall has spacecraft, a rail, a pedestal and a lamp; a cell of arms may have a rail. */
export interface HallDescription {
  name: string;
  axes: { name: string; unit: string; range: [number | null, number | null]; home: number }[];
  links: LinkDescription[];
  frames: { name: string; link: number }[];
  arms: Arm[];
  crafts: [Craft, Craft] | [];
  floor_z_m: number;
  room: { x_m: Pair; y_m: Pair; z_m: Pair };
  yellow_layer_m: number;
  rail: { origin_lab_m: Triple; stroke_m: Pair } | null;
  plan: {
    floor_x_m: Pair;
    floor_y_m: Pair;
    walls: [Pair, Pair][];
    wall_height_m: number;
    fence: [Pair, Pair][];
    fence_posts: Pair[];
    fence_height_m: number;
  };
  pedestal: { xy_m: Pair; half_m: number; top_z_m: number } | null;
  lamp: Lamp | null;
}
