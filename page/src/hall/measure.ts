// Measuring: two clicks, or the two ports; a line with its length.
import { Mesh, MeshBasicMaterial, Raycaster, type Scene, SphereGeometry, Vector2, Vector3, type Object3D } from "three";
import type { Line2 } from "three/examples/jsm/lines/Line2.js";
import type { Triple } from "./description";
import { through } from "./fat_lines";
import { Label } from "./label";
import type { Stage } from "./stage";
import { measured, type Measurement } from "./view";

const COLOUR = "#f778ba";
const DRAG_PX = 4; // further is turning the view, not a click

export class Measure {
  readonly label = new Label(COLOUR, true);
  result: Measurement | null = null;
  private first: Triple | null = null;
  private on = false;
  private line: Line2 | null = null;
  private readonly dots: Mesh[];

  constructor(
    private readonly stage: Stage,
    private readonly scene: Scene,
    private readonly targets: Object3D[],
    private readonly ports: () => [Triple, Triple], // port 2 and port 1 in the lab
  ) {
    const ball = new SphereGeometry(0.022, 16, 12);
    const paint = new MeshBasicMaterial({ color: COLOUR, depthTest: false, transparent: true });
    this.dots = [new Mesh(ball, paint), new Mesh(ball, paint)];
    for (const dot of this.dots) dot.renderOrder = 15;
    scene.add(...this.dots, this.label.sprite);
    this.listen(stage.canvas);
    this.draw();
  }

  start(on: boolean): void {
    this.on = on;
    this.first = this.result = null;
    this.stage.canvas.style.cursor = on ? "crosshair" : "";
    this.draw();
  }

  betweenPorts(): void {
    this.on = true;
    this.first = null;
    this.result = measured(...this.ports(), true);
    this.draw();
  }

  /** The robots have moved. */
  moved(): void {
    if (this.result?.ports) this.betweenPorts();
  }

  private listen(canvas: HTMLCanvasElement): void {
    let [x, y] = [0, 0];
    canvas.addEventListener("pointerdown", (event) => ([x, y] = [event.clientX, event.clientY]));
    canvas.addEventListener("pointerup", (event) => {
      if (this.on && Math.hypot(event.clientX - x, event.clientY - y) < DRAG_PX) this.click(event);
    });
  }

  private click(event: PointerEvent): void {
    const box = this.stage.canvas.getBoundingClientRect();
    const at = new Vector2(((event.clientX - box.left) / box.width) * 2 - 1, 1 - ((event.clientY - box.top) / box.height) * 2);
    const ray = new Raycaster();
    ray.setFromCamera(at, this.stage.camera);
    const hit = ray.intersectObjects(this.targets, true).find(({ object }) => object instanceof Mesh && visible(object));
    if (!hit) return;
    const point = hit.point.toArray() as Triple;
    this.result = this.first ? measured(this.first, point, false) : null;
    this.first = this.first ? null : point;
    this.draw();
  }

  private draw(): void {
    const points = this.result ? [this.result.from_lab_m, this.result.to_lab_m] : this.first ? [this.first] : [];
    this.dots.forEach((dot, k) => {
      dot.visible = k < points.length;
      if (points[k]) dot.position.set(...points[k]);
    });
    if (this.line) {
      this.scene.remove(this.line);
      this.line.geometry.dispose();
      this.line.material.dispose();
      this.line = null;
    }
    this.label.sprite.visible = this.result !== null;
    if (this.result) {
      this.line = through(points.flat(), null, { color: COLOUR, linewidth: 2, depthTest: false, transparent: true });
      this.line.renderOrder = 14;
      this.scene.add(this.line);
      this.label.say(`${this.result.distance_m.toFixed(3)} m`);
      this.label.sprite.position.copy(new Vector3(...points[0]!).lerp(new Vector3(...points[1]!), 0.5));
    }
    this.stage.pace.want();
  }
}

function visible(object: Object3D): boolean {
  return object.visible && (!object.parent || visible(object.parent));
}
