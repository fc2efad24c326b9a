// All inputs as a list, by kind: the same as on the plan, and the only place of those that have none there.
import type { Desk } from "../desk";
import { el, mark, say } from "../dom";
import type { Hello, InterlockInput } from "../messages";
import { KINDS, shortName, simulate, stateWord, type Kind } from "./inputs";
import { symbolIcon } from "./symbols";

const COLUMNS: readonly Kind[][] = [["estop"], ["door"], ["gate"], ["fence", "laser"], ["power"]];

interface Entry {
  element: HTMLElement;
  update(open: ReadonlySet<string>, reason: string): void;
}

export function inputsPanel(desk: Desk, hello: Hello): Entry {
  const entries = new Map(hello.interlocks.map((input) => [input.name, entryOf(desk, input)]));
  const group = (kind: Kind) => {
    const mine = hello.interlocks.filter((input) => input.kind === kind).map((input) => entries.get(input.name)!.element);
    return mine.length > 0 && el("div.kind", null, el("h2", null, KINDS[kind].what), ...mine);
  };
  return {
    element: el("div.kinds.live", null, ...COLUMNS.map((kinds) => el("div.column", null, ...kinds.map(group)))),
    update(open, reason) {
      for (const entry of entries.values()) entry.update(open, reason);
    },
  };
}

function entryOf(desk: Desk, input: InterlockInput): Entry {
  const state = el("span.state");
  const name = el("span.name", null, shortName(input), !input.at_lab_m && el("small", null, " no place on the plan"));
  const element = el("button.btn.input", { type: "button", "data-input": input.name, onclick: () => simulate(desk, input) }, symbolIcon(input.kind) as unknown as HTMLElement, name, state);
  return {
    element,
    update(open, reason) {
      const isOpen = open.has(input.name);
      const word = stateWord(input.kind, isOpen);
      mark(element, "open", isOpen);
      say(state, word);
      const title = reason ? `cannot be simulated: ${reason}` : `simulate: ${stateWord(input.kind, !isOpen).toLowerCase()}`;
      if (element.title !== title) element.title = title;
      element.setAttribute("aria-disabled", String(reason !== ""));
      const spoken = `${KINDS[input.kind].what} ${input.name}, ${word}`;
      if (element.getAttribute("aria-label") !== spoken) element.setAttribute("aria-label", spoken);
    },
  };
}
