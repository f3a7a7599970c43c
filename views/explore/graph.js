// Changes the picture of /kg-graph in place: follows its links and forms, moves it and
// zooms. The address holds the state, so the browser's Back undoes a step.
import { drag } from "./parts/drag.js";
import { base } from "../parts/base.js";
import { onKeys } from "../parts/keys.js";
import { onReturn, push } from "../parts/returns.js";

const place = document.getElementById("graph");
let whole; // the part of the plane that the server drew
let view; // the visible part of it
let waiting = null;

const drawing = () => document.getElementById("drawing");

// levels are the magnifications of labels at growing distances. graph_draw.go has
// the same numbers.
const levels = [1, 1.25, 1.6, 2.2, 3, 4, 5.6, 8];

function look(next) {
  view = next;
  const svg = drawing();
  if (!svg.checkVisibility()) return; // a phone shows words instead
  svg.setAttribute("viewBox", view.join(" "));
  const far = 1 / svg.getScreenCTM().a; // units of the plane in a pixel
  const level = levels.findLastIndex((l) => l < far) + 1;
  svg.classList.remove(...levels.map((_, i) => `level-${i}`));
  svg.classList.add(`level-${Math.min(level, levels.length - 1)}`);
}

// begin sets up a new picture. kept is the view to keep after a node was only chosen or
// moved.
function begin(kept) {
  const svg = drawing();
  if (!svg) return;
  whole = svg.getAttribute("viewBox").split(" ").map(Number);
  view = kept && (kept.moved || kept.whole.join() === whole.join()) ? kept.view : whole;
  for (const line of svg.querySelectorAll(".edge .line")) { // a line is thin, so pointing beside it counts too
    const hit = line.cloneNode();
    hit.setAttribute("class", "hit");
    line.after(hit);
  }
  place.querySelectorAll("[data-view], [data-png]").forEach((e) => (e.hidden = false));
  fill();
}

// fill shows the view in the size of the window, or of the full screen.
function fill() {
  if (!drawing()) return;
  const button = place.querySelector("[data-full]");
  button.hidden = !document.fullscreenEnabled;
  button.ariaPressed = String(document.fullscreenElement === place);
  look(view);
}
addEventListener("resize", fill);
document.addEventListener("fullscreenchange", fill);

// steps counts the pictures before this one that Back leads to.
const steps = () => history.state?.steps ?? 0;
const undo = () => steps() > 0 && history.back();
let last = 0; // the steps that Forward leads to at most without leaving this page
addEventListener("pageshow", () => (last = steps()));
const redo = () => steps() < last && history.forward();

async function load(address, pushes, moved) {
  waiting?.abort();
  const mine = (waiting = new AbortController());
  place.setAttribute("aria-busy", "true");
  try {
    const answer = await fetch(address, { headers: { "HX-Request": "true" }, signal: mine.signal });
    if (answer.status === 401) return location.assign(answer.headers.get("HX-Redirect") ?? base + "/session");
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    if (waiting !== mine) return;
    if (pushes) push(answer.url, { steps: (last = steps() + 1) });
    const kept = view && { view, whole, moved };
    const focused = document.activeElement?.getAttribute?.("aria-label");
    place.replaceChildren(...page.body.childNodes);
    begin(kept);
    const name = place.querySelector("#node-name bdi")?.textContent;
    document.title = `${name ? "Graph of " + name : "Graph"} · segraph`;
    document.getElementById("drawn").textContent = `${name ?? ""} ${drawing()?.getAttribute("aria-label") ?? place.querySelector("h2")?.textContent ?? ""}`;
    if (focused) place.querySelector(`[aria-label="${CSS.escape(focused)}"]`)?.focus({ preventScroll: true });
  } catch {
    if (waiting === mine) location.assign(address); // the whole page shows the error
  } finally {
    if (waiting === mine) place.setAttribute("aria-busy", "false");
  }
}

const ofGraph = (address) => address?.startsWith(base + "/kg-graph?") || address?.startsWith(base + "/kg-graph/path?");

// expanded returns the address for a double click: the chosen node with its first
// neighbours.
function expanded(address) {
  const [path, state] = address.split("?");
  const values = new URLSearchParams(state);
  const node = values.get("node"), steps = values.getAll("v");
  if (!steps.includes(`* 1 ${node}`) && !steps.includes(`~ ${node}`)) values.append("v", `* 1 ${node}`);
  return `${path}?${values}`;
}

// moved requests the picture with a node at another place. The server finds room there
// for the node and its lines.
function moved(node, x, y) {
  const { here, stage } = drawing().dataset;
  const values = new URLSearchParams(here);
  const key = node.id.slice(2);
  const others = (values.get("at") ?? "").split("~").filter((m) => m && !(m.startsWith(key + "_") && m.endsWith("_" + stage)));
  values.set("at", [...others, [key, Math.round(x), Math.round(y), stage].join("_")].join("~"));
  load(`${base}/kg-graph?${values}`, true, true);
}

let dragged = false;
let held = null; // the node that a pointer moves
place.addEventListener("click", (event) => {
  if (dragged) {
    event.preventDefault();
    dragged = false;
    return;
  }
  const link = event.target.closest("a");
  const address = link?.getAttribute("href");
  if (ofGraph(address) && !event.ctrlKey && !event.metaKey && !event.shiftKey) {
    event.preventDefault();
    const chosen = event.detail === 2 && link.matches("#drawing .node");
    load(chosen ? expanded(address) : address, true, "move" in link.dataset);
    return;
  }
  const button = event.target.closest("button");
  if (!button) return;
  if (button.dataset.zoom) zoom(Number(button.dataset.zoom));
  if ("fit" in button.dataset) fit();
  if ("full" in button.dataset) document.fullscreenElement ? document.exitFullscreen() : place.requestFullscreen();
  if ("back" in button.dataset) undo();
  if ("forth" in button.dataset) redo();
  if (button.dataset.png) png(button.dataset.png);
});
document.addEventListener("submit", (event) => {
  const form = event.target;
  const address = `${new URL(form.action).pathname}?${new URLSearchParams(new FormData(form, event.submitter))}`;
  if (!ofGraph(address)) return;
  event.preventDefault();
  load(address, true);
});
onReturn((address) => load(address));

// zoom changes the size of the visible part, around a point of the plane or its middle.
function zoom(by, x = view[0] + view[2] / 2, y = view[1] + view[3] / 2) {
  if (view[2] * by > whole[2] * 3 || view[2] * by < 120) return;
  look([x + (view[0] - x) * by, y + (view[1] - y) * by, view[2] * by, view[3] * by]);
}

const fit = () => look(whole);

// plane returns the point of the plane under a pointer.
function plane(event) {
  const svg = drawing();
  return new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
}

place.addEventListener("wheel", (event) => {
  if (!event.target.closest("#drawing") || event.target.closest(".columns") && !event.ctrlKey) return; // which scrolls
  event.preventDefault();
  const at = plane(event);
  zoom(event.deltaY > 0 ? 1.15 : 1 / 1.15, at.x, at.y);
}, { passive: false });

const pointers = new Map();
place.addEventListener("pointerdown", (event) => {
  if (!event.target.closest("#drawing") || event.button !== 0) return;
  pointers.set(event.pointerId, { x: event.clientX, y: event.clientY, from: [event.clientX, event.clientY] });
  const node = event.target.closest(".node");
  held = node && pointers.size === 1 ? drag(drawing(), node) : null;
});
place.addEventListener("dragstart", (event) => {
  if (event.target.closest("#drawing")) event.preventDefault(); // keep links from being dragged out
});
addEventListener("pointermove", (event) => {
  const p = pointers.get(event.pointerId);
  if (!p || !drawing()) return;
  const scale = 1 / drawing().getScreenCTM().a;
  const others = [...pointers].filter(([id]) => id !== event.pointerId);
  if (others.length) {
    held?.back();
    held = null;
    const [, q] = others[0];
    const before = Math.hypot(p.x - q.x, p.y - q.y);
    const after = Math.hypot(event.clientX - q.x, event.clientY - q.y);
    if (before > 0 && after > 0) zoom(before / after);
    dragged = true;
  } else if (dragged || Math.hypot(event.clientX - p.from[0], event.clientY - p.from[1]) > 5) {
    dragged = true;
    if (held) return held.to((event.clientX - p.from[0]) * scale, (event.clientY - p.from[1]) * scale);
    drawing().classList.add("moving");
    look([view[0] - (event.clientX - p.x) * scale, view[1] - (event.clientY - p.y) * scale, view[2], view[3]]);
  }
  p.x = event.clientX;
  p.y = event.clientY;
});
for (const type of ["pointerup", "pointercancel"]) {
  addEventListener(type, (event) => {
    pointers.delete(event.pointerId);
    drawing()?.classList.remove("moving");
    if (held && dragged) type === "pointerup" ? moved(held.node, held.x, held.y) : held.back();
    held = null;
    setTimeout(() => (dragged = false)); // after the click that may follow
  });
}

// While a node is pointed at, its lines say what they are.
place.addEventListener("pointerover", (event) => {
  const svg = drawing();
  if (!svg) return;
  const node = event.target.closest("#drawing .node");
  const at = node && [...svg.querySelectorAll(".node")].indexOf(node);
  svg.querySelectorAll(".edge").forEach((edge) => edge.classList.toggle("pointed", !!node && edge.dataset.ends.split(" ").includes(String(at))));
});

// next focuses the nearest node in a direction from the focused or selected one.
function next(dx, dy) {
  const nodes = [...place.querySelectorAll(".plane .node")];
  const now = nodes.includes(document.activeElement) ? document.activeElement : place.querySelector(".node.chosen");
  if (!now) return nodes[0]?.focus();
  const middle = (n) => {
    const box = n.querySelector(".halo").getBoundingClientRect();
    return [box.x + box.width / 2, box.y + box.height / 2];
  };
  const [x, y] = middle(now);
  let best, least = Infinity;
  for (const n of nodes) {
    const [to, down] = middle(n);
    const ahead = (to - x) * dx + (down - y) * dy;
    const aside = Math.abs((to - x) * dy) + Math.abs((down - y) * dx);
    if (n !== now && ahead > 1 && ahead + 2 * aside < least) [best, least] = [n, ahead + 2 * aside];
  }
  best?.focus();
}

// png loads the SVG file of the picture and returns it as a PNG.
async function png(address) {
  const text = await (await fetch(address)).text();
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  const scale = Math.min(2, 8000 / Math.max(image.width, image.height));
  canvas.width = image.width * scale;
  canvas.height = image.height * scale;
  const context = canvas.getContext("2d");
  context.fillStyle = "white";
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  const link = document.createElement("a");
  link.href = canvas.toDataURL("image/png");
  link.download = "graph.png";
  link.click();
}

// step focuses another node or, with Shift, moves the selected one. Beside the picture, arrow keys alone scroll.
function step(event, way, dx, dy) {
  if (event.shiftKey && place.querySelector("[data-move]")) press(`[data-move="${way}"]`);
  else if (event.target === document.body || event.target.closest("#drawing")) next(dx, dy);
  else return false;
}

const press = (selector) => place.querySelector(selector)?.click();
onKeys({
  z: undo,
  y: redo,
  e: () => press(".ways a.button"),
  n: () => press('[data-key="n"]'),
  p: () => press('[data-key="p"]'),
  c: () => press('[data-key="c"]'),
  x: () => press('[data-key="x"]'),
  ArrowLeft: (event) => step(event, "Left", -1, 0),
  ArrowRight: (event) => step(event, "Right", 1, 0),
  ArrowUp: (event) => step(event, "Up", 0, -1),
  ArrowDown: (event) => step(event, "Down", 0, 1),
  "+": () => drawing() && zoom(0.8),
  "-": () => drawing() && zoom(1.25),
  0: () => drawing() && fit(),
  f: () => press("[data-full]"),
});
begin();
