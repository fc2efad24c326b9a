// Which of a sensor's last pictures is shown: image processing takes its time, and its marks belong to the picture that it had.
export const KEPT = 8; // pictures
const BEHIND_MS = 2000; // marks of a picture that is further behind the newest are not waited for

export interface Numbered {
  number?: number; // of the sensor's exposures
  at_ms: number;
}

/** Pictures from old to new; the picture with its marks, or the newest alone. */
export function paired<P extends Numbered, M extends Numbered>(pictures: readonly P[], marks: readonly M[]): { picture: P | undefined; marks: M | undefined } {
  const newest = pictures[pictures.length - 1];
  for (let k = marks.length - 1; newest && k >= 0; k--) {
    const one = marks[k]!;
    const picture = pictures.find((each) => each.number !== undefined && each.number === one.number);
    if (picture && newest.at_ms - picture.at_ms <= BEHIND_MS) return { picture, marks: one };
  }
  return { picture: newest, marks: undefined };
}

/** With one more at the end, and no more than are kept. */
export function kept<T>(before: readonly T[], one: T): T[] {
  return [...before, one].slice(-KEPT);
}
