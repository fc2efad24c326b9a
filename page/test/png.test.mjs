// Grey PNG of 8 and 16 bits, with every filter, as its numbers; what is no PNG of ours is refused in words.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { crc32, deflateSync } from "node:zlib";
import { build } from "esbuild";

const source = fileURLToPath(new URL("../src/sensors/png.ts", import.meta.url));
const built = await build({ entryPoints: [source], bundle: true, format: "esm", write: false });
const { decodeGrey } = await import(`data:text/javascript;base64,${Buffer.from(built.outputFiles[0].text).toString("base64")}`);

function chunk(name, body) {
  const data = Buffer.concat([Buffer.from(name), body]);
  const out = Buffer.alloc(data.length + 8);
  out.writeUInt32BE(body.length);
  data.copy(out, 4);
  out.writeUInt32BE(crc32(data), data.length + 4);
  return out;
}

const paeth = (a, b, c) => {
  const [p, q, r] = [Math.abs(b - c), Math.abs(a - c), Math.abs(a + b - 2 * c)];
  return p <= q && p <= r ? a : q <= r ? b : c;
};

/** Row y is written with filter y % 5. `header` changes bytes of it. */
function png(levels, width, height, bits, header = {}, rows = height) {
  const [bytes, row] = [bits / 8, (width * bits) / 8];
  const plain = Buffer.alloc(row * height);
  levels.forEach((level, k) => (bits === 8 ? plain.writeUInt8(level, k) : plain.writeUInt16BE(level, 2 * k)));
  const raw = Buffer.alloc((row + 1) * rows);
  for (let y = 0; y < rows; y++) {
    const filter = (raw[y * (row + 1)] = y % 5);
    for (let x = 0; x < row; x++) {
      const at = y * row + x;
      const left = x >= bytes ? plain[at - bytes] : 0;
      const above = y ? plain[at - row] : 0;
      const corner = y && x >= bytes ? plain[at - row - bytes] : 0;
      raw[y * (row + 1) + 1 + x] = plain[at] - [0, left, above, (left + above) >> 1, paeth(left, above, corner)][filter];
    }
  }
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width);
  head.writeUInt32BE(height, 4);
  head[8] = bits;
  for (const [at, value] of Object.entries(header)) head[at] = value;
  const packed = deflateSync(raw);
  const cut = packed.length >> 1; // in two parts
  const parts = [["IHDR", head], ["tEXt", Buffer.from("a\0b")], ["IDAT", packed.subarray(0, cut)], ["IDAT", packed.subarray(cut)], ["IEND", Buffer.alloc(0)]];
  return new Uint8Array(Buffer.concat([Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]), ...parts.map((part) => chunk(...part))]));
}

for (const bits of [8, 16]) {
  test(`${bits} bits come out as they went in`, async () => {
    const levels = Array.from({ length: 17 * 11 }, (_, k) => (k * k * 131 + 7 * k) % 2 ** bits);
    const found = await decodeGrey(png(levels, 17, 11, bits));
    assert.deepEqual([found.width, found.height, [...found.levels]], [17, 11, levels]);
  });
}

const small = new Array(12).fill(1);
for (const [what, data, words] of [
  ["no PNG", new Uint8Array(50), /no PNG/],
  ["colours", png(small, 4, 3, 8, { 9: 2 }), /plain grey/],
  ["interlaced", png(small, 4, 3, 8, { 12: 1 }), /plain grey/],
  ["an enormous size", png(small, 4, 3, 8, { 0: 127 }), /2130706436 x 3/],
  ["fewer rows than its size says", png(small, 4, 3, 8, {}, 2), /cut off/],
  ["more than its size says", png(small, 4, 3, 8, { 7: 2 }), /more in it/],
  ["half a file", png(small, 4, 3, 8).subarray(0, 40), /without a picture/],
]) {
  test(`refused: ${what}`, () => assert.rejects(decodeGrey(data), words));
}
