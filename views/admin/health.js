// Shows on /health what the browser sees: it requests both checks every few seconds, and
// shows the answers, their latency and the difference of the clocks. All texts are in the
// page; the script chooses among them and fills in numbers.
import { base } from "../parts/base.js";

const every = 5000; // as the page says
const patience = 4000;
const page = document.getElementById("health");
const again = document.querySelector("[data-again]");
const past = [];
let timer;

async function ask(path) {
  const from = performance.now();
  try {
    const answer = await fetch(path, { cache: "no-store", signal: AbortSignal.timeout(patience) });
    const body = await answer.json();
    return { ok: answer.ok, body, ms: performance.now() - from, date: answer.headers.get("Date") };
  } catch {
    return { ok: false, gone: true };
  }
}

function show(id, ok, ms) {
  const row = page.querySelector(`[data-check="${id}"]`);
  const badge = row.querySelector(".badge");
  badge.className = "badge " + (ok ? "good" : "bad");
  badge.textContent = ok ? badge.dataset.yes : badge.dataset.no;
  const latency = row.querySelector("[data-latency]");
  latency.textContent = ms === undefined ? "–" : ms.toFixed(1) + " ms";
  latency.classList.toggle("roomy", ms === undefined);
  const cell = row.querySelector("[data-time]");
  try {
    cell.textContent = new Date().toLocaleTimeString("en-GB", { timeZone: cell.dataset.time, timeStyle: "long" });
  } catch { // the browser does not know the zone
    cell.textContent = new Date().toISOString().slice(11, 19) + " UTC";
  }
}

function verdict(live, ready) {
  if (live.gone) return "gone";
  if (ready.ok && !ready.body.triplestore) return "file";
  if (ready.ok) return ready.body.warning ? "low" : "ready";
  if (ready.gone) return "unready";
  if (!ready.body.triplestore) return "store";
  return ["draining", "panicked"].includes(page.dataset.state) ? page.dataset.state : "unready";
}

// The answer's Date has whole seconds, so a difference below two seconds means nothing.
function clocks(date) {
  const place = page.querySelector("[data-clock]");
  if (!date) return;
  const apart = (Date.now() - Date.parse(date) - 500) / 1000;
  place.textContent = Math.abs(apart) < 2
    ? "The clocks of this browser and of the service agree within 2 seconds."
    : `This browser’s clock is ${Math.abs(apart).toFixed(0)} seconds ${apart > 0 ? "ahead of" : "behind"} the service’s: ` +
      "tokens may seem expired, or not valid yet. Correct one of the two clocks.";
  place.classList.toggle("muted", Math.abs(apart) < 2);
}

function history(ms) {
  past.push(ms);
  if (past.length > 120) past.shift();
  const known = past.filter((v) => v !== undefined);
  if (known.length < 2) return;
  const top = Math.max(...known, 1);
  let d = "";
  past.forEach((v, i) => {
    if (v === undefined) return;
    const x = (i / (past.length - 1)) * 600;
    d += `${d && past[i - 1] !== undefined ? "L" : "M"}${x.toFixed(1)} ${(57 - (v / top) * 54).toFixed(1)}`;
  });
  const card = page.querySelector("[data-history]");
  card.hidden = false;
  card.querySelector("path").setAttribute("d", d);
  const sorted = known.toSorted((a, b) => a - b);
  card.querySelector("[data-summary]").textContent =
    `${past.length} checks, ${past.length - known.length} without an answer · median ${sorted[sorted.length >> 1].toFixed(1)} ms · slowest ${top.toFixed(1)} ms`;
}

async function check() {
  clearTimeout(timer);
  const [live, ready] = await Promise.all([ask(base + "/api/healthz/live"), ask(base + "/api/healthz/ready")]);
  show("live", live.ok, live.ms);
  show("ready", ready.ok, ready.ms);
  show("store", !!ready.body?.triplestore, undefined);
  const state = verdict(live, ready);
  if (state === "low" && !page.querySelector('[data-verdict="low"]')) return location.reload();
  if (page.dataset.state !== state) {
    page.dataset.state = state;
    page.querySelectorAll("[data-verdict]").forEach((v) => (v.hidden = v.dataset.verdict !== state));
  }
  if (ready.body?.detail) page.querySelectorAll("[data-detail]").forEach((d) => (d.textContent = ready.body.detail));
  clocks(live.date);
  history(live.ms);
  timer = setTimeout(check, every);
}

again.addEventListener("click", check);
document.addEventListener("visibilitychange", () => (document.hidden ? clearTimeout(timer) : check()));
check();
