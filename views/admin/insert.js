// /logs/insert: puts a dropped or chosen file into the field if it is small enough to
// edit; otherwise it stays a file, byte for byte. A click on a finding selects its line.
import { colourCode, longest } from "../parts/colour.js";

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
      text = null; // not UTF-8: the check reports it
    }
  }
  if (text === null || text.includes("\r")) { // the field would change its line ends
    note.textContent = `${chosen.name}, ${size}: it is sent as it is, and the field is left alone.`;
    return;
  }
  file.value = "";
  if (!mayReplace()) {
    note.textContent = words;
    return;
  }
  field.value = text;
  numberLines();
  note.textContent = `${chosen.name}, ${size}: it is in the field now, and can be edited.`;
}

const mayReplace = () => !field.value.trim() || confirm("Replace the text in the field?");
document.querySelector("a[href$='start=minimal']").addEventListener("click", (event) => mayReplace() || event.preventDefault());
file.addEventListener("change", () => take(file.files[0]));
field.addEventListener("input", () => {
  if (!file.files.length) return;
  file.value = ""; // the typed text counts, not a file chosen before
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

// ends returns where a line, from 1, begins and ends in the text; nothing if there is no such line.
function ends(line) {
  const before = field.value.split("\n").slice(0, line);
  const end = before.join("\n").length;
  return before.length < line ? [] : [end - before[line - 1].length, end];
}

// painted returns the range of a line, from 1, in the text with colours, or null.
function painted(line) {
  const text = under.firstChild.firstChild;
  const [from, to] = ends(line);
  if (!text || to === undefined) return null;
  const range = new Range();
  range.setStart(text, from);
  range.setEnd(text, to + 1); // with its end, which an empty line has too
  return range;
}

// scrollTo shows a line, from 1, in the middle. It cuts no line at the top. On phones, lines above it may be wrapped.
function scrollTo(line) {
  const height = parseFloat(getComputedStyle(field).lineHeight);
  const top = painted(line)?.getBoundingClientRect().top - under.firstChild.getBoundingClientRect().top;
  const row = isNaN(top) ? line - 1 : Math.round(top / height);
  field.scrollTop = Math.max(0, row - Math.floor(field.clientHeight / height / 2)) * height;
}

document.addEventListener("click", (event) => {
  const place = event.target.closest?.("button[data-line]");
  if (!place) return;
  const line = Number(place.dataset.line);
  const at = ends(line);
  if (!at.length) return;
  field.focus();
  field.setSelectionRange(...at);
  scrollTo(line);
});

document.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
    event.preventDefault();
    document.querySelector("#insert button[value=check]").click();
  }
});

// A field can't have colours, so its text is transparent above the same text with colours.
const under = document.createElement("pre");
under.className = "painted";
under.ariaHidden = "true";
under.append(document.createElement("code"));
if (globalThis.Highlight) field.before(under);

// Line numbers are beside the field. A cross and a tint mark the lines with findings.
const lines = document.getElementById("lines");
let drawn = "";
function numberLines() {
  const wrong = new Set([...document.querySelectorAll(".finding [data-line]")].map((b) => Number(b.dataset.line)));
  const text = field.value.split("\n").map((_, i) => (wrong.has(i + 1) ? "✕ " : "") + (i + 1)).join("\n");
  if (text !== drawn) lines.textContent = drawn = text;
  const coloured = under.isConnected && field.value.length < longest;
  field.classList.toggle("clear", coloured);
  under.firstChild.textContent = coloured ? field.value + "\n" : "";
  colourCode();
  if (globalThis.Highlight) CSS.highlights.set("wrong", new Highlight(...[...wrong].map(painted).filter(Boolean)));
  follow();
}
function follow() {
  lines.scrollTop = under.scrollTop = field.scrollTop;
  under.scrollLeft = field.scrollLeft;
}
field.addEventListener("input", numberLines);
field.addEventListener("scroll", follow);
document.addEventListener("htmx:after:swap", () => {
  const edited = document.getElementById("edited"); // the text that "Tidy up" or "Declare" made
  if (edited) {
    field.value = edited.value;
    file.value = "";
    note.textContent = words;
  }
  numberLines();
  if (document.activeElement !== field) scrollTo(Number(document.querySelector(".finding [data-line]")?.dataset.line ?? 1)); // who types is left where they are
});
numberLines();

// On a phone the findings are below the form.
document.addEventListener("htmx:after:swap", () => document.getElementById("result").scrollIntoView({ block: "nearest" }));
