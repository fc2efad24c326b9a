// The frame round all pages: mode, link, age of the data, who holds control, and SAFE STOP, always in sight.
import { button } from "./button";
import type { Desk } from "./desk";
import { el, mark, say } from "./dom";
import type { Reply } from "./messages";
import { nameField } from "./name_field";
import { notice, noticeShelf } from "./notice";
import { duration, fixed } from "./numbers";
import type { Mounted, Page } from "./page";
import { useToken } from "./visitor";

const LOOK_MS = 25; // how often the age of the data is looked at
const SECOND_CLICK_MS = 3000;
const DRAW_MS = 50; // how often the shown page is brought up to date

export class Shell {
  private readonly main = el("main");
  private readonly mounted = new Map<string, { root: HTMLElement; page: Mounted }>();
  private shown = "";
  private drawnAt = 0;
  private readonly tabs = el("nav.tabs", { "aria-label": "pages" });
  private readonly bannerText = el("span");
  private readonly tokenField = el("input.token-field#token", { type: "password", placeholder: "token", "aria-label": "the console's token", autocomplete: "off", onkeydown: (event: KeyboardEvent) => event.key === "Enter" && useToken(this.tokenField.value) }) as HTMLInputElement;
  private readonly banner = el("div.banner.bad", { role: "alert", hidden: true }, this.bannerText, this.tokenField);
  private readonly mode = el("span.mode.live#mode");
  private readonly source = el("span.live");
  private readonly link = el("span#link");
  private readonly age = el("span#age");
  private readonly holder = el("span#holder");
  private readonly own: ReturnType<typeof nameField>;
  private readonly take = button("Take control", () => this.takeOrRelease(), "small");
  private controlSaid = "";
  private armedUntil = 0; // taking over from somebody needs a second click

  constructor(
    private readonly desk: Desk,
    private readonly pages: Page[],
  ) {
    this.take.element.id = "take";
    this.own = nameField(desk);
    const stop = el("button.safe-stop#safe-stop", { type: "button", onclick: () => this.safeStop() }, "SAFE STOP", el("small", null, "Esc"));
    const fact = (name: string, value: HTMLElement) => el("div.fact", null, el("span", null, name), value);
    const head = el("header.head", null, el("span.brand", null, "proxops"), fact("mode", this.mode), fact("source", this.source), fact("link", this.link), fact("data age", this.age), el("span.grow"), fact("you", this.own.element), fact("control", this.holder), this.take.element, stop);
    pages.forEach((page, k) => this.tabs.append(el("a", { href: `#/${page.id}`, title: `${page.title} (Alt+${k + 1})` }, page.title)));
    const top = el("div", null, head, el("div.tab-row", null, this.tabs, noticeShelf()));
    document.body.replaceChildren(top, this.banner, this.main);
    window.addEventListener("keydown", (event) => this.key(event), true);
    window.addEventListener("hashchange", () => this.route());
    for (const topic of ["hello", "sensors"] as const) desk.on(topic, () => this.nameTabs());
    this.nameTabs();
    setInterval(() => this.look(), LOOK_MS);
    this.route();
  }

  /** The served cell is known: what only another kind of cell has is hidden. */
  private nameTabs(): void {
    const arms = this.desk.hello?.hall === false;
    mark(document.body, "arms", arms);
    this.tabs.querySelectorAll("a").forEach((tab, k) => {
      tab.hidden = this.pages[k]?.shown?.(this.desk) === false;
      say(tab, (arms && this.pages[k]?.titleOfArms) || (this.pages[k]?.title ?? ""));
    });
  }

  /** Stop the hall. It needs no control; without a connection it says loudly that it could not be sent. */
  safeStop(): void {
    void this.desk.ask("safe_stop").then((reply) => {
      if (reply.ok) notice("safe stop taken", "ok", "safe stop");
      else notice(`SAFE STOP NOT CONFIRMED: ${reply.error}. Use a hardware emergency stop.`, "bad", "safe stop");
    });
  }

  private takeOrRelease(): Promise<Reply> | void {
    const desk = this.desk;
    if (desk.holding) return desk.ask("release_control");
    if (!desk.control.holder) return desk.ask("take_control");
    if (performance.now() < this.armedUntil) {
      this.armedUntil = 0;
      return desk.ask("take_control", { over: true });
    }
    this.armedUntil = performance.now() + SECOND_CLICK_MS;
  }

  private key(event: KeyboardEvent): void {
    if (event.key === "Escape" || event.key === "Pause") {
      event.preventDefault();
      event.stopPropagation();
      if (!event.repeat) this.safeStop();
    } else if (event.altKey && /^[1-9]$/.test(event.key)) {
      const page = this.pages[Number(event.key) - 1];
      if (page && page.shown?.(this.desk) !== false) location.hash = `#/${page.id}`;
    }
  }

  private route(): void {
    const id = location.hash.replace(/^#\//, "").split("?")[0];
    const page = this.pages.find((p) => p.id === id) ?? this.pages[0];
    if (!page || page.id === this.shown) return;
    this.mounted.get(this.shown)?.page.leave?.();
    for (const { root } of this.mounted.values()) root.hidden = true;
    for (const tab of this.tabs.querySelectorAll("a")) {
      if (tab.getAttribute("href") === `#/${page.id}`) tab.setAttribute("aria-current", "page");
      else tab.removeAttribute("aria-current");
    }
    this.shown = page.id;
    document.title = `${page.title} – proxops`;
    const known = this.mounted.get(page.id);
    if (known) {
      known.root.hidden = false;
      known.page.enter?.();
    } else {
      const root = el(`section.page.${page.id}`, { "aria-label": page.title });
      this.main.append(root);
      this.mounted.set(page.id, { root, page: page.mount(root, this.desk) });
    }
    this.drawnAt = 0;
  }

  private look(): void {
    const now = performance.now();
    const age = this.desk.ageMs(now);
    mark(document.body, "stale", this.desk.stale);
    say(this.age, Number.isFinite(age) ? inTime(age) : "no data");
    this.age.className = this.desk.stale ? "bad" : "ok";
    if (now - this.drawnAt < DRAW_MS) return;
    this.drawnAt = now;
    this.head();
    this.mounted.get(this.shown)?.page.update();
  }

  private head(): void {
    const desk = this.desk;
    say(this.mode, desk.mode);
    this.mode.className = `mode live ${desk.mode === "STOPPED" || desk.mode === "STOPPING" ? "bad" : desk.mode === "STANDBY" ? "muted" : "ok"}`;
    say(this.source, `${desk.word("state.source")} · ${desk.word("state.hardware")}`);
    say(this.link, !desk.connected ? "LOST" : desk.stale ? `silent, ${inTime(desk.silentMs())}` : `connected, ${fixed(desk.roundTripMs, 0)} ms`);
    this.link.className = !desk.connected ? "bad" : desk.stale ? "warn" : "ok";
    this.own.update();
    const holder = desk.control.holder;
    say(this.holder, desk.holding ? `you (${desk.ownName})` : holder ? holder.name : desk.connected ? "nobody" : "not known");
    this.holder.className = desk.holding ? "ok" : holder ? "warn quoted" : "muted"; // nobody can be called “you” by mistake
    this.holder.title = this.holder.textContent ?? "";
    say(this.take.element, desk.holding ? "Release control" : holder ? (performance.now() < this.armedUntil ? "Click again to take over" : "Take over") : "Take control");
    this.sayControl();
    this.take.allow(desk.connected ? "" : "no connection");
    this.sayBanner();
  }

  /** Changes of control are told to everybody. */
  private sayControl(): void {
    const said = this.desk.control.said;
    if (said !== this.controlSaid && / control/.test(said)) notice(inQuotes(said), "ok", "control");
    this.controlSaid = said;
  }

  private sayBanner(): void {
    const desk = this.desk;
    const [text, kind] = !desk.connected
      ? [`NO CONNECTION: ${desk.why}. What is shown is old; nothing can be sent. Stop by hardware or proxops ctl.`, "bad"]
      : desk.stale
        ? ["SILENCE: no new cycles come, from the facility or through the line. What is shown is old.", "bad"]
        : desk.status?.stop
          ? [`STOPPED: ${desk.status.stop.text}`, "bad"]
          : ["", ""];
    this.banner.hidden = !text;
    mark(this.tokenField, "shown", !desk.connected && /token/.test(desk.why));
    if (text) {
      say(this.bannerText, text);
      this.banner.className = `banner ${kind}`;
    }
  }
}

function inTime(ms: number): string {
  return ms < 10_000 ? `${fixed(ms, 0)} ms` : duration(ms / 1000);
}

/** Names in what the server says of control, set off from the words round them. */
function inQuotes(said: string): string {
  return said.replace(/^(.+?) (has (?:taken|released|left))/, "“$1” $2").replace(/ over from (.+)$/, " over from “$1”");
}
