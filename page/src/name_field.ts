// The operator's own name, as others see it, and a field to change it.
import type { Desk } from "./desk";
import { el, say } from "./dom";
import { notice } from "./notice";
import { operatorName, rename } from "./visitor";

const LONGEST = 40; // letters; the server cuts longer ones

export interface NameField {
  element: HTMLElement;
  update(): void;
}

export function nameField(desk: Desk): NameField {
  const name = el("span#own-name");
  const change = el("button.pencil", { type: "button", "aria-label": "change your name", title: "Change the name under which others see you", onclick: () => edit(true) }, name, el("span", { "aria-hidden": "true" }, " ✎"));
  const field = el("input#name-field", { type: "text", maxlength: LONGEST, "aria-label": "your name; Enter takes it", title: "Enter takes it", hidden: true }) as HTMLInputElement;
  field.addEventListener("blur", () => edit(false));
  field.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault(); // or it would press the pencil next
    const wanted = field.value.trim();
    edit(false);
    change.focus();
    if (wanted && wanted !== desk.ownName) call(wanted);
  });

  function edit(on: boolean): void {
    field.hidden = !on;
    change.hidden = on;
    if (!on) return;
    field.value = desk.ownName || operatorName();
    field.focus();
    field.select();
  }

  /** Kept for this tab, and told at the next connection when there is none now. */
  function call(wanted: string): void {
    rename(wanted);
    if (!desk.connected) return;
    void desk.ask("rename", { name: wanted }).then((reply) => {
      if (!reply.ok) notice(`Name: ${reply.error}`, "bad", "name");
    });
  }

  return { element: el("span", null, change, field), update: () => say(name, desk.ownName || operatorName()) };
}
