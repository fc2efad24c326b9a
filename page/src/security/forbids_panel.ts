// What forbids motion now: every open input with its rule, the present stop with its numbers, whether a reset is possible, what to do next.
import { button, reasonOf } from "../button";
import type { Desk } from "../desk";
import { el, fill, say } from "../dom";
import type { InterlockInput } from "../messages";
import { nextSteps, verdict } from "./advice";
import { KINDS, stateWord, stillAllows } from "./inputs";
import { stopWords, type StopWords } from "./stop_words";
import { symbolIcon } from "./symbols";

export function forbidsPanel(desk: Desk): { element: HTMLElement; update(): void } {
  const [word, count, body] = [el("div.verdict", { role: "status" }), el("span.tag.live"), el("div.scroll.col")];
  const reset = button("Reset", () => desk.ask("reset"), "primary");
  const why = el("div.reason");
  const element = el("section.panel.forbids", { "aria-label": "what forbids motion now" }, el("h2", null, "What forbids motion now", el("span.grow"), count), word, body, el("div.row.foot", null, reset.element, why));
  let shown = "";
  return {
    element,
    update() {
      const inputs = desk.hello?.interlocks ?? [];
      const names = new Set(desk.openInterlocks());
      const open = inputs.filter((input) => names.has(input.name));
      const stop = stopWords(desk);
      const said = verdict(desk, open, stop);
      say(word, said.word);
      word.className = `verdict ${said.kind}`; // says itself when the data are old
      say(count, `${inputs.length - open.length} of ${inputs.length} healthy`);
      count.className = `tag live ${open.length ? "bad" : "ok"}`;
      const refused = reasonOfReset(desk, stop);
      reset.allow(refused);
      say(why, refused ? `Reset: ${refused}` : "Reset is possible");
      const steps = nextSteps(desk, open, stop);
      const key = JSON.stringify([[...names], stop, steps]);
      if (key === shown) return;
      shown = key;
      const nothing = !open.length && !stop && el("div.none.live", null, "No input is open and no stop is latched.");
      fill(body, stepsCard(steps), stop && stopCard(stop), ...open.map((input) => inputCard(desk, input)), nothing);
    },
  };
}

/** Why a reset would be refused; empty when it would not. */
function reasonOfReset(desk: Desk, stop: StopWords | null): string {
  return reasonOf(desk, "reset") || (stop?.causes.length ? `its cause stands: ${stop.causes.join(", ")}` : "");
}

function inputCard(desk: Desk, input: InterlockInput): HTMLElement {
  const rule = Object.values(desk.hello?.rules ?? {}).find((each) => each.name === input.rule);
  return el(
    `div.card.input.open.live.${input.kind === "fence" ? "warn" : "bad"}`, null,
    el("div.row", null, symbolIcon(input.kind) as unknown as HTMLElement, el("b", null, input.name), el("span.tag.bad", null, stateWord(input.kind, true))),
    el("div", null, `${input.rule}: ${rule?.meaning ?? KINDS[input.kind].what}`),
    el("div.muted", null, `Still allows: ${stillAllows(desk, input)}${rule?.drives_off ? "; takes the drives' power" : ""}`),
  );
}

function stopCard(stop: StopWords): HTMLElement {
  return el(
    "div.card.bad.live", null,
    el("div.row", null, el("b", null, `Stop ${stop.rule}`), el("span.muted", null, `rule ${stop.number}`), stop.about && el("span.tag", null, stop.about)),
    el("div", null, stop.meaning),
    stop.numbers.length > 0 && el("table", null, el("tbody", null, ...stop.numbers.map(([name, value]) => el("tr", null, el("td", null, name), el("td.num", null, value))))),
    el("div.muted", null, stop.drivesOff ? "This stop switches the drives off once the robots stand" : "This stop leaves the drives on"),
  );
}

function stepsCard(steps: string[]): HTMLElement {
  return el("div.card.next", null, el("h2", null, "What to do next"), el("ol", null, ...steps.map((step) => el("li", null, step))));
}
