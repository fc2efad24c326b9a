// Tables of numbers from the server: a JSON head, then float64 arrays one after another. The other side is console/packed.py.

export interface Packed {
  head: Record<string, unknown>;
  arrays: Map<string, Float64Array>;
}

/** u32 length of the head, the head (padded to 8 bytes with blanks), the arrays in the order of head.arrays. */
export function unpack(data: ArrayBuffer): Packed {
  const length = new DataView(data).getUint32(0, true);
  const head = JSON.parse(new TextDecoder().decode(new Uint8Array(data, 8, length))) as Record<string, unknown>;
  const arrays = new Map<string, Float64Array>();
  let at = 8 + length;
  for (const [name, count] of head.arrays as [string, number][]) {
    arrays.set(name, new Float64Array(data, at, count));
    at += 8 * count;
  }
  return { head, arrays };
}
