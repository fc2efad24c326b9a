// Variable lists: those that come with the page, those that operators keep on the server, and changes that are not saved yet.
import type { Desk } from "../desk";
import type { Reply } from "../messages";
import { componentsOf } from "./rows";

export const NAME = /^[A-Za-z0-9]([A-Za-z0-9 _-]{0,38}[A-Za-z0-9_-])?$/;
export const NAME_BOUND = "1 to 40 letters, digits, blanks, - and _";
const MOST_PATHS = 200;

/** Lists that are always there: the four coordinate systems and whole groups of the pool. */
export const SYSTEM_LISTS = { IJT: "Axes (IJT)", IDC: "Flanges (IDC)", GLC: "Ports (GLC)", CLW: "Relative (CLW)" } as const;
const GROUP_LISTS: Record<string, string[]> = { Bridge: ["bridge"], Mission: ["mission", "relative"], Flanges: ["actual_flange1", "actual_flange2"], Margins: ["margin"], State: ["state", "clock", "timing"] };

export class ListBook {
  private readonly listeners = new Set<() => void>();
  private readonly drafts = new Map<string, string[]>(); // changed or new, not saved yet
  private name: string = SYSTEM_LISTS.IJT;

  constructor(private readonly desk: Desk) {
    desk.on("lists", () => this.changed());
    desk.on("hello", () => this.changed());
  }

  onChange(listener: () => void): void {
    this.listeners.add(listener);
  }

  get chosen(): string {
    return this.name;
  }

  shipped(): string[] {
    const hello = this.desk.hello;
    const systems = hello?.hall === false ? [SYSTEM_LISTS.IJT] : Object.values(SYSTEM_LISTS);
    const groups = Object.keys(GROUP_LISTS).filter((list) => !hello || hello.variables.some((v) => GROUP_LISTS[list]!.includes(v.group)));
    return [...systems, ...groups];
  }

  own(): string[] {
    return [...new Set([...Object.keys(this.desk.hello?.lists ?? {}), ...this.drafts.keys()])].sort((a, b) => a.localeCompare(b));
  }

  isShipped(name = this.name): boolean {
    return this.shipped().includes(name);
  }

  unsaved(name = this.name): boolean {
    return this.drafts.has(name);
  }

  paths(name = this.name): string[] {
    const system = (["IJT", "IDC", "GLC", "CLW"] as const).find((s) => SYSTEM_LISTS[s] === name);
    if (system) return componentsOf(system, this.desk.hello).map((c) => c.path);
    const groups = GROUP_LISTS[name];
    if (groups) return (this.desk.hello?.variables ?? []).filter((v) => groups.includes(v.group)).map((v) => v.path);
    return this.drafts.get(name) ?? this.desk.hello?.lists?.[name] ?? [];
  }

  choose(name: string): void {
    this.name = name;
    this.changed();
  }

  /** Why the chosen list cannot change; empty when it can. */
  fixedBecause(): string {
    return this.isShipped() ? "a list that comes with the console stays as it is: press Copy" : "";
  }

  /** Why a name cannot be taken; empty when it can. */
  refuses(name: string): string {
    if (!NAME.test(name)) return `a name has ${NAME_BOUND}`;
    const taken = [...this.shipped(), ...this.own()].find((n) => n.toLowerCase() === name.toLowerCase());
    return taken ? `there is a list “${taken}” already` : "";
  }

  /** A new list, shown at once and saved when asked. */
  create(name: string, paths: string[]): void {
    this.drafts.set(name, paths.slice(0, MOST_PATHS));
    this.choose(name);
  }

  /** Why a variable cannot be added; empty when it can. */
  refusesPath(path: string): string {
    const paths = this.paths();
    return this.fixedBecause() || (paths.includes(path) ? "it is in the list" : paths.length >= MOST_PATHS ? `a list has at most ${MOST_PATHS} variables` : "");
  }

  add(path: string): void {
    if (!this.refusesPath(path)) this.draft([...this.paths(), path]);
  }

  remove(path: string): void {
    if (!this.fixedBecause()) this.draft(this.paths().filter((p) => p !== path));
  }

  async save(): Promise<Reply> {
    const [name, paths] = [this.name, this.paths()];
    const reply = await this.desk.ask("list_save", { name, paths });
    if (reply.ok) {
      if (this.desk.hello) this.desk.hello.lists = { ...this.desk.hello.lists, [name]: paths };
      if (this.drafts.get(name) === paths) this.drafts.delete(name); // unless it was changed meanwhile
      this.changed();
    }
    return reply;
  }

  /** Save under another name and let the old one go. */
  async rename(name: string): Promise<Reply> {
    const [before, saved] = [this.name, this.isSaved()];
    this.create(name, this.paths());
    if (!saved) {
      this.drafts.delete(before);
      this.changed();
      return { ok: true };
    }
    const reply = await this.save();
    return reply.ok ? this.drop(before) : reply;
  }

  /** Delete the chosen list. */
  async delete(): Promise<Reply> {
    const name = this.name;
    const reply = await this.drop(name);
    if (reply.ok && this.name === name) this.choose(SYSTEM_LISTS.IJT);
    return reply;
  }

  private isSaved(name = this.name): boolean {
    return name in (this.desk.hello?.lists ?? {});
  }

  private async drop(name: string): Promise<Reply> {
    const reply: Reply = this.isSaved(name) ? await this.desk.ask("list_delete", { name }) : { ok: true };
    if (reply.ok) {
      this.drafts.delete(name);
      if (this.desk.hello) this.desk.hello.lists = Object.fromEntries(Object.entries(this.desk.hello.lists ?? {}).filter(([n]) => n !== name));
      this.changed();
    }
    return reply;
  }

  private draft(paths: string[]): void {
    this.drafts.set(this.name, paths);
    this.changed();
  }

  private changed(): void {
    if (![...this.shipped(), ...this.own()].includes(this.name)) this.name = SYSTEM_LISTS.IJT;
    for (const listener of this.listeners) listener();
  }
}
