// The one websocket: frames of the pool and messages come in, requests go out. Nothing is ever queued for later: what cannot be
// sent now is refused now, and every request says when it was made, so that the server can refuse what comes late.
import { VERSION, type Reply } from "./messages";
import { ServerClock } from "./server_clock";

const CYCLE = 1; // first byte of a binary frame
const MESSAGE = 2;
const SIGHT = 3;
export const HEAD = 24; // bytes: kind, three zero, u32 frame number, f64 time of the cycle, f64 time of sending (ms of the server's clock)
const PING_MS = 1000;
const WATCH_MS = 150;
const WIDE_MS = 12; // bounds of the clock that are wider are sounded again soon: a jog's heartbeats would look old
const SOUNDINGS_AT_ONCE = 3;
const RETRY_MS = [100, 250, 500, 1000];
const STALLED_BYTES = 4096; // waiting to be sent; what was sent a moment ago is still counted, so a few messages are no stall
const DEAF_MS = 3000; // nothing heard for so long: the connection is given up
const ANSWER_MS = 1500; // after its time to live
const GOING_AWAY = [1001, 1012]; // codes of a server that ends or begins anew
export const TIME_TO_LIVE_MS = 800;

export interface Frame {
  number: number;
  cycleMs: number; // server's clock
  data: ArrayBuffer; // HEAD bytes, then values and record
}

export interface LinkListener {
  onFrame(frame: Frame): void;
  onSight(data: ArrayBuffer): void;
  onMessage(message: { kind: string } & Record<string, unknown>): void;
  onState(connected: boolean, why: string): void;
}

export class Link {
  readonly clock = new ServerClock();
  connected = false;
  private socket: WebSocket | null = null;
  private sequence = 0;
  private attempts = 0;
  private heardAt = 0; // anything
  private pingedAt = 0;
  private ended = false; // the server has said that it goes
  sounded = false; // in this connection: its server's clock is known
  aliveAt = -Infinity; // last frame or answer to a ping
  private readonly waiting = new Map<number, (reply: Reply) => void>();

  constructor(
    private readonly address: string,
    private readonly name: () => string,
    private readonly token: string,
    private readonly listener: LinkListener,
  ) {
    setInterval(() => this.watch(), WATCH_MS);
    this.open();
  }

  /** Ask for something. Always answers, refused at once when there is no connection. A stop goes wherever a socket is open. */
  ask(verb: string, args: Record<string, unknown> = {}, ttlMs = TIME_TO_LIVE_MS): Promise<Reply> {
    const refused = this.refuses(verb);
    if (refused) return Promise.resolve({ ok: false, error: `not sent: ${refused}` });
    const sequence = ++this.sequence;
    const sent_ms = verb === "safe_stop" ? 0 : this.clock.earliest(performance.now()); // no stop is too old
    this.socket?.send(JSON.stringify({ kind: "do", sequence, sent_ms, ttl_ms: ttlMs, do: verb, with: args }));
    return new Promise((resolve) => {
      this.waiting.set(sequence, resolve);
      setTimeout(() => this.answer(sequence, { ok: false, error: `${verb}: sent, but no answer came; whether it was carried out shows in the events` }), ttlMs + ANSWER_MS);
    });
  }

  /** Say which sensors are looked at, and how often a second; false when it could not be sent. */
  look(at: Record<string, number>): boolean {
    if (!this.connected || this.socket?.readyState !== WebSocket.OPEN) return false;
    this.socket.send(JSON.stringify({ kind: "look", at }));
    return true;
  }

  /** What a sensor saw has been taken; only then comes another. */
  sighted(serial: number): void {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify({ kind: "sighted", serial }));
  }

  /** Why something cannot be sent now; empty when it can. */
  private refuses(verb: string): string {
    if (this.socket?.readyState !== WebSocket.OPEN) return "no connection to the console's server";
    if (verb === "safe_stop") return "";
    if (!this.connected || !this.sounded) return "the connection is still being made";
    return this.socket.bufferedAmount > STALLED_BYTES ? "the connection is stalled" : "";
  }

  private answer(sequence: number, reply: Reply): void {
    this.waiting.get(sequence)?.(reply);
    this.waiting.delete(sequence);
  }

  private open(): void {
    const socket = new WebSocket(this.address, this.token ? ["proxops", `token.${this.token}`] : ["proxops"]);
    socket.binaryType = "arraybuffer";
    this.socket = socket;
    socket.onopen = () => {
      this.heardAt = performance.now();
      socket.send(JSON.stringify({ kind: "hello", version: VERSION, name: this.name() }));
      for (let k = 0; k < SOUNDINGS_AT_ONCE; k++) this.ping();
    };
    socket.onmessage = (event) => this.take(event.data as ArrayBuffer);
    socket.onclose = (event) => this.closed(socket, event.reason, event.code);
  }

  private closed(socket: WebSocket, reason: string, code = 0): void {
    if (socket !== this.socket) return;
    this.socket = null;
    this.connected = this.sounded = false; // what the clock knows still tells how old the last cycle is
    this.ended ||= GOING_AWAY.includes(code);
    for (const sequence of [...this.waiting.keys()]) this.answer(sequence, { ok: false, error: "connection lost before an answer came" });
    this.listener.onState(false, this.ended ? "the console is gone: the facility has ended, or restarts" : reason || "the console's server does not answer");
    setTimeout(() => this.open(), RETRY_MS[Math.min(this.attempts++, RETRY_MS.length - 1)]);
  }

  private watch(): void {
    if (!this.socket || this.socket.readyState !== WebSocket.OPEN) return;
    if (performance.now() - this.heardAt > DEAF_MS) {
      const deaf = this.socket;
      deaf.onclose = null;
      deaf.close();
      this.closed(deaf, "nothing heard of the server");
      return;
    }
    const due = this.clock.width > WIDE_MS ? WATCH_MS : PING_MS;
    if (performance.now() - this.pingedAt >= due - WATCH_MS / 2) this.ping();
  }

  private ping(): void {
    this.pingedAt = performance.now();
    this.socket?.send(JSON.stringify({ kind: "ping", at: performance.now() }));
  }

  private take(data: ArrayBuffer): void {
    this.heardAt = performance.now();
    const view = new DataView(data);
    if (view.getUint8(0) === CYCLE) this.takeCycle(data, view);
    else if (view.getUint8(0) === SIGHT) this.listener.onSight(data);
    else if (view.getUint8(0) === MESSAGE) this.takeMessage(JSON.parse(new TextDecoder().decode(new Uint8Array(data, 1))));
  }

  private takeCycle(data: ArrayBuffer, view: DataView): void {
    const number = view.getUint32(4, true);
    this.aliveAt = this.heardAt;
    this.socket?.send(JSON.stringify({ kind: "seen", frame: number }));
    this.listener.onFrame({ number, cycleMs: view.getFloat64(8, true), data });
  }

  private takeMessage(message: { kind: string } & Record<string, unknown>): void {
    if (message.kind === "pong") {
      this.aliveAt = this.heardAt;
      this.clock.take(message.at as number, this.heardAt, message.server_ms as number);
      this.sounded = true;
    } else if (message.kind === "done") {
      this.answer(message.sequence as number, { ok: message.ok as boolean, error: message.error as string | undefined, result: message.result });
    } else {
      if (message.kind === "hello") {
        this.connected = true;
        this.ended = false;
        this.attempts = 0;
      }
      this.listener.onMessage(message);
      if (message.kind === "hello") this.listener.onState(true, "");
    }
  }
}
