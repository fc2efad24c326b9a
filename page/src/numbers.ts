// Numbers as people of the field read them: units of the display, fixed digits, a real minus sign.

export const DEG = 180 / Math.PI;

export interface Shown {
  scale: number;
  unit: string;
  digits: number;
}

/** How a variable of the pool is shown: metres as mm where small, radians as degrees. */
export function shownUnit(unit: string): Shown {
  switch (unit) {
    case "rad":
      return { scale: DEG, unit: "deg", digits: 3 };
    case "rad/s":
      return { scale: DEG, unit: "deg/s", digits: 3 };
    case "m":
      return { scale: 1, unit: "m", digits: 4 };
    case "m/s":
      return { scale: 1, unit: "m/s", digits: 4 };
    case "ns":
      return { scale: 1, unit: "ns", digits: 0 };
    case "1":
      return { scale: 1, unit: "", digits: 4 };
    default:
      return { scale: 1, unit, digits: 4 };
  }
}

/** Fixed digits; a dash for what is not a number. */
export function fixed(value: number, digits: number): string {
  if (!Number.isFinite(value)) return value === Infinity ? "∞" : value === -Infinity ? "−∞" : "–";
  const text = value.toFixed(digits);
  return (Number(text) === 0 ? text.replace("-", "") : text).replace("-", "−");
}

/** 12.3 s, 4 min 5 s, 1 h 2 min. */
export function duration(seconds: number): string {
  if (!Number.isFinite(seconds)) return "–";
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`;
}

/** Time of day in UTC with milliseconds. */
export function clockTime(utcMs: number): string {
  return Number.isFinite(utcMs) ? new Date(utcMs).toISOString().slice(11, 23) : "–";
}

/** 1 cycle, 2 cycles. */
export function count(n: number, noun: string): string {
  return `${fixed(n, 0)} ${noun}${n === 1 ? "" : "s"}`;
}
