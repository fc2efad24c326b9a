// Hands a file to the operator.
import { el } from "../dom";

const GIVEN_MS = 30_000; // until the browser has surely taken it

export function save(data: Blob, name: string): void {
  const url = URL.createObjectURL(data);
  el("a", { href: url, download: name.replace(/[^A-Za-z0-9._-]+/g, "_") }).click();
  setTimeout(() => URL.revokeObjectURL(url), GIVEN_MS);
}
