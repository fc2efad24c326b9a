// A bar of where an axis stands between its ends. Endless axes have no bar: they say so.
import type { Desk } from "../desk";
import { el, mark, say } from "../dom";
import { DEG, fixed } from "../numbers";

const NEAR = 0.05; // of the range: closer to an end is worth a look

export interface RangeBar {
  element: HTMLElement;
  update(): void;
}

/** `axis` counts among those of the cell. */
export function rangeBar(desk: Desk, axis: number, withEnds: boolean): RangeBar {
  const mark_ = el("i");
  const track = el("div.track.live", null, mark_);
  const [from, to] = [el("span.end"), el("span.end.to")];
  const element = withEnds ? el("div.range", null, from, track, to) : el("div.range.bare", null, track);
  let known: unknown = null;
  return {
    element,
    update() {
      const limits = desk.hello?.axes[axis];
      if (!limits) return;
      if (limits !== known) {
        known = limits;
        mark(element, "endless", limits.lower === null);
        say(from, limits.lower === null ? "endless" : end(limits.lower, limits.slides));
        say(to, limits.upper === null ? "" : end(limits.upper, limits.slides));
      }
      if (limits.lower === null || limits.upper === null) return;
      const share = (desk.value(`actual.${limits.name}`) - limits.lower) / (limits.upper - limits.lower);
      const place = Number.isFinite(share) ? Math.min(Math.max(share, 0), 1) : 0.5;
      mark_.style.left = `${(place * 100).toFixed(2)}%`;
      mark(mark_, "near", !(place > NEAR && place < 1 - NEAR));
    },
  };
}

function end(value: number, slides: boolean): string {
  return slides ? `${fixed(value * 1000, 0)} mm` : `${fixed(value * DEG, 0)}°`;
}
