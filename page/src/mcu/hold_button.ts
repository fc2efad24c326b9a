// Hold to run. A hand holds at most one button of the page; while it does, a heartbeat goes out every 20 ms. Whatever ends the
// hold ends the heartbeats at once and asks for a release; should that be lost too, the facility stops HOLD_MS after the last heartbeat.
import type { Desk } from "../desk";
import { el, mark } from "../dom";
import type { Reply } from "../messages";
import { notice } from "../notice";

export const BEAT_MS = 20;
const LEAST_MS = 15; // between two heartbeats
export const HOLD_MS = 60; // how long the facility goes on after a heartbeat
const BEAT_LIVES_MS = 80; // a heartbeat that arrives later than this is refused by the server
const LATE = /too (late|old)/; // said by the server or by the facility
const RELEASE_TRIES = 5; // a connection that is full for a moment refuses to send
const RETRY_MS = 10;

type Orders = Record<string, unknown>;

interface Held {
  button: HTMLElement;
  orders: Orders;
  timer: number;
  drawing: number; // request of an animation frame
  beatAt: number; // ms
  goodAt: number; // when the newest heartbeat was sent that was taken
  moved: boolean; // the facility has said that this press moves something
  over: boolean; // and then that it does not any more: a step is done
}

export class Hand {
  private held: Held | null = null;
  private press = 0;

  /** `why` says for which reason nothing may be held now; empty when it may. It is asked before every heartbeat. */
  constructor(
    private readonly desk: Desk,
    private readonly why: () => string,
  ) {
    for (const name of ["blur", "pagehide"]) window.addEventListener(name, () => this.letGo()); // of the window itself
    for (const name of ["pointerup", "pointercancel", "keyup"]) window.addEventListener(name, () => this.letGo(), true);
    window.addEventListener("pointerdown", () => this.letGo(), true); // a second finger; comes before the button's own listener
    window.addEventListener("keydown", (event) => !event.repeat && this.letGo(), true); // any other key, Escape above all
    document.addEventListener("visibilitychange", () => this.letGo());
    desk.on("state", () => this.check());
    desk.on("control", () => this.check());
  }

  /** What the hold is about: nothing is held, it runs, or its step is done and the button is still held. */
  get state(): "free" | "runs" | "over" {
    return this.held ? (this.held.over ? "over" : "runs") : "free";
  }

  /** Take hold of a button: `orders` is said with every heartbeat, the same until the hold ends. */
  take(button: HTMLElement, orders: Orders): void {
    this.letGo();
    const reason = this.why();
    if (reason) {
      notice(`Jog: ${reason}`, "warn", "jog");
      return;
    }
    this.press = Math.max(this.press + 1, Date.now()); // never a number that another page, or this one before, has used
    const timer = window.setInterval(() => this.beat(), BEAT_MS);
    this.held = { button, orders: { ...orders, hold_ms: HOLD_MS, press: this.press }, timer, drawing: 0, beatAt: -Infinity, goodAt: performance.now(), moved: false, over: false };
    mark(button, "held", true);
    this.draw();
    this.beat();
  }

  /** End the hold, whatever it was; `reason` is said when it was not the operator's will. */
  letGo(reason = ""): void {
    const held = this.held;
    if (!held) return;
    this.held = null;
    window.clearInterval(held.timer);
    window.cancelAnimationFrame(held.drawing);
    mark(held.button, "held", false);
    this.release(RELEASE_TRIES);
    if (reason) notice(`Jog ended: ${reason}`, "bad", "jog");
  }

  /** The pointer or the focus has left a button. */
  leave(button: HTMLElement): void {
    if (this.held?.button === button) this.letGo();
  }

  /** Browsers hold timers back for a moment after a touch, but not the drawing of frames: whichever comes first beats. */
  private draw(): void {
    if (!this.held) return;
    this.held.drawing = window.requestAnimationFrame(() => {
      this.beat();
      this.draw();
    });
  }

  private beat(): void {
    this.check();
    const [held, now] = [this.held, performance.now()];
    if (!held || now - held.beatAt < LEAST_MS) return;
    held.beatAt = now;
    void this.desk.ask("jog", held.orders, BEAT_LIVES_MS).then((reply) => {
      if (this.held === held) this.hear(held, reply, now);
    });
  }

  /** A refusal ends the hold. A heartbeat that came too late is as good as none: it ends the hold when no other was taken meanwhile. */
  private hear(held: Held, reply: Reply, sentAt: number): void {
    if (reply.ok) held.goodAt = Math.max(held.goodAt, sentAt);
    held.moved ||= reply.result === true;
    held.over = held.moved && reply.result === false;
    const late = !reply.ok && LATE.test(reply.error ?? "") && sentAt - held.goodAt < HOLD_MS;
    if (!reply.ok && !late) this.letGo(reply.error?.replace(/^jog: /, "") ?? "refused");
    else if (held.over && !("step" in held.orders)) this.letGo("heartbeats stayed away too long; press again");
  }

  private check(): void {
    const reason = this.held ? this.why() : "";
    if (reason) this.letGo(reason);
  }

  private release(tries: number): void {
    if (this.held || tries === 0 || !this.desk.connected) return;
    void this.desk.ask("release").then((reply) => {
      if (!reply.ok) window.setTimeout(() => this.release(tries - 1), RETRY_MS);
    });
  }
}

/** A button that moves while it is held, by pointer or by Space or Enter. `orders` is asked when it is pressed. */
export function holdButton(hand: Hand, label: string, meaning: string, orders: () => Orders): HTMLButtonElement {
  const made = el("button.btn.hold", { type: "button", "aria-label": `${meaning}, hold to move` }, label) as HTMLButtonElement;
  made.addEventListener("pointerdown", (event) => {
    event.preventDefault();
    if (event.button !== 0 || !event.isPrimary) return;
    // A touched element keeps the finger's events wherever it goes; without that, going off the button is a leave, as with a mouse.
    if (made.hasPointerCapture(event.pointerId)) made.releasePointerCapture(event.pointerId);
    hand.take(made, orders());
  });
  for (const name of ["pointerleave", "pointerup", "pointercancel", "blur", "contextmenu"]) {
    made.addEventListener(name, () => hand.leave(made));
  }
  made.addEventListener("contextmenu", (event) => event.preventDefault());
  made.addEventListener("keydown", (event) => {
    if (event.key !== " " && event.key !== "Enter") return;
    event.preventDefault(); // no click
    if (!event.repeat && !event.altKey && !event.ctrlKey && !event.metaKey) hand.take(made, orders());
  });
  return made;
}
