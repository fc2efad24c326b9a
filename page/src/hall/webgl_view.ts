// The hall in three dimensions. Lab axes as they are: x along the rail, z up, metres.
import { Matrix4, Vector3 } from "three";
import { readCad } from "./cad";
import { Cameras } from "./cameras";
import { home, tipOf } from "./chain";
import type { HallDescription, Triple } from "./description";
import { Frames } from "./frames";
import { Machine, rowsOf } from "./machine";
import { Measure } from "./measure";
import { scenery, type Scenery } from "./scenery";
import { matrixOf } from "./solids";
import { Stage } from "./stage";
import { Trail } from "./trail";
import { LAYERS_OFF, type HallView, type Layer, type Measurement, type ViewName, type Which } from "./view";
import { ZoneBoxes } from "./zone_boxes";

const SAME = 1e-4; // m or rad: less cannot be seen, so nothing is drawn for it

export class WebglView implements HallView {
  readonly webgl = true;
  private readonly stage: Stage;
  private readonly machines: Record<Which, Machine>;
  private readonly boxes: Record<Which, ZoneBoxes>;
  private readonly frames: Frames;
  private readonly trail: Trail;
  private readonly around: Scenery;
  private readonly cameras: Cameras;
  private readonly ruler: Measure;
  private readonly on = new Map<Layer, boolean>();
  private readonly last: Record<Which, number[]> = { actual: [], commanded: [] };
  private commandedKnown = false;

  /** Throws where there is no WebGL. */
  constructor(
    canvas: HTMLCanvasElement,
    private readonly hall: HallDescription,
    lost: (canvas: HTMLCanvasElement) => void,
  ) {
    this.stage = new Stage(canvas, hall, () => (this.trail.refresh(), this.fitLabels()));
    const scene = this.stage.scene;
    const { detail } = this.stage;
    this.machines = { actual: new Machine(hall, "real", detail), commanded: new Machine(hall, "ghost", detail) };
    this.boxes = { actual: new ZoneBoxes(hall, this.machines.actual, "actual"), commanded: new ZoneBoxes(hall, this.machines.commanded, "commanded") };
    this.around = scenery(hall);
    scene.add(this.machines.actual.root, this.machines.commanded.root, this.around.always, this.around.walls, this.around.lamp);
    this.frames = new Frames(hall, scene, this.machines.actual);
    this.trail = new Trail(this.machines.actual.links[tipOf(hall, 1)]!);
    this.cameras = new Cameras(hall, this.stage, this.machines.actual);
    this.ruler = new Measure(this.stage, scene, [this.machines.actual.root, this.around.always, this.around.walls, this.around.lamp], () => [this.portAt(1), this.portAt(0)]);
    for (const machine of Object.values(this.machines)) machine.move(home(hall));
    for (const layer of LAYERS_OFF) this.layer(layer, false);
    this.showBodies();
    this.stage.renderer.domElement.addEventListener("webglcontextlost", (event) => (event.preventDefault(), lost(this.stage.renderer.domElement)));
    this.cameras.choose("free");
    for (const craft of hall.crafts) if (craft.cad) void this.loadCad(craft.robot, craft.cad.url, craft.cad.format).catch((error: Error) => (this.trouble = error.message));
  }

  private trouble = ""; // with a CAD file of the cell

  get text(): string {
    return [this.stage.software ? "3D, drawn without a graphics card" : "", this.trouble].filter(Boolean).join(" · ");
  }

  get drawn(): number {
    return this.stage.pace.drawn;
  }

  setAxes(which: Which, q: ArrayLike<number> | null): void {
    if (which === "commanded" && (q !== null) !== this.commandedKnown) {
      this.commandedKnown = q !== null;
      this.showBodies();
    }
    if (!this.machines[which].move(q)) return;
    const drawn = this.last[which];
    const first = !drawn.length;
    if (!first && drawn.every((old, i) => Math.abs(old - q![i]!) < SAME)) return;
    this.last[which] = Array.from(q!);
    if (which === "actual") {
      if (first) this.cameras.choose(); // so far it looked at home
      else this.cameras.moved();
      this.ruler.moved();
    }
    this.stage.pace.want();
  }

  private zones = "";

  setZones(commanded: string, actual: string, yellow_m: number): void {
    const now = `${commanded} ${actual} ${yellow_m.toFixed(3)}`;
    if (now === this.zones) return;
    this.zones = now;
    this.boxes.commanded.colour(commanded);
    this.boxes.actual.colour(actual, Number.isFinite(yellow_m) ? yellow_m : 0);
    this.stage.pace.want();
  }

  view(name: ViewName): void {
    this.cameras.choose(name);
    this.stage.pace.want();
  }

  follow(on: boolean): void {
    this.cameras.follow(on);
  }

  layer(name: Layer, on: boolean): void {
    this.on.set(name, on);
    if (name === "frames") this.frames.show(on);
    else if (name === "trail") this.trail.show(on);
    else if (name === "walls") this.around.walls.visible = on;
    else if (name === "lamp") this.around.lamp.visible = on;
    else if (name === "solids") this.machines.actual.showSolids(on);
    else if (name === "boxes") for (const boxes of Object.values(this.boxes)) boxes.show(on);
    else this.showBodies();
    this.stage.pace.want();
  }

  measure(on: boolean): void {
    this.ruler.start(on);
  }

  measurePorts(): void {
    this.ruler.betweenPorts();
  }

  measurement(): Measurement | null {
    return this.ruler.result;
  }

  addTrail(p: Triple): void {
    if (this.trail.add(p)) this.stage.pace.want();
  }

  clearTrail(): void {
    this.trail.clear();
    this.stage.pace.want();
  }

  async loadCad(robot: 1 | 2, source: File | string, format?: string): Promise<void> {
    const name = typeof source === "string" ? source : source.name;
    const given = this.hall.crafts[robot - 1]?.cad ?? null;
    const own = typeof source === "string" ? given : null; // a file from the page stands in the port frame
    const model = await readCad(source, (format ?? name.split(".").at(-1) ?? "").toLowerCase(), own ? own.scale : null);
    const T_port_cad = own ? matrixOf(own.T_port_cad) : new Matrix4();
    this.machines.commanded.mount(robot, model.clone(), T_port_cad);
    this.machines.actual.mount(robot, model, T_port_cad);
    this.showBodies();
    this.stage.pace.want();
  }

  resize(): void {
    const holder = this.stage.canvas.parentElement;
    if (holder) this.stage.resize(holder.clientWidth, holder.clientHeight);
  }

  pause(on: boolean): void {
    this.stage.pace.pause(on);
  }

  axesShown(which: Which): number[] {
    return this.machines[which].axes();
  }

  flange(robot: 1 | 2, which: Which): number[] {
    return rowsOf(this.machines[which].pose(this.hall.arms[robot - 1]!.flange));
  }

  /** Give the context back, when another view takes over. */
  end(): void {
    this.stage.pace.pause(true);
    this.stage.controls.dispose();
    this.stage.renderer.dispose();
  }

  private showBodies(): void {
    const mockups = this.on.get("mockups") ?? true;
    this.machines.actual.show(true, mockups);
    this.machines.commanded.show(this.on.get("ghost") ?? true, mockups);
    this.machines.commanded.root.visible = this.commandedKnown;
  }

  private portAt(robot: 0 | 1): Triple {
    return new Vector3().setFromMatrixPosition(this.machines.actual.pose(tipOf(this.hall, robot))).toArray();
  }

  private fitLabels(): void {
    const pixel = this.stage.pixel();
    for (const label of [...this.frames.labels, this.ruler.label]) label.fit(pixel);
  }
}
