// Buttons that ask for something: disabled with the reason while they are not possible, busy until the answer is there.
import type { Desk } from "./desk";
import { el, mark } from "./dom";
import { notice } from "./notice";

export interface Button {
  element: HTMLButtonElement;
  /** Set the reason for which it is not possible now; empty when it is. */
  allow(reason: string): void;
}

/** A button that calls `act` when it is possible, and says why when it is not. */
export function button(label: string, act: () => Promise<{ ok: boolean; error?: string }> | void, kind = ""): Button {
  let reason = "";
  const element = el("button", { class: `btn ${kind}`.trim(), type: "button", "aria-disabled": "false" }, label) as HTMLButtonElement;
  element.addEventListener("click", () => {
    if (reason) {
      notice(`${label}: ${reason}`, "warn", label);
      return;
    }
    const answer = act();
    if (!answer) return;
    mark(element, "busy", true);
    void answer.then((reply) => {
      mark(element, "busy", false);
      if (!reply.ok) notice(reply.error ?? `${label}: refused`, "bad", label);
    });
  });
  return {
    element,
    allow(why: string) {
      if (why === reason) return;
      reason = why;
      element.setAttribute("aria-disabled", why ? "true" : "false");
      element.title = why;
    },
  };
}

/** A button for one of the desk's requests; `key` finds the reason among the desk's refusals. */
export function requestButton(desk: Desk, label: string, key: string, verb: string, args: () => Record<string, unknown>, kind = ""): Button {
  const made = button(label, () => desk.ask(verb, args()), kind);
  made.element.dataset.request = key;
  const refresh = () => made.allow(reasonOf(desk, key));
  desk.on("buttons", refresh);
  desk.on("control", refresh);
  desk.on("state", refresh);
  refresh();
  return made;
}

/** Why a request is not possible now; empty when it is. */
export function reasonOf(desk: Desk, key: string): string {
  if (!desk.connected) return "no connection";
  if (!desk.holding) return desk.control.holder ? `“${desk.control.holder.name}” holds control` : "take control first";
  return desk.refusals[key] ?? "";
}
