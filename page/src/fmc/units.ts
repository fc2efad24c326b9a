// Units of the display: SI, or millimetres and degrees as robot people read them.
import { DEG, fixed } from "../numbers";

export type Units = "mm" | "si";

export interface Shown {
  scale: number;
  unit: string;
  digits: number;
  plain?: boolean; // always with these digits; others get an exponent where they are very small or large
}

const LENGTHS_AND_ANGLES: Record<string, Record<Units, Shown>> = {
  m: { mm: { scale: 1e3, unit: "mm", digits: 3 }, si: { scale: 1, unit: "m", digits: 6 } },
  mm: { mm: { scale: 1, unit: "mm", digits: 3 }, si: { scale: 1e-3, unit: "m", digits: 6 } },
  rad: { mm: { scale: DEG, unit: "deg", digits: 4 }, si: { scale: 1, unit: "rad", digits: 6 } },
  deg: { mm: { scale: 1, unit: "deg", digits: 4 }, si: { scale: 1 / DEG, unit: "rad", digits: 6 } },
  "m/s": { mm: { scale: 1e3, unit: "mm/s", digits: 3 }, si: { scale: 1, unit: "m/s", digits: 6 } },
  "rad/s": { mm: { scale: DEG, unit: "deg/s", digits: 4 }, si: { scale: 1, unit: "rad/s", digits: 6 } },
};
const ORBITAL: Record<string, Shown> = { m: { scale: 1, unit: "m", digits: 3, plain: true }, "m/s": { scale: 1, unit: "m/s", digits: 6, plain: true } };
const FIXED: Record<string, Shown> = {
  s: { scale: 1, unit: "s", digits: 6, plain: true },
  ns: { scale: 1e-9, unit: "s", digits: 6, plain: true }, // as a double, nanoseconds since 1970 are only good to 256
  wire: { scale: 1, unit: "as sent", digits: 4, plain: true },
  quaternion: { scale: 1, unit: "", digits: 6, plain: true },
};

/** How a unit is shown. Distances in orbit stay in metres: nobody reads 7,000 km in mm. */
export function shownIn(units: Units, unit: string, orbital = false): Shown {
  const own = (orbital ? ORBITAL[unit] : undefined) ?? FIXED[unit];
  const both = LENGTHS_AND_ANGLES[unit]?.[units];
  return own ?? (both ? { ...both, plain: true } : undefined) ?? { scale: 1, unit: unit === "1" ? "" : unit, digits: 4 };
}

/** A number with fixed digits; very small and very large ones with an exponent. */
export function written(value: number, shown: Shown): string {
  const scaled = value * shown.scale;
  const size = Math.abs(scaled);
  if (!shown.plain && Number.isFinite(size) && size > 0 && (size < 1e-3 || size >= 1e10)) return scaled.toExponential(3).replaceAll("-", "−");
  return fixed(scaled, shown.digits);
}
