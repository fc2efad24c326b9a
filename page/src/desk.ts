// What the page knows of the hall: the newest cycle with its age, events, who holds control, what is possible now.
import { HEAD, Link, type Frame } from "./link";
import { SYSTEMS, type ControlState, type EventItem, type Hello, type Refusals, type Reply, type RunState, type SensorsState, type Status, type SystemName, type TimingState, type UploadState, type VisionState } from "./messages";
import { DEG } from "./numbers";
import { PoolRecord, PoolTable } from "./record";
import { decodeSight, unpackSight, type Sight } from "./sensors/sight";

export const STALE_MS = 250; // older data greys out; looked at every 25 ms
const EVENTS_KEPT = 2000;
const SYSTEM_VALUES = 2 * 4 * 22; // commanded and actual in four coordinate systems

export type Topic = "frame" | "hello" | "events" | "status" | "control" | "buttons" | "run" | "upload" | "timing" | "lists" | "state" | "sensors" | "sight" | "vision";

export class Desk {
  hello: Hello | null = null;
  record: PoolRecord | null = null;
  events: EventItem[] = [];
  status: Status | null = null;
  control: ControlState = { kind: "control", holder: null, viewers: [], said: "" };
  refusals: Refusals = {};
  run: RunState | null = null;
  upload: UploadState | null = null;
  timing: TimingState | null = null;
  sensors: SensorsState | null = null; // none: the facility has no imaging sensors
  sight: Sight | null = null; // the newest that came
  vision: VisionState | null = null; // none: nobody looks for the target in images
  connected = false;
  why = "connecting"; // not connected
  frames = 0;
  private table: PoolTable | null = null;
  private cycleMs = NaN; // time of the newest cycle, server's clock
  private aged = { cycleMs: NaN, ageMs: 0, at: 0 }; // what was last said of its age
  private values: Float64Array | null = null;
  private readonly listeners = new Map<Topic, Set<() => void>>();
  private readonly link: Link;

  constructor(address: string, name: () => string, token: string) {
    this.link = new Link(address, name, token, {
      onFrame: (frame) => this.takeFrame(frame),
      onSight: (data) => void this.takeSight(data),
      onMessage: (message) => this.takeMessage(message),
      onState: (connected, why) => {
        this.connected = connected;
        this.why = why;
        if (!connected) this.control = { ...this.control, holder: null, viewers: [] };
        this.tell("state");
      },
    });
  }

  /** Listen to a topic; call the result to stop. */
  on(topic: Topic, listener: () => void): () => void {
    if (!this.listeners.has(topic)) this.listeners.set(topic, new Set());
    this.listeners.get(topic)?.add(listener);
    return () => this.listeners.get(topic)?.delete(listener);
  }

  /** Ask the server or, through it, the facility for something. */
  ask(verb: string, args: Record<string, unknown> = {}, ttlMs?: number): Promise<Reply> {
    return this.link.ask(verb, args, ttlMs);
  }

  /** Which sensors this page looks at, and how often a second; false when it could not be said. */
  lookAt(at: Record<string, number>): boolean {
    return this.link.look(at);
  }

  /** At most so old is what was at a moment of the server's clock, ms. */
  ageOfMs(at_ms: number, now = performance.now()): number {
    return this.link.clock.known ? this.link.clock.mostAge(now, at_ms) : Infinity;
  }

  /** At most so old is the newest cycle, ms; infinite without one. It counts on when the line is lost, and no cycle ever gets younger. */
  ageMs(now = performance.now()): number {
    const bound = Number.isFinite(this.cycleMs) && this.link.clock.known ? this.link.clock.mostAge(now, this.cycleMs) : Infinity;
    const before = this.aged;
    const ageMs = before.cycleMs === this.cycleMs ? Math.max(bound, before.ageMs + now - before.at) : bound;
    this.aged = { cycleMs: this.cycleMs, ageMs, at: now };
    return ageMs < 0 ? Infinity : ageMs; // a cycle of the future is of another clock
  }

  get stale(): boolean {
    return !(this.ageMs() <= STALE_MS);
  }

  /** Of the last ping that was answered. */
  get roundTripMs(): number {
    return this.link.clock.roundTrip;
  }

  /** Time since the last frame or answered ping, ms. */
  silentMs(now = performance.now()): number {
    return now - this.link.aliveAt;
  }

  /** The name under which others see this page. */
  get ownName(): string {
    return this.control.viewers.find((viewer) => viewer.id === this.hello?.id)?.name ?? "";
  }

  /** True when this page holds control. */
  get holding(): boolean {
    return this.hello !== null && this.control.holder?.id === this.hello.id;
  }

  value(path: string): number {
    return this.record?.value(path) ?? NaN;
  }

  word(path: string): string {
    return this.record?.word(path) ?? "–";
  }

  get mode(): string {
    return this.word("state.mode");
  }

  /** All axes of the cell: m where they slide, else rad. */
  axes(group: "actual" | "setpoint" | "wish"): number[] {
    return (this.hello?.axes ?? []).map((axis) => this.value(`${group}.${axis.name}`));
  }

  /** The 22 doubles of the set-point or of the actual axes in a coordinate system, in its own units. A cell of arms has one, IJT:
   * its axes as they come, mm and deg. */
  system(which: "commanded" | "actual", system: SystemName): Float64Array {
    const hello = this.hello;
    if (hello && !hello.hall) return Float64Array.from(this.axes(which === "actual" ? "actual" : "setpoint"), (value, k) => value * (hello.axes[k]!.slides ? 1000 : DEG));
    const start = ((which === "commanded" ? 0 : 4) + SYSTEMS.indexOf(system)) * 22;
    return this.values ? this.values.subarray(start, start + 22) : new Float64Array(22).fill(NaN);
  }

  /** Names of the interlocks that are not healthy now. */
  openInterlocks(): string[] {
    const mask = this.value("state.open_interlocks");
    return (this.hello?.interlocks ?? []).filter((_, k) => (mask >>> k) & 1).map((i) => i.name);
  }

  private takeFrame(frame: Frame): void {
    const count = this.hello?.hall ? SYSTEM_VALUES : 0;
    const start = HEAD + 8 * count;
    if (!this.table || frame.data.byteLength !== start + this.table.size) return;
    this.record = new PoolRecord(this.table, new DataView(frame.data, start));
    this.cycleMs = this.link.sounded ? frame.cycleMs : NaN; // of a clock that is not known yet
    this.values = count ? new Float64Array(frame.data, HEAD, count) : null;
    this.frames++;
    this.tell("frame");
  }

  private async takeSight(data: ArrayBuffer): Promise<void> {
    const { head, bytes } = unpackSight(data);
    this.sight = await decodeSight(head, bytes);
    this.link.sighted(head.serial);
    this.tell("sight");
  }

  private takeMessage(message: { kind: string } & Record<string, unknown>): void {
    switch (message.kind) {
      case "hello":
        this.hello = message as unknown as Hello;
        this.table = new PoolTable(this.hello.variables, this.hello.record_bytes);
        this.events = this.hello.events;
        this.sensors = this.vision = null; // of this server: told right after, where there are any
        break;
      case "events":
        this.events = [...this.events, ...(message.items as EventItem[])].slice(-EVENTS_KEPT);
        break;
      case "status":
        this.status = message.status as Status;
        break;
      case "control":
        this.control = message as unknown as ControlState;
        break;
      case "buttons":
        this.refusals = message.refusals as Refusals;
        break;
      case "run":
        this.run = message as unknown as RunState;
        break;
      case "upload":
        this.upload = message as unknown as UploadState;
        break;
      case "timing":
        this.timing = message as unknown as TimingState;
        break;
      case "sensors":
        this.sensors = message as unknown as SensorsState;
        break;
      case "vision":
        this.vision = message as unknown as VisionState;
        break;
      case "lists":
        if (this.hello) this.hello.lists = message.lists as Record<string, string[]>;
        break;
      default:
        return;
    }
    this.tell(message.kind as Topic);
  }

  private tell(topic: Topic): void {
    for (const listener of this.listeners.get(topic) ?? []) listener();
  }
}
