// What one sensor sees, beside the hall. It can be folded; where there is no sensor it is not there.
import type { Desk } from "../desk";
import { el, fill, say } from "../dom";
import type { Eyes } from "./eyes";
import { SensorView } from "./sensor_view";

const HZ = 5;

export class EyeInset {
  readonly element: HTMLElement;
  private readonly select = el("select", { "aria-label": "sensor" }) as HTMLSelectElement;
  private readonly fold = el("button.btn.small", { type: "button", "aria-expanded": "true" }, "Hide") as HTMLButtonElement;
  private readonly said = el("span.tag");
  private readonly place = el("div.eye-place");
  private view: SensorView | null = null;
  private open = true;
  private looking = false;

  constructor(
    private readonly desk: Desk,
    private readonly eyes: Eyes,
  ) {
    const head = el("div.eye-head", null, this.select, this.said, el("span.grow"), this.fold);
    this.element = el("section.panel.eye", { "aria-label": "what a sensor sees", hidden: true }, head, this.place);
    this.select.addEventListener("change", () => this.choose());
    this.fold.addEventListener("click", () => this.toggle());
    desk.on("sensors", () => this.build());
    desk.on("hello", () => this.build());
    this.build();
  }

  update(): void {
    if (!this.view || !this.open) return;
    const said = this.view.update(this.desk.sensors?.trouble ?? "", this.desk.connected);
    const number = this.view.sight?.number;
    const vision = this.eyes.said(this.view.sensor.name);
    say(this.said, [number, vision?.state, said.text].filter((part) => part !== undefined).join(" · "));
    this.said.className = `tag ${said.kind}`;
  }

  /** The page is shown, or no longer: nothing is sent for nobody. */
  look(on: boolean): void {
    this.looking = on;
    this.ask();
  }

  private ask(): void {
    this.eyes.look(this, this.looking && this.open && this.view ? { [this.view.sensor.name]: HZ } : {});
  }

  private build(): void {
    const sensors = this.eyes.sensors;
    const before = this.select.value;
    this.element.hidden = sensors.length === 0;
    fill(this.select, ...sensors.map((sensor) => el("option", { value: sensor.name }, sensor.name)));
    this.select.value = sensors.some((sensor) => sensor.name === before) ? before : (sensors[0]?.name ?? "");
    this.choose();
  }

  private choose(): void {
    const sensor = this.eyes.sensors.find((each) => each.name === this.select.value);
    this.view = sensor ? new SensorView(sensor, this.eyes) : null;
    fill(this.place, this.view?.element);
    this.ask();
  }

  private toggle(): void {
    this.open = !this.open;
    this.place.hidden = this.said.hidden = !this.open;
    say(this.fold, this.open ? "Hide" : "Show");
    this.fold.setAttribute("aria-expanded", String(this.open));
    this.ask();
  }
}
