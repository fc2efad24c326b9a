// CAD models of mock-ups: STL, OBJ, glTF. The readers are loaded when they are needed; nothing but our own server is asked.
import { Box3, Group, LoadingManager, Mesh, MeshStandardMaterial, type Object3D, Vector3 } from "three";
import { fetchOwn } from "../visitor";

export const CAD_FORMATS = ["stl", "obj", "gltf", "glb"];
const MOST_BYTES = 200e6;
const MOST_M = 20; // a mock-up larger than this is a slip of units

/** A model in its own frame and unit, times `scale`; without one it is in metres or, if that would be absurd, in millimetres.
 * Fails with words that an operator can use. */
export async function readCad(source: File | string, format: string, scale: number | null): Promise<Group> {
  if (!CAD_FORMATS.includes(format)) throw new Error(`cannot show .${format}: give one of ${CAD_FORMATS.join(", ")}`);
  const data = await bytes(source);
  const name = typeof source === "string" ? source : source.name;
  let model: Object3D;
  try {
    model = await parse(data, format);
  } catch (error) {
    throw new Error(`${name}: not a ${format.toUpperCase()} model that can be read (${error instanceof Error ? error.message : String(error)})`);
  }
  const made = new Group();
  made.add(model);
  let largest = sized(made, scale ?? 1);
  if (scale === null && largest > MOST_M) largest = sized(made, 1e-3);
  if (!(largest > 0)) throw new Error(`${name}: nothing to see in it`);
  if (largest > MOST_M) throw new Error(`${name}: ${largest.toPrecision(3)} m large, more than ${MOST_M} m; is it in millimetres? set cad_scale = 0.001`);
  made.traverse((part) => (part.castShadow = part.receiveShadow = part instanceof Mesh));
  return made;
}

/** Its largest edge, m, at a scale. */
function sized(made: Group, scale: number): number {
  made.scale.setScalar(scale);
  made.updateMatrixWorld(true);
  const size = new Box3().setFromObject(made).getSize(new Vector3());
  return Math.max(size.x, size.y, size.z);
}

async function bytes(source: File | string): Promise<ArrayBuffer> {
  if (typeof source !== "string") {
    if (source.size > MOST_BYTES) throw new Error(`${source.name}: ${(source.size / 1e6).toFixed(0)} MB, at most ${MOST_BYTES / 1e6} MB`);
    return source.arrayBuffer();
  }
  const answer = await fetchOwn(source);
  if (!answer.ok) throw new Error(`${source}: the server says ${answer.status}`);
  return answer.arrayBuffer();
}

async function parse(data: ArrayBuffer, format: string): Promise<Object3D> {
  if (format === "stl") {
    const { STLLoader } = await import("three/examples/jsm/loaders/STLLoader.js");
    const geometry = new STLLoader().parse(data);
    if (!geometry.getAttribute("position")?.count) throw new Error("no triangles");
    geometry.computeVertexNormals();
    return new Mesh(geometry, new MeshStandardMaterial({ color: "#b9bec6", roughness: 0.5, metalness: 0.25 }));
  }
  if (format === "obj") {
    const { OBJLoader } = await import("three/examples/jsm/loaders/OBJLoader.js");
    return new OBJLoader().parse(new TextDecoder().decode(data));
  }
  const { GLTFLoader } = await import("three/examples/jsm/loaders/GLTFLoader.js");
  const manager = new LoadingManager();
  manager.setURLModifier((url) => (/^(data|blob):/.test(url) ? url : "data:,")); // what it refers to outside of itself stays outside
  return (await new GLTFLoader(manager).parseAsync(data, "")).scene;
}
