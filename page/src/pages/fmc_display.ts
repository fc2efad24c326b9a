// FMC Display: lists of variables as numbers, commanded beside actual, and strip charts of any of them.
import { el, fill } from "../dom";
import type { Desk } from "../desk";
import { ChartBoard } from "../fmc/chart_board";
import { ListBook, SYSTEM_LISTS } from "../fmc/list_book";
import { ListPanel } from "../fmc/list_panel";
import { Picker } from "../fmc/picker";
import { allRows, type Row } from "../fmc/rows";
import type { Units } from "../fmc/units";
import { ValueTable } from "../fmc/value_table";
import { notice } from "../notice";
import type { Mounted, Page } from "../page";
import "./fmc_display.css";

const UNITS: Record<Units, string> = { mm: "mm · deg", si: "SI" };

class FmcDisplay implements Mounted {
  private rows = new Map<string, Row>();
  private units: Units = "mm";
  private readonly book: ListBook;
  private readonly board: ChartBoard;
  private readonly table: ValueTable;
  private readonly picker: Picker;
  private readonly title = el("h2.title");
  private readonly tabs: Record<string, HTMLElement> = {};
  private readonly switches = new Map<Units, HTMLElement>();

  constructor(root: HTMLElement, private readonly desk: Desk) {
    this.book = new ListBook(desk);
    this.board = new ChartBoard(desk, this.units, () => this.table?.markDrawn());
    this.table = new ValueTable({ draw: (q) => this.board.toggle(q), drawn: (q) => this.board.colourOf(q), remove: (path) => this.book.remove(path) });
    this.picker = new Picker({ add: (path) => this.add(path), refuses: (path) => this.book.refusesPath(path), draw: (q) => this.board.toggle(q) });
    const lists = new ListPanel(desk, this.book, (path) => this.rows.has(path));
    root.append(el("div.side", null, lists.element, this.picker.element), this.tablePanel(), this.board.element);
    this.book.onChange(() => this.showList());
    desk.on("hello", () => this.takeTable());
    this.takeTable();
  }

  update(): void {
    this.table.update();
    this.board.update();
  }

  private tablePanel(): HTMLElement {
    for (const [system, list] of Object.entries(SYSTEM_LISTS)) {
      this.tabs[list] = el(system === "IJT" ? "button.btn.small" : "button.btn.small.of-hall", { type: "button", title: list, onclick: () => this.book.choose(list) }, system);
    }
    for (const [units, label] of Object.entries(UNITS) as [Units, string][]) {
      this.switches.set(units, el("button.btn.small", { type: "button", onclick: () => this.setUnits(units) }, label));
    }
    const head = el("div.row", null, el("span.row.tabs-row", { role: "group", "aria-label": "coordinate system" }, ...Object.values(this.tabs)), el("span.grow"), el("span.row.tabs-row", { role: "group", "aria-label": "units" }, ...this.switches.values()));
    return el("section.panel.values", { "aria-label": "values" }, this.title, head, this.table.element);
  }

  /** The server has told which variables there are. */
  private takeTable(): void {
    this.rows = allRows(this.desk);
    this.picker.build(this.rows.values());
    this.showList();
  }

  private showList(): void {
    const paths = this.book.paths();
    const rows = paths.map((path) => this.rows.get(path)).filter((row) => row !== undefined);
    const lost = paths.length - rows.length;
    fill(this.title, this.book.chosen, lost > 0 && this.desk.hello !== null && el("span.tag.warn", null, `${lost} unknown here`));
    for (const [list, tab] of Object.entries(this.tabs)) tab.setAttribute("aria-pressed", String(list === this.book.chosen));
    for (const [units, each] of this.switches) each.setAttribute("aria-pressed", String(units === this.units));
    const empty = this.desk.hello ? "This list is empty. Press + beside a variable in “All variables”, then Save." : "Waiting for the facility's table of variables.";
    this.table.build(rows, this.units, this.book.isShipped(), empty);
    this.table.markDrawn();
    this.picker.show();
  }

  private add(path: string): void {
    const reason = this.book.refusesPath(path);
    if (reason) notice(`${path}: ${reason}`, "warn");
    else this.book.add(path);
  }

  private setUnits(units: Units): void {
    this.units = units;
    this.board.setUnits(units);
    this.showList();
  }
}

export const fmcDisplay: Page = {
  id: "fmc",
  title: "FMC Display",
  mount: (root, desk) => new FmcDisplay(root, desk),
};
