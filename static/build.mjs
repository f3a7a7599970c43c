// Builds static/src into static/dist (or another folder, as the first argument): every file of
// static/src/pages is one that a page loads. Names get a part of the content's hash, and manifest.json says which
// built file belongs to which source. Compressing is left to the program: no two versions of zlib give the same bytes.
import { build } from "esbuild";
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const source = join(here, "src", "pages");
const target = process.argv[2] ?? join(here, "dist");

const { outputFiles, metafile } = await build({
  entryPoints: readdirSync(source).sort().map((name) => join(source, name)),
  entryNames: "[name]-[hash]",
  outdir: target,
  absWorkingDir: dirname(here),
  bundle: true,
  minify: true,
  format: "esm",
  target: "es2022",
  legalComments: "none",
  metafile: true,
  write: false,
});

rmSync(target, { recursive: true, force: true });
mkdirSync(target, { recursive: true });
for (const file of outputFiles) {
  writeFileSync(join(target, basename(file.path)), file.contents);
}
const manifest = {};
for (const [path, output] of Object.entries(metafile.outputs)) {
  if (output.entryPoint) manifest[basename(output.entryPoint)] = basename(path);
}
const sorted = Object.fromEntries(Object.entries(manifest).sort());
writeFileSync(join(target, "manifest.json"), JSON.stringify(sorted, null, 2) + "\n");
