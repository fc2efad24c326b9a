// Numbers of a picture: how its levels are spread, how many are at the end of the scale, which limits a scale of colours wants.

export interface Spread {
  counts: Float64Array; // by bin, from the lower limit on
  low: number;
  high: number;
  total: number; // values that are numbers
  saturated: number; // of them at or above the highest level; 0 where there is none
  mean: number;
}

/** Values in `bins` equal bins from `low` to `high`, those beyond in the last ones. Every `step`th value, from `first` on. */
export function spread(values: ArrayLike<number>, low: number, high: number, bins: number, white = Infinity, first = 0, step = 1): Spread {
  const counts = new Float64Array(bins);
  const scale = bins / Math.max(high - low, 1e-9);
  let [total, saturated, sum] = [0, 0, 0];
  for (let k = first; k < values.length; k += step) {
    const value = values[k]!;
    if (!Number.isFinite(value)) continue;
    counts[Math.min(bins - 1, Math.max(0, Math.floor((value - low) * scale)))]!++;
    total++;
    sum += value;
    if (value >= white) saturated++;
  }
  return { counts, low, high, total, saturated, mean: total ? sum / total : NaN };
}

/** Bins of a picture with levels from 0 to `white`: the highest level has the last one to itself where there are few levels. */
export function levelSpread(values: ArrayLike<number>, white: number): Spread {
  return spread(values, 0, white + 1, Math.min(256, white + 1), white);
}

/** The value below which a share of the numbers lies, of a thousand of them or so. */
export function quantiles(values: ArrayLike<number>, shares: number[], first = 0, step = 1): number[] {
  const stride = step * Math.max(1, Math.floor(values.length / step / 4000));
  const some: number[] = [];
  for (let k = first; k < values.length; k += stride) if (Number.isFinite(values[k]!)) some.push(values[k]!);
  const sorted = Float64Array.from(some).sort();
  return shares.map((share) => (sorted.length ? sorted[Math.min(sorted.length - 1, Math.round(share * (sorted.length - 1)))]! : NaN));
}

/** Round limits round a span, so that a scale does not change with every picture. */
export function roundLimits(low: number, high: number): [number, number] {
  if (!(high >= low)) return [0, 1];
  const rough = Math.max((high - low) / 4, 1e-3 * Math.max(1, Math.abs(high)));
  const decade = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((k) => k * decade).find((each) => each >= rough)!;
  const [from, to] = [Math.floor(low / step) * step, Math.ceil(high / step) * step];
  return [from, to > from ? to : from + step];
}
