// Boxes, cylinders, spheres and meshes as they look when made of something: edges broken, texture coordinates in metres.
import { BoxGeometry, BufferAttribute, BufferGeometry, CylinderGeometry, LatheGeometry, Matrix4, SphereGeometry, Vector2 } from "three";
import { RoundedBoxGeometry } from "three/examples/jsm/geometries/RoundedBoxGeometry.js";
import { mergeGeometries, mergeVertices } from "three/examples/jsm/utils/BufferGeometryUtils.js";
import type { Pose, Solid } from "./description";

const SMALL_M = 0.012; // thinner things keep their sharp edges

export function matrixOf(T: Pose): Matrix4 {
  return new Matrix4().set(...(T as Parameters<Matrix4["set"]>));
}

export type Detail = "fine" | "plain"; // plain: sharp edges, a twentieth of the triangles

/** One geometry of all solids, in the link's frame. */
export function together(solids: readonly Solid[], detail: Detail): BufferGeometry | null {
  const parts = solids.map((solid) => {
    const part = detail === "plain" ? sharp(solid) : broken(solid);
    inMetres(part);
    return (part.index ? part : mergeVertices(part)).applyMatrix4(matrixOf(solid.T_link_solid));
  });
  return parts.length ? mergeGeometries(parts) : null;
}

function sharp(solid: Solid): BufferGeometry {
  const { kind, size_m: [a = 0, b = 0, c = 0] } = solid;
  if (kind === "mesh") return faceted(solid);
  if (kind === "box") return new BoxGeometry(a, b, c);
  if (kind === "sphere") return new SphereGeometry(a, 20, 12);
  return new CylinderGeometry(a, a, b, 20).rotateX(Math.PI / 2); // three's stands along y, URDF's along z
}

function broken(solid: Solid): BufferGeometry {
  const [a = 0, b = 0, c = 0] = solid.size_m;
  if (solid.kind === "mesh") return faceted(solid);
  if (solid.kind === "box") {
    const least = Math.min(a, b, c);
    return least < SMALL_M ? sharp(solid) : new RoundedBoxGeometry(a, b, c, 2, Math.min(0.014, 0.12 * least));
  }
  if (solid.kind === "sphere" || Math.min(a, b) < SMALL_M) return sharp(solid);
  return chamfered(a, b);
}

/** A mesh, its faces flat. */
function faceted({ corners_m = [], triangles = [] }: Solid): BufferGeometry {
  const made = new BufferGeometry();
  made.setAttribute("position", new BufferAttribute(Float32Array.from(triangles.flatMap((k) => corners_m.slice(3 * k, 3 * k + 3))), 3));
  made.computeVertexNormals(); // no corner is shared: each face has its own
  return made;
}

/** A cylinder along z with its rims broken. */
function chamfered(radius: number, length: number): BufferGeometry {
  const cut = Math.min(0.012, 0.12 * radius, 0.2 * length);
  const half = 0.5 * length;
  const outline: [number, number][] = [[0, -half], [radius - cut, -half], [radius, -half + cut], [radius, half - cut], [radius - cut, half], [0, half]];
  // Each corner twice: flat faces, not one soft lump.
  const points = outline.flatMap(([x, y], k) => (k === 0 || k === outline.length - 1 ? [new Vector2(x, y)] : [new Vector2(x, y), new Vector2(x, y)]));
  const made = new LatheGeometry(points, 32).rotateX(Math.PI / 2).toNonIndexed();
  made.computeVertexNormals();
  smoothRound(made);
  return made;
}

/** Normals round the mantle and chamfers: away from the axis where the face is not a lid. */
function smoothRound(geometry: BufferGeometry): void {
  const at = geometry.getAttribute("position");
  const normal = geometry.getAttribute("normal");
  for (let i = 0; i < at.count; i++) {
    const along = normal.getZ(i);
    if (Math.abs(along) > 0.99) continue;
    const r = Math.hypot(at.getX(i), at.getY(i)) || 1;
    const across = Math.sqrt(1 - along * along);
    normal.setXYZ(i, (across * at.getX(i)) / r, (across * at.getY(i)) / r, along);
  }
}

/** Texture coordinates in metres, seen along the axis that the face looks along most. */
function inMetres(geometry: BufferGeometry): void {
  const at = geometry.getAttribute("position");
  const normal = geometry.getAttribute("normal");
  const uv = new Float32Array(2 * at.count);
  for (let i = 0; i < at.count; i++) {
    const [x, y, z] = [at.getX(i), at.getY(i), at.getZ(i)];
    const [nx, ny, nz] = [Math.abs(normal.getX(i)), Math.abs(normal.getY(i)), Math.abs(normal.getZ(i))];
    uv.set(nx >= ny && nx >= nz ? [y, z] : ny >= nz ? [x, z] : [x, y], 2 * i);
  }
  geometry.setAttribute("uv", new BufferAttribute(uv, 2));
}
