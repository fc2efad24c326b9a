// Marks are drawn over the picture that they were found in, or not at all.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const source = fileURLToPath(new URL("../src/sensors/paired.ts", import.meta.url));
const built = await build({ entryPoints: [source], bundle: true, format: "esm", write: false });
const { paired, kept, KEPT } = await import(`data:text/javascript;base64,${Buffer.from(built.outputFiles[0].text).toString("base64")}`);

const at = (number, at_ms = 100 * number) => ({ number, at_ms });

test("the newest picture that has its marks is shown with them", () => {
  const pictures = [at(1), at(2), at(3), at(4)];
  assert.deepEqual(paired(pictures, [at(1), at(3)]), { picture: at(3), marks: at(3) });
});

test("without marks of any of them the newest is shown alone", () => {
  assert.deepEqual(paired([at(7), at(8)], [at(5), at(6)]), { picture: at(8), marks: undefined });
  assert.deepEqual(paired([at(7), at(8)], []), { picture: at(8), marks: undefined });
  assert.deepEqual(paired([], [at(5)]), { picture: undefined, marks: undefined });
});

test("a picture whose marks came too late is not waited for", () => {
  assert.equal(paired([at(1, 0), at(2, 2000)], [at(1)]).picture.number, 1);
  assert.equal(paired([at(1, 0), at(2, 2001)], [at(1)]).picture.number, 2);
});

test("a picture without a number has no marks", () => {
  assert.equal(paired([{ at_ms: 0 }, { at_ms: 1 }], [{ at_ms: 0 }]).marks, undefined);
});

test("so many are kept", () => {
  let all = [];
  for (let k = 0; k < 20; k++) all = kept(all, k);
  assert.equal(all.length, KEPT);
  assert.equal(all[KEPT - 1], 19);
});
