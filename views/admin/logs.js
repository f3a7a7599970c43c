// The live tail of /system/logs: requests new lines and appends them. While it is paused,
// it counts and holds them. While the reader has scrolled up, it appends them without
// scrolling.
import { base } from "../parts/base.js";
import { onKeys } from "../parts/keys.js";

const every = 2000;
const most = 2000; // lines in the page; the oldest are removed
const bar = document.querySelector("[data-tail]");
const tail = document.querySelector(".tail");
const list = document.getElementById("lines");
const pause = bar.querySelector("[data-pause]");
const fresh = bar.querySelector("[data-new]");
const state = bar.querySelector("[data-state]");
let last = Number(bar.dataset.last);
let paused = false;
let unseen = 0;
let held = [];
let trouble = "";

const atEnd = () => tail.scrollHeight - tail.scrollTop - tail.clientHeight < 24;
const toEnd = () => { tail.scrollTop = tail.scrollHeight; };

function show() {
  pause.querySelector("span").textContent = paused ? "Resume" : "Pause";
  pause.setAttribute("aria-pressed", String(paused));
  const n = paused ? held.length : unseen;
  fresh.hidden = n === 0;
  fresh.querySelector("span").textContent = `${n} new`;
  state.textContent = trouble || (paused ? "Paused" : "Live");
  state.className = trouble ? "badge bad" : paused ? "badge warn" : "badge good";
}

function append(lines) {
  const follow = atEnd();
  for (const line of lines) {
    if (!list.querySelector(`[data-number="${line.dataset.number}"]`)) list.append(line);
  }
  while (follow && list.children.length > most) list.firstElementChild.remove();
  document.querySelector("[data-none]").hidden = list.children.length > 0;
  if (follow) toEnd();
  else unseen += lines.length;
}

// divide returns a line that says that the service has restarted. Its lines count from 1 again, so those before it
// lose their numbers.
function divide() {
  for (const line of [...list.children, ...held]) delete line.dataset.number;
  const line = document.createElement("li");
  line.innerHTML = '<p class="muted quiet">The service has restarted.</p>';
  return line;
}

async function ask() {
  try {
    const answer = await fetch(`${bar.dataset.tail}&after=${last}`, { headers: { "HX-Request": "true" }, cache: "no-store", signal: AbortSignal.timeout(10_000) });
    if (answer.status === 401) {
      location.assign(answer.headers.get("HX-Redirect") ?? base + "/session");
      return;
    }
    if (!answer.ok) throw new Error(`status ${answer.status}`);
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const newest = Number(answer.headers.get("X-Last-Line"));
    const restarted = newest < last;
    const lines = restarted ? [divide()] : [...page.querySelectorAll("li[data-number]")].map((l) => document.adoptNode(l));
    last = restarted ? 0 : newest;
    trouble = "";
    if (paused) held = held.concat(lines).slice(-most);
    else if (lines.length) append(lines);
  } catch {
    trouble = "No answer; trying again";
  }
  show();
  setTimeout(ask, every);
}

function toggle() {
  paused = !paused;
  if (!paused) {
    append(held);
    held = [];
  }
  show();
}

function seeNew() {
  if (paused) toggle();
  unseen = 0;
  toEnd();
  show();
}

// Dragging over the histogram selects a time.
const histogram = document.querySelector("[data-histogram]");
let begun = null;
let chosen = [];
histogram?.addEventListener("dragstart", (event) => event.preventDefault());
histogram?.addEventListener("pointerdown", (event) => { begun = event.clientX; chosen = []; });
addEventListener("pointermove", (event) => {
  if (begun === null || Math.abs(event.clientX - begun) < 4) return;
  const [low, high] = [begun, event.clientX].sort((a, b) => a - b);
  chosen = [...histogram.querySelectorAll("a")].filter((a) => {
    const box = a.querySelector(".hit").getBoundingClientRect();
    const within = box.right >= low && box.left <= high;
    a.classList.toggle("within", within);
    return within;
  });
});
addEventListener("pointercancel", () => {
  begun = null; // the browser scrolls instead
  chosen.forEach((a) => a.classList.remove("within"));
});
addEventListener("pointerup", () => {
  if (begun !== null && chosen.length) {
    const to = new URL(location.href);
    const end = (bar, name) => new URLSearchParams(bar.getAttribute("href").split("?")[1]).get(name);
    to.searchParams.set("since", end(chosen[0], "since"));
    to.searchParams.set("until", end(chosen.at(-1), "until"));
    location.assign(to);
  }
  begun = null;
});

pause.addEventListener("click", toggle);
fresh.addEventListener("click", seeNew);
tail.addEventListener("scroll", () => {
  if (unseen && atEnd()) {
    unseen = 0;
    show();
  }
});
onKeys({ p: toggle, e: seeNew });
toEnd();
show();
setTimeout(ask, every);
