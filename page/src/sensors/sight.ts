// What a sensor has seen, as numbers: from the bytes that the server sends. The other side is src/proxops/console/sight.py.
import { decodeGrey } from "./png";

export type Part = "image" | "depth" | "intensity" | "points" | "marks";

/** Marks of one colour, one layer after the other in the values: u v of each point, or of both ends of each line; of a scan x y z. */
export interface Layer {
  kind: "points" | "lines" | "cloud";
  count: number; // of points, or ends
  colour: [number, number, number];
}

/** What is said beside the bytes. */
interface Head {
  sensor: string;
  what: Part;
  serial: number;
  at_ms: number; // middle of the exposure, server's clock
  same: number; // sights before it with the same bytes
  format: "png" | "u8" | "u16" | "f32" | "xyzi" | "marks";
  layers?: Layer[];
  width?: number;
  height?: number;
  count?: number; // points before they were thinned out
  number?: number; // of this sensor's exposures
  exposure_s?: number;
  gain_db?: number;
  white?: number; // highest level
}

export interface Sight extends Head {
  width: number;
  height: number;
  values: Uint8Array | Uint16Array | Float32Array; // pixels row by row; of points x y z intensity, one after the other
  trouble: string; // why there are no values
}

/** The head of a sight, and its bytes. */
export function unpackSight(data: ArrayBuffer): { head: Head; bytes: Uint8Array } {
  const length = new DataView(data).getUint32(4, true);
  const head = JSON.parse(new TextDecoder().decode(new Uint8Array(data, 8, length))) as Head;
  return { head, bytes: new Uint8Array(data, 8 + length) };
}

export async function decodeSight(head: Head, bytes: Uint8Array): Promise<Sight> {
  const sight: Sight = { ...head, width: head.width ?? 0, height: head.height ?? 0, values: new Uint8Array(0), trouble: "" };
  try {
    sight.values = head.format === "png" ? (await decodeGrey(bytes)).levels : plain(head.format, bytes);
  } catch (error) {
    sight.trouble = `cannot be decoded: ${error instanceof Error ? error.message : String(error)}`;
  }
  return sight;
}

function plain(format: Head["format"], bytes: Uint8Array): Sight["values"] {
  const { buffer, byteOffset, length } = bytes; // the head is padded: numbers stand where they may
  if (format === "u8") return bytes;
  return format === "u16" ? new Uint16Array(buffer, byteOffset, length / 2) : new Float32Array(buffer, byteOffset, length / 4);
}
