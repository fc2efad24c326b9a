// Rail, robots and mock-ups as a tree of objects, one for each link: moved by axes, and asked back for them.
import { Group, Matrix4, Mesh, MeshBasicMaterial, type Material, type Object3D } from "three";
import { jointValue, linkInParent, usable } from "./chain";
import type { HallDescription, Solid } from "./description";
import { Finishes } from "./finish";
import { type Detail, matrixOf, together } from "./solids";

/** Lies behind what it coincides with: a ghost that is where it should be is not seen. */
const GHOST = new MeshBasicMaterial({ color: "#4c9bff", transparent: true, opacity: 0.2, depthWrite: false, polygonOffset: true, polygonOffsetFactor: 2, polygonOffsetUnits: 8 });

/** Numbers of a matrix row by row; three keeps them by columns. */
export function rowsOf(matrix: Matrix4): number[] {
  return new Matrix4().copy(matrix).transpose().elements.slice();
}

export class Machine {
  readonly root = new Group();
  readonly links: Group[] = [];
  readonly mockups: [Group, Group] = [new Group(), new Group()]; // what CAD replaces, in the port frames
  private readonly solids: Mesh[] = [];

  constructor(
    readonly hall: HallDescription,
    private readonly finish: "real" | "ghost",
    detail: Detail,
  ) {
    const finishes = new Finishes(detail);
    const moves: boolean[] = [];
    hall.links.forEach((link, k) => {
      moves.push(link.drive >= 0 || (moves[link.parent] ?? false)); // what stands still has no ghost
      const made = new Group();
      made.name = link.name;
      made.matrixAutoUpdate = false;
      made.matrix.copy(matrixOf(linkInParent(link, 0)));
      (link.parent < 0 ? this.root : this.links[link.parent]!).add(made);
      this.links.push(made);
      const holder = new Group();
      if (finish === "real") {
        for (const [material, solids] of byFinish(link.visuals, finishes)) holder.add(solidMesh(solids, material, detail));
      } else if (moves[k]) {
        const geometry = together(link.visuals, detail);
        if (geometry) holder.add(new Mesh(geometry, GHOST));
      }
      made.add(holder);
    });
    hall.crafts.forEach((craft, k) => this.links[craft.port]!.add(this.mockups[k as 0 | 1]));
  }

  /** Move to axes; false, and nothing moves, when they are not numbers. */
  move(q: ArrayLike<number> | null): boolean {
    if (!usable(this.hall, q)) return false;
    this.hall.links.forEach((link, k) => {
      if (link.drive < 0) return;
      const object = this.links[k]!;
      object.matrix.copy(matrixOf(linkInParent(link, q[link.drive]!)));
      object.matrixWorldNeedsUpdate = true;
    });
    this.root.updateMatrixWorld();
    return true;
  }

  /** The axes as the objects stand; angles within half a turn. */
  axes(): number[] {
    const found = new Array<number>(this.hall.axes.length).fill(0);
    this.hall.links.forEach((link, k) => {
      if (link.drive >= 0) found[link.drive] = jointValue(link, rowsOf(this.links[k]!.matrix));
    });
    return found;
  }

  /** T_lab_link. */
  pose(link: number): Matrix4 {
    return this.links[link]!.matrixWorld;
  }

  /** A model in place of a mock-up. */
  mount(robot: 1 | 2, model: Object3D, T_port_model: Matrix4): void {
    const holder = this.mockups[robot - 1]!;
    holder.clear();
    holder.matrixAutoUpdate = false;
    holder.matrix.copy(T_port_model);
    holder.matrixWorldNeedsUpdate = true;
    if (this.finish === "ghost") model.traverse((part) => part instanceof Mesh && Object.assign(part, { material: GHOST, castShadow: false }));
    holder.add(model);
  }

  /** Show the body, and its mock-ups: the drawn ones where no CAD model stands in for them. */
  show(body: boolean, mockups: boolean): void {
    this.hall.links.forEach((link, k) => {
      this.links[k]!.children[0]!.visible = body && (!link.mockup || (mockups && !this.mockups[link.mockup - 1]!.children.length));
    });
    for (const cad of this.mockups) cad.visible = body && mockups;
  }

  /** The guard's collision solids as wires. */
  showSolids(on: boolean): void {
    if (on && !this.solids.length) {
      const wire = new MeshBasicMaterial({ color: "#56d4dd", wireframe: true, transparent: true, opacity: 0.22, depthWrite: false });
      this.hall.links.forEach((link, k) => {
        const geometry = together(link.solids, "plain");
        if (!geometry) return;
        const mesh = new Mesh(geometry, wire);
        this.links[k]!.add(mesh);
        this.solids.push(mesh);
      });
    }
    for (const mesh of this.solids) mesh.visible = on;
  }
}

function byFinish(solids: readonly Solid[], finishes: Finishes): Map<Material, Solid[]> {
  const found = new Map<Material, Solid[]>();
  for (const solid of solids) {
    const material = finishes.of(solid);
    found.set(material, [...(found.get(material) ?? []), solid]);
  }
  return found;
}

function solidMesh(solids: Solid[], material: Material, detail: Detail): Mesh {
  const mesh = new Mesh(together(solids, detail)!, material);
  mesh.castShadow = mesh.receiveShadow = !material.transparent;
  return mesh;
}
