// Lines that are wider than one pixel: frames, boxes, the trail.
import { Line2 } from "three/examples/jsm/lines/Line2.js";
import { LineGeometry } from "three/examples/jsm/lines/LineGeometry.js";
import { LineMaterial, type LineMaterialParameters } from "three/examples/jsm/lines/LineMaterial.js";
import { LineSegments2 } from "three/examples/jsm/lines/LineSegments2.js";
import { LineSegmentsGeometry } from "three/examples/jsm/lines/LineSegmentsGeometry.js";

/** Separate pieces: six numbers each. */
export function pieces(points: number[], look: LineMaterialParameters): LineSegments2 {
  const geometry = new LineSegmentsGeometry().setPositions(points);
  const made = new LineSegments2(geometry, new LineMaterial(look));
  if (look.dashed) made.computeLineDistances();
  return made;
}

/** One line through points, three numbers each, with a colour for every point if given. */
export function through(points: number[], colours: number[] | null, look: LineMaterialParameters): Line2 {
  const geometry = new LineGeometry().setPositions(points);
  if (colours) geometry.setColors(colours);
  const made = new Line2(geometry, new LineMaterial({ ...look, vertexColors: colours !== null }));
  made.frustumCulled = false;
  return made;
}
