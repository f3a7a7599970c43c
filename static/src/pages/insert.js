// /logs/insert: a file that is dropped or chosen goes into the field where it is small enough to be edited, and
// is kept as a file, byte by byte, where it is not; a finding leads to its line.
const field = document.getElementById("ttl");
const file = document.getElementById("file");
const note = document.getElementById("file-note");
const drop = field.closest(".card");
const editable = 256 * 1024;
const words = note.textContent;

async function take(chosen) {
  if (!chosen) {
    note.textContent = words;
    return;
  }
  const size = (chosen.size / 1024).toLocaleString("en", { maximumFractionDigits: 1 }) + " KiB";
  let text = null;
  if (chosen.size <= editable) {
    try {
      text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(await chosen.arrayBuffer());
    } catch {
      text = null; // not UTF-8: the check says so
    }
  }
  if (text === null || text.includes("\r")) { // a field would change its line ends
    note.textContent = `${chosen.name}, ${size}: it is sent as it is, and the field is left alone.`;
    return;
  }
  field.value = text;
  numberLines();
  file.value = "";
  note.textContent = `${chosen.name}, ${size}: it is in the field now, and can be edited.`;
}

file.addEventListener("change", () => take(file.files[0]));
field.addEventListener("input", () => {
  if (!file.files.length) return;
  file.value = ""; // what is typed counts, and no file that was chosen before
  note.textContent = words;
});

for (const type of ["dragover", "dragleave", "drop"]) {
  drop.addEventListener(type, (event) => {
    if (!event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    drop.classList.toggle("over", type === "dragover");
    if (type !== "drop" || !event.dataTransfer.files.length) return;
    const list = new DataTransfer();
    list.items.add(event.dataTransfer.files[0]);
    file.files = list.files;
    take(file.files[0]);
  });
}

document.addEventListener("click", (event) => {
  const place = event.target.closest?.("button[data-line]");
  if (!place) return;
  const lines = field.value.split("\n");
  const line = Number(place.dataset.line) - 1;
  if (line >= lines.length) return;
  const from = lines.slice(0, line).reduce((n, l) => n + l.length + 1, 0);
  field.focus();
  field.setSelectionRange(from, from + lines[line].length);
  const height = parseFloat(getComputedStyle(field).lineHeight);
  field.scrollTop = Math.max(0, line * height - field.clientHeight / 2);
});

document.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
    event.preventDefault();
    document.querySelector("#insert button[value=check]").click();
  }
});

// The numbers of the lines stand beside the field; a cross marks those with a finding.
const lines = document.getElementById("lines");
let drawn = "";
function numberLines() {
  const wrong = new Set([...document.querySelectorAll(".finding [data-line]")].map((b) => Number(b.dataset.line)));
  const text = field.value.split("\n").map((_, i) => (wrong.has(i + 1) ? "✕ " : "") + (i + 1)).join("\n");
  if (text !== drawn) lines.textContent = drawn = text;
  lines.scrollTop = field.scrollTop;
}
field.addEventListener("input", numberLines);
field.addEventListener("scroll", () => (lines.scrollTop = field.scrollTop));
document.addEventListener("htmx:after:swap", numberLines);
numberLines();

// On a phone the findings are below the form.
document.addEventListener("htmx:after:swap", () => document.getElementById("result").scrollIntoView({ block: "nearest" }));
