// /shared-context: decisions without a reload. Links and forms of #desk work without
// scripts. This script fetches their answers and replaces #desk, fetches the next case
// ahead, and lets keys press the page's buttons.
import { base } from "../parts/base.js";
import { onKeys } from "../parts/keys.js";
import { onReturn, push } from "../parts/returns.js";
import { relative } from "../parts/time.js";

const ahead = new Map(); // address -> what was fetched from it; valid until the next decision
let busy = null; // the request of the reader's last action, until its answer is shown

// ask requests a part of the page. The answer to a form that leads nowhere has no address. If the session is over, it throws the address of the page to sign in: only after an
// action of the reader may the script go there.
async function ask(address, options = {}) {
  const answer = await fetch(address, { ...options, headers: { "HX-Request": "true" } });
  const elsewhere = answer.headers.get("HX-Redirect");
  if (elsewhere) throw elsewhere;
  return { text: await answer.text(), address: answer.redirected || !options.method ? answer.url : "" };
}

const parse = (text) => new DOMParser().parseFromString(text, "text/html");

function show(answer, pushes) {
  const page = parse(answer.text);
  const desk = page.getElementById("desk");
  if (!desk) { // a page with a problem
    document.getElementById("said").replaceChildren(...page.body.childNodes);
    document.getElementById("said").scrollIntoView({ block: "nearest" });
    return;
  }
  document.getElementById("desk").replaceWith(desk);
  count(desk.dataset.pending);
  for (const time of desk.querySelectorAll("time[data-relative]")) time.textContent = relative(Date.parse(time.dateTime));
  if (pushes && answer.address) push(answer.address);
  const place = document.getElementById("case");
  place?.focus({ preventScroll: true });
  if (place && place.getBoundingClientRect().top < 0) place.scrollIntoView({ block: "start" });
  tally();
  const queue = document.querySelector(".queue");
  if (queue && queue.scrollHeight > queue.clientHeight) queue.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" });
  prefetch();
}

// tally says how many cases of a group are decided. None can't be saved.
function tally() {
  const bar = document.querySelector(".many");
  if (!bar) return;
  const decided = document.querySelectorAll(".member [type=radio]:checked:not([value=''])").length;
  bar.querySelector("output").textContent = `${decided} of ${document.querySelectorAll(".member").length} decided`;
  bar.querySelector("button").disabled = decided === 0;
}

// count shows the number of pending cases in the header.
function count(pending) {
  if (!pending) return;
  for (const badge of document.querySelectorAll(".bar .count")) {
    badge.firstChild.textContent = Number(pending).toLocaleString("en");
    badge.classList.toggle("none", pending === "0");
  }
}

function prefetch() {
  const next = document.getElementById("case")?.dataset.next;
  if (!next || ahead.has(next)) return;
  const answer = ask(next);
  ahead.set(next, answer);
  answer.catch(() => ahead.delete(next));
}

function go(address, options, pushes = true) {
  busy ??= act(address, options, pushes).finally(() => (busy = null));
}

async function act(address, options, pushes) {
  const desk = document.getElementById("desk");
  desk.setAttribute("aria-busy", "true");
  try {
    let answer;
    if (options) {
      ahead.clear();
      answer = await ask(address, options);
    } else {
      answer = (await ahead.get(address)?.catch(() => null)) ?? (await ask(address));
      ahead.clear();
    }
    show(answer, pushes);
  } catch (failed) {
    if (typeof failed === "string") return location.assign(failed);
    const said = document.createElement("p");
    said.className = "notice bad";
    said.setAttribute("role", "alert");
    said.textContent = "The service does not answer. Your last action may be stored or not; check when the service is back.";
    document.getElementById("said").replaceChildren(said);
  } finally {
    desk.removeAttribute("aria-busy");
  }
}

document.addEventListener("click", (event) => {
  const link = event.target.closest?.(`#desk a:is([href='${base}/shared-context'], [href^='${base}/shared-context?'])`);
  if (!link || link.target || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
  event.preventDefault();
  go(link.getAttribute("href"));
});

document.addEventListener("submit", (event) => {
  const form = event.target.closest?.("form[data-desk]");
  if (!form) return;
  event.preventDefault();
  const fields = new URLSearchParams(new FormData(form, event.submitter));
  if (form.method === "get") go(`${form.getAttribute("action")}?${fields}`);
  else go(form.getAttribute("action"), { method: "POST", body: fields });
});

onReturn(async () => {
  while (busy) await busy; // so that the last address is shown last
  ahead.clear();
  go(location.href, undefined, false);
});

const press = (selector) => () => document.querySelector(selector)?.click();
const target = (n) => () => {
  const radio = document.querySelectorAll(".pick input")[n - 1];
  if (radio && !radio.disabled) radio.checked = true;
};
onKeys({
  j: press("#case [rel=next]"), k: press("#case [rel=prev]"), s: press("[data-skip]"),
  a: press("[data-key=a]"), r: press("[data-key=r]"), u: press("#said [data-undo]"),
  ...Object.fromEntries([1, 2, 3, 4, 5, 6, 7, 8, 9].map((n) => [n, target(n)])),
});
// Keys still work while a radio button has the focus, because nobody types into it.
document.addEventListener("change", (event) => {
  tally();
  if (event.target.closest?.(".pick")) document.getElementById("case").focus({ preventScroll: true });
});

setInterval(async () => {
  if (document.hidden || busy || !document.getElementById("counts")) return;
  try {
    const figures = parse((await ask(base + "/shared-context/counts")).text).getElementById("counts");
    if (!figures || busy) return;
    document.getElementById("counts")?.replaceWith(figures);
    count(figures.dataset.pending);
  } catch {
    // The counters stay as they are. The reader's next action shows that the service does
    // not answer.
  }
}, 3000);

prefetch();
tally();
// A batch that needs several requests continues on its own, but not when Back or a reload shows this page again.
const again = document.querySelector("form[data-again]");
if (again) {
  history.replaceState(null, "", location.href.replace("&more=1", ""));
  again.requestSubmit();
}
