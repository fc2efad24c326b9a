// Bounds of the server's clock: true ages are never above what is said, whatever the line and the clocks do.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const source = fileURLToPath(new URL("../src/server_clock.ts", import.meta.url));
const built = await build({ entryPoints: [source], bundle: true, format: "esm", write: false });
const { ServerClock } = await import(`data:text/javascript;base64,${Buffer.from(built.outputFiles[0].text).toString("base64")}`);

/** A clock that has heard soundings [t0, t1, server]. */
function heard(...soundings) {
  const clock = new ServerClock();
  for (const sounding of soundings) clock.take(...sounding);
  return clock;
}

test("without a sounding nothing is known", () => {
  const clock = heard();
  assert.equal(clock.known, false);
  assert.equal(clock.roundTrip, Infinity);
});

test("a sounding bounds ages from above and moments from below", () => {
  const clock = heard([1000, 1040, 5000]); // the server said 5000 between 1000 and 1040
  assert.ok(clock.known);
  assert.ok(Math.abs(clock.mostAge(1100, 5000) - 100) < 0.01); // said at 1000 at the earliest
  assert.ok(Math.abs(clock.earliest(1100) - 5060) < 0.01); // said at 1040 at the latest
});

test("the tightest of several soundings counts, and the last round trip is told", () => {
  const clock = heard([0, 40, 1020], [1000, 1004, 2003], [2000, 2060, 3030]);
  assert.ok(Math.abs(clock.mostAge(2100, 3000) - 103) < 0.1); // from the second: t0 - s = -1003
  assert.equal(clock.roundTrip, 60);
});

test("ages stay bounds while two clocks drift apart", () => {
  const clock = heard([0, 2, 1000]);
  const hour = 3_600_000;
  const said = 1000 + hour * (1 - 4e-5); // a server that is slow by 40 ppm, at `hour` of ours
  assert.ok(clock.mostAge(hour, said) >= 0);
  assert.ok(clock.earliest(hour) <= said);
});

test("our clock was held: soundings before it make nothing younger", () => {
  const clock = heard([0, 10, 1000], [1000, 1010, 2000]);
  // It stood for 60 s: ours goes on at 2000 while the server's is at 63 s.
  clock.take(2000, 2010, 63_005);
  assert.ok(clock.mostAge(2010, 63_000) <= 15.1);
  assert.ok(clock.mostAge(2010, 3000) >= 60_000); // a cycle of before the pause; older soundings would say 10 ms
  assert.ok(clock.earliest(2010) >= 63_004);
});

test("the server's clock was held or is another one", () => {
  const clock = heard([0, 10, 50_000], [1000, 1010, 51_000]);
  clock.take(2000, 2010, 7);
  assert.ok(clock.mostAge(2020, 7) <= 20.1);
  assert.ok(clock.earliest(2020) <= 17.1);
});

test("soundings that agree within the drift are kept", () => {
  const clock = heard([0, 2, 1000], [19_000, 19_040, 20_000.9]); // 0.9 ms apart after 19 s: drift, no contradiction
  assert.ok(clock.mostAge(19_050, 20_000) < 51);
  assert.equal(heard([0, 2, 1000], [19_000, 19_001, 20_004]).earliest(19_001), 20_004 - 5e-5); // 2 ms too much: only the new one
});

test("old soundings go when newer ones come, and stay while none does", () => {
  const clock = heard([0, 2, 1000]);
  assert.ok(clock.mostAge(600_000, 1000) >= 600_000);
  clock.take(600_000, 600_100, 601_050);
  assert.ok(clock.mostAge(600_100, 601_050) >= 100);
});
