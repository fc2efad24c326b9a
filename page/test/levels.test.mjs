// How the values of a picture are spread, and what is said of a sensor.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

async function load(path) {
  const source = fileURLToPath(new URL(`../src/sensors/${path}`, import.meta.url));
  const built = await build({ entryPoints: [source], bundle: true, format: "esm", write: false });
  return import(`data:text/javascript;base64,${Buffer.from(built.outputFiles[0].text).toString("base64")}`);
}
const { levelSpread, quantiles, roundLimits, spread } = await load("levels.ts");
const { inWords, saidOf } = await load("words.ts");

test("every level of eight bits has a bin, and white is counted", () => {
  const made = levelSpread(Uint8Array.from([0, 7, 7, 254, 255, 255, 255, 255]), 255);
  assert.equal(made.counts.length, 256);
  assert.deepEqual([made.counts[0], made.counts[7], made.counts[254], made.counts[255]], [1, 2, 1, 4]);
  assert.deepEqual([made.saturated, made.total], [4, 8]);
});

test("white of twelve bits is not that of sixteen", () => {
  const made = levelSpread(Uint16Array.from([4095, 4094, 0]), 4095);
  assert.deepEqual([made.saturated, made.counts.length, made.counts[255]], [1, 256, 2]);
});

test("what did not come back is not counted", () => {
  const made = spread(Float32Array.from([NaN, 1, 2, Infinity]), 0, 4, 4);
  assert.deepEqual([[...made.counts], made.total, made.mean], [[0, 1, 1, 0], 2, 1.5]);
});

test("quantiles pass over what is no number", () => {
  assert.deepEqual(quantiles([NaN, 3, 1, 2], [0, 0.5, 1]), [1, 2, 3]);
  assert.deepEqual(quantiles([NaN], [0.5]), [NaN]);
});

test("limits are round, wide enough and never empty", () => {
  assert.deepEqual(roundLimits(3.93, 4.71), [3.8000000000000003, 4.800000000000001]);
  assert.deepEqual(roundLimits(NaN, NaN), [0, 1]);
  const [low, high] = roundLimits(5, 5);
  assert.ok(low <= 5 && high > low);
});

const sensor = { name: "near", kind: "camera", rate_hz: 2, width: 1, height: 1, shows: ["image"] };
const sight = { same: 0, trouble: "" };
for (const [what, args, text, kind] of [
  ["fresh", [sight, 180, "", true], /^0\.18 s old$/, "ok"],
  ["as old as a slow sensor's may be", [sight, 1400, "", true], /^1\.4 s old$/, "ok"],
  ["stale", [sight, 3200, "", true], /^3\.2 s old, no newer one$/, "warn"],
  ["the same bytes three times", [{ ...sight, same: 2 }, 100, "", true], /^frozen: the same to the bit, 3 times$/, "warn"],
  ["twice may be chance", [{ ...sight, same: 1 }, 100, "", true], /old$/, "ok"],
  ["none yet", [undefined, Infinity, "", true], /no image yet/, ""],
  ["of unknown age", [sight, Infinity, "", true], /unknown age/, "warn"],
  ["the line is gone", [sight, 100, "", false], /old$/, "bad"],
  ["the sensors have ended", [sight, 100, "the sensors have ended", true], /old$/, "bad"],
  ["not a picture", [{ ...sight, trouble: "cannot be decoded: no PNG" }, 1, "", true], /no PNG/, "bad"],
]) {
  test(`said: ${what}`, () => {
    const said = saidOf(sensor, ...args);
    assert.match(said.text, text);
    assert.equal(said.kind, kind);
  });
}

test("ages in words", () => assert.deepEqual([40, 9_940, 31_000, 600_000, 1e8].map(inWords), ["0.04 s", "9.9 s", "31 s", "10 min", "28 h"]));
