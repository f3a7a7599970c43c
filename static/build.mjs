// Builds static/src into static/dist (or another folder, as the first argument): pages
// load the files of static/src/pages. The names of built files contain a part of the
// content's hash; manifest.json maps sources to them. The program compresses them itself,
// because versions of zlib write different bytes.
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
  loader: { ".svg": "copy" },
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
