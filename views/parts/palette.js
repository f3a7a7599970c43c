// The command palette: Ctrl+K shows the search page as a dialog. It marks the result that
// Enter opens: the first one, until an arrow key moves to another. / leads to the field of a search for sentences.
import { base } from "./base.js";

let dialog = null;
let newest = 0;

// results returns the links to what was found. A heading may also have a link, to more results.
const results = () => [...dialog.querySelectorAll("[data-found] li a")];

// mark marks the result that Enter opens: the one with the focus or, while the focus is in
// the field, the first one.
function mark() {
  const links = results();
  const chosen = links.find((a) => a === document.activeElement) ?? links[0];
  for (const a of links) {
    if (a === chosen) a.setAttribute("aria-current", "true");
    else a.removeAttribute("aria-current");
  }
}

const say = (text) => (dialog.querySelector("[role=status]").textContent = text);

async function search(text) {
  const mine = ++newest;
  const list = dialog.querySelector("[data-found]");
  try {
    const answer = await fetch(`${base}/search?${new URLSearchParams({ q: text })}`, { headers: { "HX-Request": "true" } });
    const elsewhere = answer.headers.get("HX-Redirect");
    if (elsewhere) location.assign(elsewhere);
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    if (mine !== newest) return;
    list.replaceChildren(...page.body.childNodes);
    mark();
    const n = results().length;
    say(n ? `${n} result${n > 1 ? "s" : ""}` : list.textContent);
  } catch {
    if (mine === newest) say(list.textContent = "The service does not answer.");
  }
}

function make() {
  dialog = document.createElement("dialog");
  dialog.id = "palette";
  dialog.setAttribute("aria-label", "Search");
  const form = document.createElement("form");
  form.action = `${base}/search`;
  const field = document.createElement("input");
  Object.assign(field, { type: "search", name: "q", maxLength: 200, autocomplete: "off", placeholder: "Name, time or log id" });
  field.setAttribute("aria-label", "Search");
  const list = document.createElement("div");
  list.dataset.found = "";
  const said = document.createElement("p");
  said.className = "visually-hidden";
  said.setAttribute("role", "status");
  form.append(field, said);
  dialog.append(form, list);
  document.body.append(dialog);

  let waiting = 0;
  field.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => search(field.value), 120);
  });
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    clearTimeout(waiting);
    await search(field.value);
    results()[0]?.click();
  });
  dialog.addEventListener("keydown", (event) => {
    if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
    event.preventDefault();
    const links = results();
    const at = Math.max(0, links.indexOf(document.activeElement)); // the field stands for the first result
    const next = (at + (event.key === "ArrowDown" ? 1 : links.length - 1)) % links.length;
    (next > 0 ? links[next] : field).focus();
  });
  dialog.addEventListener("focusin", mark);
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
}

function open() {
  if (dialog?.open) return dialog.close();
  if (document.querySelector("dialog[open]")) return;
  if (!dialog) make();
  dialog.showModal();
  const field = dialog.querySelector("input");
  field.select();
  search(field.value);
}

export function palette() {
  const opener = document.querySelector("[data-palette]");
  if (!opener) return;
  document.addEventListener("keydown", (event) => {
    if (event.key === "/" && !event.ctrlKey && !event.metaKey && !event.altKey && !event.target.closest?.("input, textarea, select, [contenteditable]")) {
      const field = document.querySelector("#q, #contains") ?? opener.querySelector("input");
      if (!field.checkVisibility()) return;
      event.preventDefault();
      field.focus();
      return field.select();
    }
    if (!(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey || event.key.toLowerCase() !== "k") return;
    event.preventDefault();
    open();
  });
}
