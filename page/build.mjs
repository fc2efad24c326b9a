// Builds the page: one script, one style sheet and the third parties' licences, into the Python package.
import { build } from "esbuild";
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const out = join(here, "..", "src", "proxops", "console", "static");

rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
await build({
  entryPoints: { console: join(here, "src", "main.ts") },
  outdir: out,
  bundle: true,
  splitting: true, // three.js is loaded when the hall is first drawn
  chunkNames: "part-[hash]",
  format: "esm",
  target: "es2022",
  minify: true,
  legalComments: "none",
  loader: { ".svg": "text" },
});
cpSync(join(here, "src", "index.html"), join(out, "index.html"));
cpSync(join(here, "src", "icon.svg"), join(out, "icon.svg"));

const licence = (name) => `${name}\n\n${readFileSync(join(here, "node_modules", name, "LICENSE"), "utf-8")}`;
writeFileSync(join(out, "licences.txt"), ["three", "uplot"].map(licence).join("\n\n"));
