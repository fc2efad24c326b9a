// Where one looks from: free, from above, from the side, through the chaser's eyes; and following the robots.
import { Matrix4, Vector3 } from "three";
import { home, linkPoses, tipOf } from "./chain";
import type { HallDescription } from "./description";
import type { Machine } from "./machine";
import { FREE_FOV_DEG, type Stage } from "./stage";
import type { ViewName } from "./view";

const CHASER_FOV_DEG = 40;
const ROBOTS_M = 5.6; // both robots beyond their ports
const APART_M = 20; // farther apart, the near one is looked at
const ROOMY = 1.85; // of what a cell of arms reaches

export class Cameras {
  private name: ViewName = "free";
  private following = true;
  private readonly last = new Vector3();
  private lastSpan = 1;
  private readonly chaserUp: Vector3;

  constructor(
    private readonly hall: HallDescription,
    private readonly stage: Stage,
    private readonly actual: Machine,
  ) {
    this.chaserUp = uprightAxis(hall);
  }

  choose(name: ViewName = this.name): void {
    this.name = name;
    const { camera, controls } = this.stage;
    controls.enabled = name !== "chaser";
    camera.fov = name === "chaser" ? CHASER_FOV_DEG : FREE_FOV_DEG;
    camera.up.set(0, 0, 1);
    camera.updateProjectionMatrix();
    if (name !== "chaser") this.stand(name);
    this.remember(this.middle());
    this.moved();
  }

  follow(on: boolean): void {
    this.following = on;
    this.remember(this.middle());
  }

  /** The robots have moved. */
  moved(): void {
    const middle = this.middle();
    this.stage.lightAt(middle);
    if (this.name === "chaser") this.lookFromChaser();
    else if (this.following) this.goAlong(middle);
    this.remember(middle);
  }

  /** Keep both robots in sight, from where the operator has turned and zoomed to: go along and step back as they part. */
  private goAlong(middle: Vector3): void {
    const { camera, controls } = this.stage;
    const from = camera.position.clone().sub(controls.target).multiplyScalar(this.span() / this.lastSpan);
    controls.target.add(middle).sub(this.last);
    camera.position.copy(controls.target).add(from);
    controls.update();
  }

  private remember(middle: Vector3): void {
    this.last.copy(middle);
    this.lastSpan = this.span();
  }

  /** What a view must hold, m: the robots and the way between their ports; of a cell of arms, all that it reaches. */
  private span(): number {
    const { x_m, y_m, z_m } = this.hall.room;
    if (!this.hall.crafts.length) return ROOMY * Math.max(x_m[1] - x_m[0], y_m[1] - y_m[0], z_m[1] - z_m[0]);
    return ROBOTS_M + Math.min(APART_M, this.port(0).distanceTo(this.port(1)));
  }

  private port(robot: 0 | 1): Vector3 {
    return new Vector3().setFromMatrixPosition(this.actual.pose(tipOf(this.hall, robot)));
  }

  private middle(): Vector3 {
    const { x_m, y_m, z_m } = this.hall.room;
    if (!this.hall.crafts.length) return new Vector3(x_m[0] + x_m[1], y_m[0] + y_m[1], z_m[0] + z_m[1]).multiplyScalar(0.5);
    return this.port(0).add(this.port(1)).multiplyScalar(0.5);
  }

  private stand(name: ViewName): void {
    const { camera, controls } = this.stage;
    const [span, ports] = [this.span(), this.hall.crafts.length > 0];
    const apart = span - ROBOTS_M;
    const middle = this.middle();
    const wide = Math.max(1, 1.5 / camera.aspect);
    controls.target.copy(middle);
    if (name === "top") camera.position.set(middle.x, middle.y - 0.02, middle.z + (ports ? 8 + 1.15 * apart : span) * wide);
    else if (name === "side") camera.position.set(middle.x, middle.y - (ports ? 7.5 + 1.05 * apart : span) * wide, middle.z + 0.2);
    else {
      if (ports) controls.target.add(new Vector3(0.3, 0, -0.6));
      const away = span * wide;
      const [azimuth, rise] = [-1.08, 0.3]; // from the open side, rad
      camera.position.set(Math.cos(azimuth) * Math.cos(rise), Math.sin(azimuth) * Math.cos(rise), Math.sin(rise)).multiplyScalar(away).add(controls.target);
    }
    controls.update();
  }

  /** From the front of port 1's box along the docking axis: port 1's x points into its flange, so it looks along -x. */
  private lookFromChaser(): void {
    const craft = this.hall.crafts[0];
    if (!craft) return;
    const pose = this.actual.pose(craft.port);
    const { camera } = this.stage;
    const back = new Vector3().setFromMatrixColumn(pose, 0); // a camera looks along its own -z
    const up = this.chaserUp.clone().transformDirection(pose);
    camera.position.set(craft.box_m[0][0], 0, 0).applyMatrix4(pose);
    camera.quaternion.setFromRotationMatrix(new Matrix4().makeBasis(up.clone().cross(back), up, back));
    camera.updateMatrixWorld();
  }
}

/** The chaser's camera is mounted upright for docking, when both ports have the same attitude: up is that axis of port 2 across
 * its x which points up most at home. */
function uprightAxis(hall: HallDescription): Vector3 {
  const T = linkPoses(hall, home(hall))[tipOf(hall, 1)]!;
  const [y, z] = [T[9]!, T[10]!];
  return Math.abs(y) > Math.abs(z) ? new Vector3(0, Math.sign(y), 0) : new Vector3(0, 0, Math.sign(z) || 1);
}
