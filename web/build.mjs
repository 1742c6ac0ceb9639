// Bundles src/ into one script and one style sheet, and writes the licences of what is in them.
// The output depends on the sources and on package-lock.json only.
import { build } from "esbuild";
import { readFile, writeFile } from "node:fs/promises";

const out = process.argv[2] ?? "../src/ragauge/page/built";
const BUNDLED = ["preact", "@preact/signals", "@preact/signals-core", "diff"];

await build({
  entryPoints: { page: "src/main.tsx" },
  outdir: out,
  bundle: true,
  minify: true,
  format: "iife",
  target: "es2022",
  charset: "utf8",
  legalComments: "none",
  logLevel: "warning",
});
await build({
  entryPoints: { page: "src/page.css" },
  outdir: out,
  minify: true,
  charset: "utf8",
  legalComments: "none",
  logLevel: "warning",
});
const parts = [];
for (const name of BUNDLED) {
  const { version, license } = JSON.parse(await readFile(`node_modules/${name}/package.json`, "utf8"));
  const text = await readFile(`node_modules/${name}/LICENSE`, "utf8");
  parts.push(`${name} ${version} (${license})\n\n${text.trim()}\n`);
}
const head = "page.js contains these packages.\n";
await writeFile(`${out}/LICENSES.txt`, [head, ...parts].join(`\n${"-".repeat(80)}\n\n`));
