// The chosen list as a table: commanded, actual, difference; every number is a button that draws it.
import { el, fill, mark, say } from "../dom";
import { shownOf, textOf, type Quantity, type Role, type Row } from "./rows";
import type { Units } from "./units";

interface Cell {
  quantity: Quantity;
  element: HTMLElement;
}

export interface TableWishes {
  draw(quantity: Quantity): void;
  drawn(quantity: Quantity): string; // colour of its curve; empty when it is not drawn
  remove(path: string): void;
}

export class ValueTable {
  readonly element = el("div.scroll.live", { tabindex: "0", "aria-label": "values of the list" });
  private cells: Cell[] = [];
  private units: Units = "mm";

  constructor(private readonly wishes: TableWishes) {}

  /** Show other rows or other units. */
  build(rows: Row[], units: Units, fixed: boolean, emptyText: string): void {
    this.units = units;
    this.cells = [];
    if (!rows.length) {
      fill(this.element, el("div.empty", null, emptyText));
      return;
    }
    const paired = rows.some((row) => row.cells.difference);
    const plain = rows.some((row) => row.cells.value);
    const head = paired ? [el("th.num", null, "commanded"), el("th.num", null, plain ? "actual · value" : "actual"), el("th.num", { title: "actual minus commanded" }, "difference")] : [el("th.num", null, "value")];
    const body = el("tbody");
    let heading = "";
    let turn: HTMLTableCellElement | null = null;
    rows.forEach((row, k) => {
      if (row.heading !== heading) body.append(el("tr.heading", null, el("td", { colspan: paired ? 6 : 5 }, row.heading)));
      const goesOn = row.turn !== "" && rows[k - 1]?.turn === row.turn;
      heading = row.heading;
      const line = el("tr", null, el("td", { title: row.title }, row.name));
      if (goesOn && turn) turn.rowSpan++;
      else turn = null;
      for (const role of paired ? (["commanded", "actual", "difference"] as const) : (["value"] as const)) {
        if (role === "difference" && goesOn && turn) continue;
        const cell = this.cell(row, role);
        if (role === "difference" && row.turn) turn = cell;
        line.append(cell);
      }
      const measure = row.cells.actual ?? row.cells.value ?? row.cells.difference;
      line.append(el("td.unit", null, measure ? unitText(measure, units) : ""));
      if (!paired) line.append(el("td.meaning", { title: row.title }, row.meaning));
      line.append(el("td.off", null, fixed ? null : el("button.icon", { type: "button", "aria-label": `take ${row.path} out of the list`, title: "take out of the list", onclick: () => this.wishes.remove(row.path) }, "×")));
      body.append(line);
    });
    fill(this.element, el("table", null, el("thead", null, el("tr", null, el("th", null, "variable"), ...head, el("th", null, "unit"), !paired && el("th", null, "meaning"), el("th"))), body));
    this.update();
  }

  /** Bring the numbers up to date. */
  update(): void {
    for (const { quantity, element } of this.cells) {
      const text = textOf(quantity, quantity.read(), this.units);
      say(element, quantity.key.endsWith("|turn") ? `${text} ${shownOf(quantity, this.units).unit}` : text);
    }
  }

  /** Mark what is drawn. */
  markDrawn(): void {
    for (const { quantity, element } of this.cells) {
      const colour = this.wishes.drawn(quantity);
      mark(element, "drawn", colour !== "");
      element.style.setProperty("--curve", colour || "transparent");
      element.setAttribute("aria-pressed", String(colour !== ""));
    }
  }

  private cell(row: Row, role: Role): HTMLTableCellElement {
    const quantity = row.cells[role] ?? (role === "actual" ? row.cells.value : undefined);
    const cell = el("td.num") as HTMLTableCellElement;
    if (!quantity) return cell;
    const kind = row.cells.value ? "" : `.${role}`;
    const title = row.turn && role === "difference" ? "angle of the rotation between commanded and actual; click to draw" : `${quantity.label}; click to draw`;
    const element = el(`button.value${kind}`, { type: "button", title, "aria-label": `draw ${quantity.label}`, onclick: () => this.wishes.draw(quantity) });
    cell.append(element);
    this.cells.push({ quantity, element });
    return cell;
  }
}

function unitText(quantity: Quantity, units: Units): string {
  return quantity.word ? "" : shownOf(quantity, units).unit || "–";
}
