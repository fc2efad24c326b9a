// The red boxes round the mock-ups, drawn in the colour of their zone, and the yellow layer before them.
import { Box3, BoxGeometry, EdgesGeometry, Group, Mesh, MeshBasicMaterial, Vector3 } from "three";
import type { LineSegments2 } from "three/examples/jsm/lines/LineSegments2.js";
import type { HallDescription } from "./description";
import { pieces } from "./fat_lines";
import type { Machine } from "./machine";
import { zoneColour, type Which } from "./view";

interface Drawn {
  group: Group;
  face: MeshBasicMaterial;
  wire: LineSegments2;
  layer: LineSegments2;
  size: Vector3;
}

export class ZoneBoxes {
  private readonly drawn: Drawn[];

  /** The actual boxes have full lines and faint faces, the commanded ones dashes. */
  constructor(
    hall: HallDescription,
    machine: Machine,
    private readonly which: Which,
  ) {
    this.drawn = hall.crafts.map((craft) => {
      const box = new Box3(new Vector3(...craft.box_m[0]), new Vector3(...craft.box_m[1]));
      const size = box.getSize(new Vector3());
      const group = new Group();
      box.getCenter(group.position);
      const face = new MeshBasicMaterial({ transparent: true, opacity: which === "actual" ? 0.06 : 0.03, depthWrite: false });
      const wire = edges(size, { linewidth: which === "actual" ? 1.6 : 1.4, dashed: which === "commanded", dashSize: 0.05, gapSize: 0.035 });
      const layer = edges(size, { color: zoneColour("YELLOW"), linewidth: 1, opacity: 0.35 });
      layer.visible = false;
      group.add(new Mesh(new BoxGeometry(...size.toArray()), face), wire, layer);
      machine.links[craft.port]!.add(group);
      return { group, face, wire, layer, size };
    });
    this.colour("");
  }

  /** `yellow_m`: how thick the layer is; drawn for the actual boxes only. */
  colour(word: string, yellow_m = 0): void {
    for (const { face, wire, layer, size } of this.drawn) {
      face.color.set(zoneColour(word));
      wire.material.color.set(zoneColour(word));
      layer.visible = this.which === "actual" && yellow_m > 0;
      if (layer.visible) layer.scale.set(1 + (2 * yellow_m) / size.x, 1 + (2 * yellow_m) / size.y, 1 + (2 * yellow_m) / size.z);
    }
  }

  show(on: boolean): void {
    for (const { group } of this.drawn) group.visible = on;
  }
}

function edges(size: Vector3, look: Record<string, unknown>): LineSegments2 {
  const points = new EdgesGeometry(new BoxGeometry(...size.toArray())).getAttribute("position").array;
  return pieces([...points], { transparent: true, depthWrite: false, ...look });
}
