// All variables there are, by group or by search in name, meaning and unit; one click puts one into the list or draws it.
import { el, fill, say } from "../dom";
import type { Quantity, Row } from "./rows";

const MOST_FOUND = 150;

export interface PickerWishes {
  add(path: string): void;
  refuses(path: string): string; // why it cannot be added; empty when it can
  draw(quantity: Quantity): void;
}

export class Picker {
  readonly element: HTMLElement;
  private readonly search = el("input", { type: "search", placeholder: "name, meaning or unit", "aria-label": "search all variables" }) as HTMLInputElement;
  private readonly count = el("span.muted");
  private readonly found = el("div.scroll.tree");
  private rows: Row[] = [];
  private readonly open = new Set<string>();

  constructor(private readonly wishes: PickerWishes) {
    this.search.addEventListener("input", () => this.show());
    this.element = el("section.panel.picker", { "aria-label": "all variables" }, el("h2", null, "All variables", el("span.grow"), this.count), this.search, this.found);
  }

  build(rows: Iterable<Row>): void {
    this.rows = [...rows];
    this.show();
  }

  /** Draw the tree anew: the search, the rows or the chosen list have changed. */
  show(): void {
    const words = this.search.value.toLowerCase().split(/\s+/).filter(Boolean);
    if (!words.length) {
      say(this.count, String(this.rows.length));
      fill(this.found, ...this.groups());
      return;
    }
    const hits = this.rows.filter((row) => words.every((word) => textOf(row).includes(word)));
    say(this.count, `${hits.length} of ${this.rows.length}`);
    const more = hits.length - MOST_FOUND;
    if (!hits.length) fill(this.found, el("div.empty", null, "Nothing has these words. Try part of a name, or a unit like rad/s."));
    else fill(this.found, ...hits.slice(0, MOST_FOUND).map((row) => this.item(row, row.path)), more > 0 && el("div.empty", null, `${more} more: search for another word too.`));
  }

  private groups(): HTMLElement[] {
    const groups = new Map<string, Row[]>();
    for (const row of this.rows) {
      const group = row.path.split(".")[0] ?? "";
      groups.set(group, [...(groups.get(group) ?? []), row]);
    }
    return [...groups].map(([group, rows]) => {
      const made = el("details", { open: this.open.has(group) }, el("summary", null, group, el("span.muted", null, ` ${rows.length}`))) as HTMLDetailsElement;
      const build = () => made.append(...rows.map((row) => this.item(row, row.path.slice(group.length + 1))));
      if (made.open) build();
      made.addEventListener("toggle", () => {
        if (made.open) this.open.add(group);
        else this.open.delete(group);
        if (made.open && made.children.length === 1) build();
      });
      return made;
    });
  }

  private item(row: Row, label: string): HTMLElement {
    const reason = this.wishes.refuses(row.path);
    const quantity = row.cells.value ?? row.cells.actual ?? row.cells.difference;
    const add = el("button.icon", { type: "button", "aria-label": `add ${row.path} to the list`, title: reason || "add to the list", "aria-disabled": reason ? "true" : "false", onclick: () => this.wishes.add(row.path) }, "+");
    const draw = el("button.icon", { type: "button", "aria-label": `draw ${row.path}`, title: "draw it in the chosen chart", onclick: () => quantity && this.wishes.draw(quantity) }, "∿");
    return el("div.item", { title: row.title }, el("span.grow", null, label), el("span.muted", null, unitOf(row)), draw, add);
  }
}

/** As it comes; of plain numbers, none. */
function unitOf(row: Row): string {
  const unit = (row.cells.value ?? row.cells.actual ?? row.cells.difference)?.unit ?? "";
  return unit === "1" || unit === "quaternion" ? "" : unit;
}

function textOf(row: Row): string {
  return `${row.path} ${row.heading} ${row.title} ${unitOf(row)}`.toLowerCase();
}
