// Colours of distances: warm is near, blue is far. The scale is "Turbo" (A. Mikhailov, Google 2019), by its polynomials.

const R = [0.13572138, 4.6153926, -42.66032258, 132.13108234, -152.94239396, 59.28637943];
const G = [0.09140261, 2.19418839, 4.84296658, -14.18503333, 4.27729857, 2.82956604];
const B = [0.1066733, 12.64194608, -60.58204836, 110.36276771, -89.90310912, 27.34824973];
const STEPS = 256;

const at = (p: number[], x: number) => p.reduceRight((sum, each) => sum * x + each, 0);
const byte = (x: number) => Math.round(255 * Math.min(1, Math.max(0, x)));

/** By 256 steps from near to far: 0xAABBGGRR, as a canvas has it in memory. */
export const NEAR_TO_FAR = Uint32Array.from({ length: STEPS }, (_, k) => {
  const x = 0.96 - (0.9 * k) / (STEPS - 1); // without the darkest ends
  return (0xff000000 | (byte(at(B, x)) << 16) | (byte(at(G, x)) << 8) | byte(at(R, x))) >>> 0;
});

/** Where a value stands between two limits, as one of the steps. */
export function stepOf(value: number, low: number, high: number): number {
  return Math.min(STEPS - 1, Math.max(0, Math.round(((value - low) / (high - low)) * (STEPS - 1))));
}

/** As CSS, from the upper end of a bar (far) to the lower one (near). */
export function gradient(): string {
  const stops = Array.from({ length: 17 }, (_, k) => {
    const colour = NEAR_TO_FAR[STEPS - 1 - Math.round((k * (STEPS - 1)) / 16)]!;
    return `rgb(${colour & 255} ${(colour >> 8) & 255} ${(colour >> 16) & 255})`;
  });
  return `linear-gradient(${stops.join(",")})`;
}
