// An operator points into a picture: press where the target's middle is, draw to the radius, let go. By keys: Enter where the cross is.
import type { Circle } from "./overlay";

const CLICK_PX = 4; // of the page: less than that is no drawing
const USUAL = 0.06; // of the width, where nothing was drawn
const LEAST = 1; // px

export interface Size {
  width: number;
  height: number;
}

/** Inside of the picture: what is beyond its rim means the rim. */
export function circleAt(size: Size, right: number, down: number, radius: number): Circle {
  const within = (value: number, most: number) => Math.min(most, Math.max(0, value));
  return { right: within(right, size.width - 1), down: within(down, size.height - 1), radius: Math.min(Math.max(LEAST, radius), Math.max(size.width, size.height)) };
}

/** From where it was pressed to where the pointer is; `scale`: px of the page for one of the picture. */
export function drawnCircle(size: Size, from: [number, number], to: [number, number], scale: number): Circle {
  const far = Math.hypot(to[0] - from[0], to[1] - from[1]);
  return circleAt(size, from[0], from[1], far * scale < CLICK_PX ? USUAL * size.width : far);
}
