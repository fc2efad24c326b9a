// Making elements without a framework: el("button.btn.danger", { onclick }, "Stop").

export type Child = Node | string | number | null | undefined | false;
type Attributes = Record<string, unknown>;

/** An element from "tag.class.class#id", with attributes (functions become listeners) and children. */
export function el<K extends keyof HTMLElementTagNameMap>(spec: K, attributes?: Attributes | null, ...children: Child[]): HTMLElementTagNameMap[K];
export function el(spec: string, attributes?: Attributes | null, ...children: Child[]): HTMLElement;
export function el(spec: string, attributes: Attributes | null = null, ...children: Child[]): HTMLElement {
  const [, tag = "div", rest = ""] = /^([a-z0-9-]*)(.*)$/i.exec(spec) ?? [];
  const made = document.createElement(tag || "div");
  dress(made, rest, attributes);
  fill(made, ...children);
  return made;
}

/** The same for SVG. */
export function svg(spec: string, attributes: Attributes | null = null, ...children: Child[]): SVGElement {
  const [, tag = "g", rest = ""] = /^([a-zA-Z0-9-]*)(.*)$/.exec(spec) ?? [];
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  dress(made, rest, attributes);
  fill(made, ...children);
  return made;
}

function dress(made: Element, rest: string, attributes: Attributes | null): void {
  for (const part of rest.match(/[.#][^.#]+/g) ?? []) {
    if (part[0] === ".") made.classList.add(part.slice(1));
    else made.id = part.slice(1);
  }
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") made.addEventListener(name.replace(/^on/, ""), value as EventListener);
    else made.setAttribute(name, value === true ? "" : String(value));
  }
}

/** Put children in, in place of what was there. */
export function fill(parent: Element, ...children: Child[]): void {
  parent.replaceChildren(...children.filter((c) => c !== null && c !== undefined && c !== false).map((c) => (c instanceof Node ? c : String(c))));
}

/** Set a text only when it has changed: the page is updated many times a second. */
export function say(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

/** Set or clear a class only when it has changed. */
export function mark(element: Element, name: string, on: boolean): void {
  if (element.classList.contains(name) !== on) element.classList.toggle(name, on);
}
