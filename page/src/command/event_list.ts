// The events, newest first: every change of mode, every refusal, every stop with its rule, value and margin.
import type { Desk } from "../desk";
import { el, fill } from "../dom";
import type { EventItem } from "../messages";
import { clockTime } from "../numbers";

const SHOWN = 200;
const KINDS = ["all", "warnings", "stops"] as const;
type Kind = (typeof KINDS)[number];

export interface EventList {
  element: HTMLElement;
  update(): void;
}

export function eventList(desk: Desk): EventList {
  let kind: Kind = "all";
  let shown: EventItem | undefined;
  let shownKind: Kind | "" = "";
  const body = el("tbody");
  const table = el("table.events", null, body);
  const empty = el("div.empty", null, "No events yet.");
  const pick = el("select", { "aria-label": "which events", onchange: () => ((kind = pick.value as Kind), update()) }, ...KINDS.map((k) => el("option", { value: k }, k))) as HTMLSelectElement;
  const element = el("div.panel.event-list", null, el("h2", null, "Events", el("span.grow"), pick), el("div.scroll", { tabindex: 0, "aria-label": "events" }, table, empty));

  function update(): void {
    const newest = desk.events.at(-1);
    if (newest === shown && kind === shownKind) return;
    shown = newest;
    shownKind = kind;
    const items = desk.events.filter((e) => wanted(e, kind)).slice(-SHOWN).reverse();
    empty.hidden = items.length > 0;
    fill(body, ...items.map(row));
  }
  return { element, update };
}

function wanted(event: EventItem, kind: Kind): boolean {
  return kind === "all" || (kind === "warnings" ? event.severity >= 3 : event.name.startsWith("stop."));
}

function row(event: EventItem): HTMLElement {
  const level = event.severity >= 4 ? "bad" : event.severity === 3 ? "warn" : "";
  const word = event.severity >= 4 ? "error" : event.severity === 3 ? "warning" : "info";
  return el("tr", { "data-name": event.name }, el("td.mono", { title: `cycle ${event.tick}` }, clockTime(event.utc_ms)), el("td", null, el(`span.dot${level ? `.${level}` : ""}`, { title: word })), el("td.wrap", null, el(`b${level ? `.${level}` : ""}`, null, event.name), " ", event.text));
}
