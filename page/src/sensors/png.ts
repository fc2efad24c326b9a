// Grey PNG of 8 or 16 bits as the numbers that it holds: what a browser draws of 16 bits are the upper eight.

const SIGNATURE = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
const MOST_PIXELS = 24_000_000;

export interface Levels {
  width: number;
  height: number;
  levels: Uint8Array | Uint16Array; // row by row
}

interface Header {
  width: number;
  height: number;
  bytes: number; // of a pixel
}

/** Throws in words where it is none of ours. */
export async function decodeGrey(data: Uint8Array): Promise<Levels> {
  const { header, parts } = read(data);
  const row = header.width * header.bytes;
  const raw = await inflated(parts, header.height * (row + 1));
  const plain = unfiltered(raw, row, header.height, header.bytes);
  return { width: header.width, height: header.height, levels: header.bytes === 1 ? plain : words(plain) };
}

function read(data: Uint8Array): { header: Header; parts: Uint8Array<ArrayBuffer>[] } {
  if (!SIGNATURE.every((byte, k) => data[k] === byte)) throw new Error("no PNG");
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  let header: Header | null = null;
  const parts: Uint8Array<ArrayBuffer>[] = [];
  for (let at = 8; at + 12 <= data.length; ) {
    const length = view.getUint32(at);
    const name = String.fromCharCode(...data.subarray(at + 4, at + 8));
    const body = data.subarray(at + 8, at + 8 + length) as Uint8Array<ArrayBuffer>;
    if (name === "IHDR") header = headerOf(new DataView(body.buffer, body.byteOffset, body.byteLength));
    else if (name === "IDAT") parts.push(body);
    else if (name === "IEND") break;
    at += 12 + length;
  }
  if (!header || !parts.length) throw new Error("a PNG without a picture");
  return { header, parts };
}

function headerOf(view: DataView): Header {
  const [width, height, depth, colours, interlaced] = [view.getUint32(0), view.getUint32(4), view.getUint8(8), view.getUint8(9), view.getUint8(12)];
  if (colours !== 0 || interlaced || (depth !== 8 && depth !== 16)) throw new Error("a PNG that is not plain grey of 8 or 16 bits");
  if (!(width * height > 0 && width * height <= MOST_PIXELS)) throw new Error(`a PNG of ${width} x ${height}`);
  return { width, height, bytes: depth / 8 };
}

/** Never more than there can be, whatever was packed. */
async function inflated(parts: Uint8Array<ArrayBuffer>[], size: number): Promise<Uint8Array> {
  const reader = new Blob(parts).stream().pipeThrough(new DecompressionStream("deflate")).getReader();
  const out = new Uint8Array(size);
  let at = 0;
  for (let got = await reader.read(); !got.done; got = await reader.read()) {
    if (at + got.value.length > size) throw (void reader.cancel(), new Error("a PNG with more in it than its size"));
    out.set(got.value, at);
    at += got.value.length;
  }
  if (at < size) throw new Error("a PNG that was cut off");
  return out;
}

/** Each row begins with the way in which its bytes were made smaller (PNG, 9.2). */
function unfiltered(raw: Uint8Array, row: number, height: number, step: number): Uint8Array {
  const out = new Uint8Array(row * height);
  for (let y = 0, from = 0, to = 0; y < height; y++, from += row + 1, to += row) {
    const filter = raw[from]!;
    const line = raw.subarray(from + 1, from + 1 + row);
    if (filter === 0) out.set(line, to);
    else if (filter <= 4) undo(filter, line, out, to, row, step, y > 0);
    else throw new Error("a PNG with an unknown filter");
  }
  return out;
}

function undo(filter: number, line: Uint8Array, out: Uint8Array, to: number, row: number, step: number, hasAbove: boolean): void {
  for (let x = 0; x < row; x++) {
    const left = x >= step ? out[to + x - step]! : 0;
    const above = hasAbove ? out[to + x - row]! : 0;
    const corner = hasAbove && x >= step ? out[to + x - row - step]! : 0;
    const guess = filter === 1 ? left : filter === 2 ? above : filter === 3 ? (left + above) >> 1 : paeth(left, above, corner);
    out[to + x] = line[x]! + guess;
  }
}

function paeth(left: number, above: number, corner: number): number {
  const [a, b, c] = [Math.abs(above - corner), Math.abs(left - corner), Math.abs(left + above - 2 * corner)];
  return a <= b && a <= c ? left : b <= c ? above : corner;
}

function words(bytes: Uint8Array): Uint16Array {
  const out = new Uint16Array(bytes.length / 2);
  for (let k = 0; k < out.length; k++) out[k] = (bytes[2 * k]! << 8) | bytes[2 * k + 1]!;
  return out;
}
