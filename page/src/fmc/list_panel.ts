// The lists to choose from, and what can be done with the chosen one.
import { button, type Button } from "../button";
import type { Desk } from "../desk";
import { el, fill, say } from "../dom";
import { notice } from "../notice";
import type { ListBook } from "./list_book";
import { exportList, importList } from "./list_file";

const SURE_MS = 3000;

export class ListPanel {
  readonly element: HTMLElement;
  private readonly names = el("div.scroll.names", { role: "listbox", "aria-label": "variable lists" });
  private readonly naming = el("form.row.naming", { hidden: true });
  private readonly field = el("input.grow", { type: "text", maxlength: "40", "aria-label": "name of the list", placeholder: "name of the list" }) as HTMLInputElement;
  private readonly file = el("input", { type: "file", accept: ".json,application/json", hidden: true, "aria-label": "file of a variable list" }) as HTMLInputElement;
  private readonly buttons: Record<"save" | "rename" | "delete", Button>;
  private named: (name: string) => void = () => {};
  private sureUntil = 0;

  constructor(
    private readonly desk: Desk,
    private readonly book: ListBook,
    private readonly known: (path: string) => boolean,
  ) {
    const fresh = button("New", () => this.askName("", (name) => book.create(name, [])), "small");
    const copy = button("Copy", () => this.askName(this.freeName(), (name) => book.create(name, book.paths())), "small");
    this.buttons = {
      save: button("Save", () => book.save(), "small"),
      rename: button("Rename", () => this.askName(book.chosen, (name) => void book.rename(name).then((r) => r.ok || notice(r.error ?? "refused", "bad"))), "small"),
      delete: button("Delete", () => this.delete(), "small danger"),
    };
    const out = button("Export", () => exportList({ name: book.chosen.replace(/[^A-Za-z0-9 _-]/g, "").trim(), paths: book.paths() }), "small");
    const into = button("Import", () => this.file.click(), "small");
    this.file.addEventListener("change", () => void this.import());
    this.naming.append(this.field, el("button.btn.small.primary", { type: "submit" }, "OK"), el("button.btn.small", { type: "button", onclick: () => (this.naming.hidden = true) }, "Cancel"));
    this.naming.addEventListener("submit", (event) => this.takeName(event));
    const { save, rename, delete: drop } = this.buttons;
    this.element = el("section.panel.lists", { "aria-label": "variable lists" }, el("h2", null, "Variable lists"), this.names, this.naming, el("div.row", null, fresh.element, copy.element, save.element), el("div.row", null, rename.element, drop.element, out.element, into.element, this.file));
    book.onChange(() => this.show());
    desk.on("state", () => this.allow());
    this.show();
  }

  private show(): void {
    const entry = (name: string) => {
      const count = this.book.paths(name).length;
      const chosen = name === this.book.chosen;
      return el(`button.name${chosen ? ".on" : ""}`, { type: "button", role: "option", "aria-selected": String(chosen), "data-list": name, onclick: () => this.book.choose(name) }, el("span.grow", null, name), this.book.unsaved(name) && el("span.tag.warn", null, "not saved"), el("span.muted", { title: `${count} variables` }, count));
    };
    const own = this.book.own();
    const none = el("div.hint", null, "None yet: press New, or Copy one of the above.");
    fill(this.names, ...this.book.shipped().map(entry), el("div.rule", null, "own"), ...(own.length ? own.map(entry) : [none]));
    this.allow();
  }

  private allow(): void {
    const offline = this.desk.connected ? "" : "no connection";
    const shipped = this.book.isShipped() ? "a list that comes with the console stays as it is" : "";
    this.buttons.save.allow(shipped || offline || (this.book.unsaved() ? "" : "nothing has changed"));
    this.buttons.rename.allow(shipped || offline);
    this.buttons.delete.allow(shipped || offline);
    this.sureUntil = 0;
    say(this.buttons.delete.element, "Delete");
  }

  /** A first click asks, a second one within three seconds does it. */
  private delete(): Promise<{ ok: boolean; error?: string }> | void {
    if (performance.now() < this.sureUntil) return this.book.delete();
    this.sureUntil = performance.now() + SURE_MS;
    say(this.buttons.delete.element, "Really?");
    setTimeout(() => performance.now() >= this.sureUntil && say(this.buttons.delete.element, "Delete"), SURE_MS + 50);
  }

  private freeName(): string {
    const stem = this.book.chosen.replace(/[^A-Za-z0-9 _-]/g, "").slice(0, 36).trim();
    for (let k = 2; k < 1000; k++) if (!this.book.refuses(`${stem} ${k}`)) return `${stem} ${k}`;
    return "";
  }

  private askName(proposal: string, then: (name: string) => void): void {
    this.named = then;
    this.field.value = proposal;
    this.naming.hidden = false;
    this.field.focus();
    this.field.select();
  }

  private takeName(event: Event): void {
    event.preventDefault();
    const name = this.field.value.trim();
    const reason = this.book.refuses(name);
    if (reason) {
      notice(reason, "warn");
      return;
    }
    this.naming.hidden = true;
    this.named(name);
  }

  private async import(): Promise<void> {
    const file = this.file.files?.[0];
    this.file.value = "";
    if (!file) return;
    try {
      const list = await importList(file, this.known);
      const name = this.book.refuses(list.name) ? "" : list.name;
      if (name) this.book.create(name, list.paths);
      else this.askName(`${list.name.slice(0, 36)} 2`, (other) => this.book.create(other, list.paths));
    } catch (error) {
      notice((error as Error).message, "bad");
    }
  }
}
