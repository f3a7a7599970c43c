// Builds static/dist (or another folder, as the first argument) from the scripts, styles and
// pictures beside the pages that load them: those in views, in its rooms, and beside docs.html.
// Files in folders named parts are only parts of others. The names of built files contain a part
// of the content's hash; manifest.json maps sources to them. The program compresses them itself,
// because versions of zlib write different bytes.
import { build } from "esbuild";
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const views = join(dirname(here), "views");
const rooms = readdirSync(views, { withFileTypes: true }).filter((d) => d.isDirectory() && d.name !== "parts");
const folders = [here, views, ...rooms.map((d) => join(views, d.name))];
const target = process.argv[2] ?? join(here, "dist");

const { outputFiles, metafile } = await build({
  entryPoints: folders.flatMap((folder) =>
    readdirSync(folder).filter((name) => /\.(js|css|svg)$/.test(name)).sort().map((name) => join(folder, name))),
  entryNames: "[name]-[hash]",
  outdir: target,
  absWorkingDir: dirname(here),
  bundle: true,
  preserveSymlinks: true, // a node_modules that is a link gives the same hashes
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
