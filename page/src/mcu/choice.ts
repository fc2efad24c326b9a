// A row of buttons of which one is chosen.
import { el } from "../dom";

export interface Choice<T> {
  element: HTMLElement;
  /** Show which one is chosen. */
  show(value: T): void;
}

export function choice<T>(label: string, options: readonly { value: T; text: string; about?: string }[], onChoose: (value: T) => void): Choice<T> {
  const buttons = options.map((option) => el("button.btn", { type: "button", title: option.about, onclick: () => onChoose(option.value) }, option.text));
  return {
    element: el("div.choice", { role: "group", "aria-label": label }, ...buttons),
    show(value: T) {
      options.forEach((option, k) => buttons[k]?.setAttribute("aria-pressed", String(option.value === value)));
    },
  };
}
