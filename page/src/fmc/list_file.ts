// A variable list as a file: {"name": …, "paths": […]}, the same as the server keeps.
import { el } from "../dom";
import { NAME } from "./list_book";

const SIZE_LIMIT = 64_000;

export interface ListFile {
  name: string;
  paths: string[];
}

/** Hand a list to the browser as a download. */
export function exportList(list: ListFile): void {
  const address = URL.createObjectURL(new Blob([JSON.stringify(list, null, 1) + "\n"], { type: "application/json" }));
  el("a", { href: address, download: `${list.name}.json` }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** The list in a file; throws with the reason when it is none. `known` tells the paths that there are. */
export async function importList(file: File, known: (path: string) => boolean): Promise<ListFile> {
  if (file.size > SIZE_LIMIT) throw new Error(`${file.name}: too long for a variable list`);
  let told: unknown;
  try {
    told = JSON.parse(await file.text());
  } catch {
    throw new Error(`${file.name}: not a JSON file`);
  }
  const { name, paths } = (told ?? {}) as Partial<ListFile>;
  if (typeof name !== "string" || !NAME.test(name) || !Array.isArray(paths)) throw new Error(`${file.name}: not a variable list, {"name": …, "paths": […]}`);
  const unknown = paths.find((path) => typeof path !== "string" || !known(path));
  if (unknown !== undefined) throw new Error(`${file.name}: no such variable: ${String(unknown).slice(0, 60)}`);
  return { name, paths: [...new Set(paths)] };
}
