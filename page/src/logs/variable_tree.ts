// All variables of a log by their groups, with a search; ticked are those of the chosen chart.
import { el, fill, say } from "../dom";
import { shownUnit } from "../numbers";
import type { LogColumn } from "./log_api";

const FOUND_OPEN = 12; // groups that a search opens

export class VariableTree {
  readonly element: HTMLElement;
  private columns: LogColumn[] = [];
  private boxes = new Map<string, HTMLInputElement>();
  private readonly rows = el("div.scroll.log-tree");
  private readonly search = el("input", { type: "search", placeholder: "search variables and meanings", "aria-label": "search variables", oninput: () => this.draw() }) as HTMLInputElement;
  private readonly count = el("span.muted");

  constructor(
    private readonly toggle: (name: string) => void,
    private readonly has: (name: string) => boolean,
  ) {
    this.element = el("div.panel.log-variables", null, el("h2", null, "Variables", this.count), this.search, this.rows);
    fill(this.rows, el("div.empty", null, "Open a run to see its variables."));
  }

  open(columns: LogColumn[]): void {
    this.columns = columns;
    this.draw();
  }

  /** Tick what the chosen chart has. */
  refresh(): void {
    for (const [name, box] of this.boxes) box.checked = this.has(name);
  }

  private draw(): void {
    const words = this.search.value.trim().toLowerCase().split(/\s+/).filter(Boolean);
    const found = this.columns.filter((column) => words.every((word) => `${column.path} ${column.meaning}`.toLowerCase().includes(word)));
    say(this.count, words.length ? `${found.length} of ${this.columns.length}` : String(this.columns.length));
    const groups = new Map<string, LogColumn[]>();
    for (const column of found) {
      const group = column.path.split(".")[0]!;
      groups.set(group, [...(groups.get(group) ?? []), column]);
    }
    const open = words.length > 0 && groups.size <= FOUND_OPEN;
    this.boxes.clear();
    const rows = [...groups.entries()].map(([group, members]) => this.group(group, members, open));
    fill(this.rows, ...(rows.length ? rows : [el("div.empty", null, "No variable matches the search.")]));
  }

  /** A group is filled when it is first opened: logs have hundreds of variables. */
  private group(name: string, members: LogColumn[], open: boolean): HTMLElement {
    const made = el("details", null, el("summary", null, name, el("span.muted", null, ` ${members.length}`))) as HTMLDetailsElement;
    const populate = () => {
      if (made.childElementCount === 1) made.append(...members.map((column) => this.row(column)));
    };
    made.addEventListener("toggle", populate);
    made.open = open;
    if (open) populate();
    return made;
  }

  private row(column: LogColumn): HTMLElement {
    const box = el("input", { type: "checkbox", onchange: () => (this.toggle(column.path), this.refresh()) }) as HTMLInputElement;
    box.checked = this.has(column.path);
    this.boxes.set(column.path, box);
    const unit = Object.keys(column.names).length ? "word" : shownUnit(column.unit).unit;
    return el("label.log-variable", { title: `${column.path}: ${column.meaning}` }, box, el("span.grow", null, column.path.split(".").slice(1).join(".")), el("span.muted", null, unit));
  }
}
