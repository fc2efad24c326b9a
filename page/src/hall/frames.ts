// Coordinate frames as triads, x red, y green, z blue, with their names.
import { Group, type Object3D } from "three";
import type { HallDescription } from "./description";
import { pieces } from "./fat_lines";
import { Label } from "./label";
import type { Machine } from "./machine";

const AXES: [string, [number, number, number]][] = [
  ["#ff5d55", [1, 0, 0]],
  ["#4fd267", [0, 1, 0]],
  ["#5aa2ff", [0, 0, 1]],
];

const SMALL = 0.6; // arms of a cell are smaller than a hall's

export class Frames {
  private readonly triads: Group[] = [];
  readonly labels: Label[] = [];

  constructor(hall: HallDescription, scene: Object3D, machine: Machine) {
    for (const { name, link } of hall.frames) {
      const triad = new Group();
      const length = (link < 0 ? 1.0 : name.startsWith("port") ? 0.5 : 0.4) * (hall.crafts.length ? 1 : SMALL);
      for (const [color, [x, y, z]] of AXES) {
        const line = pieces([0, 0, 0, length * x, length * y, length * z], { color, linewidth: link < 0 ? 2.5 : 2, depthTest: false, transparent: true, opacity: 0.9 });
        line.renderOrder = 10;
        triad.add(line);
      }
      const label = new Label("#dbe2ea", false, name.startsWith("flange"));
      label.say(name);
      triad.add(label.sprite);
      (link < 0 ? scene : machine.links[link]!).add(triad);
      this.triads.push(triad);
      this.labels.push(label);
    }
  }

  show(on: boolean): void {
    for (const triad of this.triads) triad.visible = on;
  }
}
