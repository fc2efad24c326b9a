// The recorded runs, newest first; one is chosen to be opened.
import { button } from "../button";
import { el, fill, say } from "../dom";
import { duration, fixed } from "../numbers";
import { inWords, listRuns, type RunEntry } from "./log_api";

const SHOWN = 200;

export class RunList {
  readonly element: HTMLElement;
  private runs: RunEntry[] = [];
  private opened = "";
  private loaded = false;
  private readonly rows = el("div.scroll.log-runs");
  private readonly search = el("input", { type: "search", placeholder: "search name, scenario, kind", "aria-label": "search runs", oninput: () => this.draw() }) as HTMLInputElement;
  private readonly count = el("span.muted");

  constructor(private readonly open: (run: RunEntry) => void) {
    const refresh = button("Refresh", () => this.refresh(), "small");
    this.element = el("div.panel.log-shelf", null, el("h2", null, "Runs", this.count, el("span.grow"), refresh.element), this.search, this.rows);
    fill(this.rows, el("div.empty", null, "reading the list of runs …"));
  }

  async refresh(): Promise<{ ok: boolean; error?: string }> {
    try {
      this.runs = await listRuns();
      this.loaded = true;
    } catch (error) {
      if (!this.loaded) fill(this.rows, el("div.empty.bad", null, `${inWords(error)}. Press Refresh to try again.`));
      return { ok: false, error: `Runs: ${inWords(error)}` };
    }
    this.draw();
    return { ok: true };
  }

  find(id: string): RunEntry | undefined {
    return this.runs.find((run) => run.id === id);
  }

  /** Which run is open now. */
  mark(id: string): void {
    this.opened = id;
    this.draw();
  }

  private draw(): void {
    if (!this.loaded) return;
    const wanted = this.search.value.trim().toLowerCase();
    const found = this.runs.filter((run) => !wanted || `${run.name} ${run.scenario} ${run.kind} ${run.began_utc ?? ""}`.toLowerCase().includes(wanted));
    say(this.count, wanted ? `${found.length} of ${this.runs.length}` : String(this.runs.length));
    const rows = found.slice(0, SHOWN).map((run) => this.row(run));
    const empty = this.runs.length ? "No run matches the search." : `No runs yet. Record one with proxops run, play or serve, then press Refresh.`;
    const more = found.length > SHOWN && el("div.empty", null, `${found.length - SHOWN} older ones: narrow the search`);
    fill(this.rows, ...(rows.length ? [...rows, more] : [el("div.empty", null, empty)]));
  }

  private row(run: RunEntry): HTMLElement {
    const what = [run.kind, run.scenario === run.name ? "" : run.scenario.split("/").at(-1), bytesText(run.bytes)].filter(Boolean).join(" · ");
    const written = new Date(run.written_ns / 1e6).toISOString().slice(0, 16).replace("T", " "); // lockstep runs carry a made-up time
    const facts = [`written ${written} UTC`, run.began_utc ? duration(run.duration_s) : "no records"];
    const [state, kind] = endOf(run);
    return el(
      "button.log-run",
      { type: "button", "aria-current": run.id === this.opened ? "true" : null, title: run.problem ? `cannot be opened: ${run.problem}` : run.ended ? `${run.id}\nended ${run.ended}` : run.id, onclick: () => this.open(run) },
      el("span.log-run-head", null, el("b", null, run.name), el(`span.tag${kind && `.${kind}`}`, null, state)),
      el("span.muted", null, what),
      el("span.muted", null, facts.join(" · ")),
    );
  }
}

/** How a run ended, in words and as a colour. */
export function endOf(run: RunEntry): [string, string] {
  if (run.problem) return ["unreadable", "bad"];
  if (run.recording) return ["being recorded", "warn"];
  const served = run.kind === "serve"; // an open session: operators stop and go on in it, it has nothing to fail at
  if (run.ended_in_stop) return ["stopped", served ? "warn" : "bad"];
  if (run.passed === false) return served ? ["stops or late cycles", "warn"] : ["failed", "bad"];
  if (!run.complete) return ["cut off", "warn"];
  return run.ended_in_stop === false || run.passed ? ["ended well", "ok"] : ["complete", ""];
}

function bytesText(bytes: number): string {
  return bytes < 1e6 ? `${fixed(bytes / 1e3, 0)} kB` : bytes < 1e9 ? `${fixed(bytes / 1e6, 1)} MB` : `${fixed(bytes / 1e9, 2)} GB`;
}
