// What comes over the network: the bridge's input filter with rates, what was refused and why, the synchronous interface.
import type { Desk } from "../desk";
import { el, fill, say } from "../dom";
import { count, fixed } from "../numbers";
import { Rates } from "./rates";

const SAMPLE_MS = 200;
const COUNTERS = ["taken", "lost", "extrapolated", "stale", "refused", "doubled"];

export class Network {
  readonly bridge: HTMLElement;
  readonly sync: HTMLElement;
  private readonly rates = new Rates();
  private sampledAt = 0;
  private readonly counters = new Map<string, { total: HTMLElement; rate: HTMLElement }>();
  private readonly input = el("span.tag");
  private readonly facts = { bridge: factList(["address", "client", "phase"]), sync: factList(["address", "master", "sequence", "silent for"]) };
  private readonly refused = { bridge: el("div.refused"), sync: el("div.refused") };

  constructor(private readonly desk: Desk) {
    const body = el("tbody.live") as HTMLTableSectionElement;
    for (const name of COUNTERS) {
      const [total, rate] = [el("td.num"), el("td.num")];
      this.counters.set(name, { total, rate });
      body.append(el("tr", { title: this.meaning(name) }, el("td", null, name), total, rate, el("td.muted.meaning", null, this.meaning(name))));
    }
    const head = el("thead", null, el("tr", null, el("th", null, "packets"), el("th.num", null, "total"), el("th.num", null, "per s"), el("th", null, "")));
    this.bridge = el("section.panel.of-hall", { "aria-label": "bridge input filter" }, el("h2", null, "Bridge: input filter", el("span.grow"), this.input), this.facts.bridge.element, el("table", null, head, body), el("h2", null, "Refused, by reason"), this.refused.bridge);
    this.sync = el("section.panel.of-hall", { "aria-label": "synchronous interface" }, el("h2", null, "Synchronous interface"), this.facts.sync.element, el("h2", null, "Refused, by reason"), this.refused.sync);
    desk.on("hello", () => [...body.rows].forEach((row, k) => say(row.cells[3]!, (row.title = this.meaning(COUNTERS[k] ?? "")))));
  }

  update(): void {
    const now = performance.now();
    const values = COUNTERS.map((name) => this.desk.value(`bridge.${name}`));
    if (now - this.sampledAt >= SAMPLE_MS && !this.desk.stale) {
      this.sampledAt = now;
      this.rates.take(now, values);
    }
    COUNTERS.forEach((name, k) => {
      const shown = this.counters.get(name);
      if (!shown) return;
      say(shown.total, fixed(values[k] ?? NaN, 0));
      say(shown.rate, fixed(this.rates.of(k), 1));
    });
    const input = this.desk.word("bridge.input");
    say(this.input, `input ${input}`);
    this.input.className = `tag live ${input === "DIRECT" || input === "BUFFERED" ? "ok" : input === "EXTRAPOLATING" ? "warn" : input === "DRY" ? "bad" : ""}`.trim();
  }

  /** The desk's status has come, four times a second. */
  takeStatus(): void {
    const { bridge, sync } = this.desk.status ?? {};
    this.facts.bridge.say([bridge?.address ?? "not served", bridge?.client ?? "nobody sends", bridge ? `${bridge.phase}, ${bridge.cause}` : "–"]);
    this.facts.sync.say([sync?.address ?? "not served", sync?.master ?? "nobody sends", sync?.sequence ?? "–", sync ? (sync.master ? count(sync.silent_cycles, "cycle") : "–") : "–"]);
    showReasons(this.refused.bridge, bridge?.refused);
    showReasons(this.refused.sync, sync?.refused);
  }

  private meaning(name: string): string {
    return this.desk.hello?.variables.find((v) => v.path === `bridge.${name}`)?.meaning.split(": ").slice(1).join(": ") ?? "";
  }
}

function factList(names: string[]): { element: HTMLElement; say(values: unknown[]): void } {
  const values = names.map(() => el("dd.live"));
  const element = el("dl.facts", null, ...names.flatMap((name, k) => [el("dt", null, name), values[k]]));
  return { element, say: (told) => values.forEach((value, k) => say(value, String(told[k]))) };
}

const shownReasons = new WeakMap<HTMLElement, string>();

function showReasons(box: HTMLElement, refused: Record<string, number> | undefined, none = "Nothing refused."): void {
  const reasons = Object.entries(refused ?? {});
  const text = JSON.stringify(reasons);
  if (shownReasons.get(box) === text) return;
  shownReasons.set(box, text);
  if (reasons.length) fill(box, ...reasons.map(([reason, count]) => el("span.tag.live.warn", null, `${reason.replaceAll("_", " ")} ${count}`)));
  else fill(box, el("div.hint", null, none));
}
