// /query: the editor, its sheets, and running queries without leaving the page.
// Cancelling a query, or starting another one, aborts its request, which also ends it on
// the server.
import { base } from "../parts/base.js";
import { onReturn, push } from "../parts/returns.js";
import { open } from "./parts/editor.js";
import { keep, show } from "./parts/sheets.js";

const form = document.getElementById("ask");
const field = document.getElementById("query");
const answer = document.getElementById("answer");
const noted = document.getElementById("checked");
const [said, tick] = noted.children;
const cancelButton = document.getElementById("cancel");
const longAddress = 16 << 10;
const kept = keep(form.dataset.key);
let running = null;
let ticking = 0;

function note(text, bad) {
  if (running) return;
  said.textContent = noted.title = text;
  noted.classList.toggle("wrong", !!bad);
}

const editor = open(field, form.dataset.nonce, {
  changed(text) {
    kept.edit(text, document.getElementById("save-as").defaultValue);
    draw();
  },
  note,
  run: () => run(),
  cancel: () => cancel(),
});

function draw() {
  show(document.querySelector(".sheets"), kept, {
    choose(sheet) {
      kept.choose(sheet);
      turn();
      editor.focus();
    },
    close(sheet) {
      const shown = kept.current().id;
      kept.close(sheet);
      if (kept.current().id === shown) draw();
      else turn();
    },
    fresh() {
      take("");
      editor.focus();
    },
  });
}

// turn shows the current sheet.
function turn() {
  editor.show(kept.current().text);
  draw();
}

// take puts a text into a new sheet and shows it.
function take(text, name) {
  kept.add(text, name);
  turn();
}

function put(nodes) {
  answer.replaceChildren(...nodes);
  document.getElementById("answered").textContent = [...answer.querySelectorAll("header h2, .verdict")].map((e) => e.textContent).join(" ");
  document.dispatchEvent(new Event("htmx:after:swap")); // the answer has copy buttons too
}

const template = (id) => [...document.getElementById(id).content.cloneNode(true).childNodes];

function busy(is) {
  answer.setAttribute("aria-busy", String(is));
  cancelButton.hidden = !is;
  clearInterval(ticking);
  tick.textContent = "";
  if (!is) return;
  said.textContent = "";
  const begun = performance.now();
  ticking = setInterval(() => {
    const seconds = (performance.now() - begun) / 1000;
    if (seconds > 0.3) tick.textContent = `Running for ${seconds.toFixed(1)} s`;
  }, 100);
}

function cancel() {
  if (!running) return false;
  running.abort();
  return true;
}

// run runs the query of the editor, or of params, and shows the answer.
async function run(params = {}) {
  cancel();
  const asked = { query: editor.text(), ...params };
  const mine = (running = new AbortController());
  busy(true);
  try {
    const got = await fetch(base + "/query", { method: "POST", body: new URLSearchParams(asked), headers: { "HX-Request": "true" }, signal: mine.signal });
    if (got.status === 401) {
      location.assign(base + "/session?next=/query");
      return;
    }
    const page = new DOMParser().parseFromString(await got.text(), "text/html");
    if (running !== mine) return;
    put(page.body.childNodes);
    const address = `${base}/query?${new URLSearchParams(asked)}`;
    if (address.length <= longAddress && address !== location.pathname + location.search) push(address);
  } catch {
    if (running === mine) put(template(mine.signal.aborted ? "cancelled" : "gone"));
  } finally {
    if (running === mine) {
      running = null;
      busy(false);
      note("");
      editor.check();
    }
  }
}

form.addEventListener("submit", (event) => {
  if (event.submitter?.matches("[data-leave]")) return;
  event.preventDefault();
  run(event.submitter?.name === "view" ? { view: event.submitter.value } : {});
});
cancelButton.addEventListener("click", cancel);
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && !document.querySelector("dialog[open]")) cancel();
});
onReturn(() => location.reload());

document.addEventListener("click", (event) => {
  if (event.ctrlKey || event.metaKey || event.shiftKey) return;
  const example = event.target.closest("a[data-example]");
  if (example) {
    event.preventDefault();
    take(example.dataset.example.trimEnd(), example.textContent);
    run();
    return;
  }
  const link = event.target.closest("#answer .tabs a, #answer .pager a, #answer a[data-view]");
  if (link) {
    event.preventDefault();
    run({ ...(link.dataset.view && { view: link.dataset.view }), ...Object.fromEntries(new URL(link.href).searchParams) });
    return;
  }
  const place = event.target.closest("button[data-line]");
  if (place) editor.go(Number(place.dataset.line), Number(place.dataset.column));
});

answer.addEventListener("submit", (event) => {
  if (!event.target.matches("[data-declare]")) return;
  event.preventDefault();
  editor.set(event.target.elements.query.value);
  run();
});

const given = new URLSearchParams(location.search);
if (given.has("query") || given.has("example") || given.has("saved") || !kept.current()) {
  const example = [...document.querySelectorAll("a[data-example]")].find((a) => a.dataset.example.trimEnd() === field.value);
  take(field.value, given.get("saved") ?? example?.textContent);
} else {
  turn();
}
