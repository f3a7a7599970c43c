// /replay: moves the current time along the strip, plays, zooms by dragging, and keeps
// the list of events at the current time. The server draws the strip; this script moves
// only what lies on top of it.
import { typing } from "../parts/keys.js";

const stage = document.getElementById("stage");
const strip = document.getElementById("strip");
const clock = document.getElementById("clock");
const scrub = document.getElementById("scrub");

// last returns the index of the last of some sorted times that is not after t, or -1.
function last(times, t) {
  let low = 0, high = times.length;
  while (low < high) {
    const mid = (low + high) >> 1;
    if (times[mid] <= t) low = mid + 1;
    else high = mid;
  }
  return low - 1;
}

// axis maps times to positions from 0 to 1 and back. Each part is from, to, and their positions.
function axis(parts) {
  const between = (v, a, b, c, d) => (b === a ? c : c + ((d - c) * (v - a)) / (b - a));
  const points = parts.flatMap(([from, to, x0, x1]) => [[from, x0], [to, x1]]);
  const map = (v, from, to) => {
    const i = points.findIndex((p) => v <= p[from]);
    if (i < 0) return points.at(-1)[to];
    return i === 0 ? points[0][to] : between(v, points[i - 1][from], points[i][from], points[i - 1][to], points[i][to]);
  };
  return { x: (t) => map(t, 0, 1), t: (x) => map(x, 1, 0) };
}

// lanes returns, for each element, the times and words of its sentences or states, and what it shows.
function lanes(elements, words) {
  return [...elements].map((at, lane) => {
    const own = words.filter((w) => w.l === lane);
    return { own, times: own.map((w) => w.at), shown: -2, at };
  });
}

// A sentence of the close-up stands below if it soon follows one that does not, and is as wide as the
// time until the next one beside it, within limits in milliseconds.
const soonAfter = 8000, shortest = 4000, longest = 14000, around = 40000;

// rows returns the rows of the close-up.
function rows(words) {
  return lanes(document.querySelectorAll(".talk:not(.clock)"), words).map((row) => {
    row.own.forEach((w, i) => {
      const before = row.own[i - 1];
      w.below = Boolean(before && !before.below && w.at - before.at < soonAfter);
      if (w.below) row.at.classList.add("two");
    });
    row.own.forEach((w, i) => {
      const next = row.own.slice(i + 1, i + 3).find((n) => n.below === w.below)?.at ?? Infinity;
      w.end = Math.min(w.at + longest, Math.max(w.at + shortest, next));
    });
    return { ...row, at: row.at.querySelector("div") };
  });
}

// block is a sentence of the close-up.
function block(w, begin, scale) {
  const p = document.createElement("p"), who = document.createElement("b"), said = document.createElement("span");
  who.textContent = w.w;
  said.textContent = w.t;
  who.dir = said.dir = "auto";
  p.append(who, said);
  p.classList.toggle("below", w.below);
  p.style.left = `${(w.at - begin) * scale}px`;
  p.style.width = `${(w.end - w.at) * scale - 4}px`;
  return p;
}

function start(data) {
  const { x, t: timeAt } = axis(data.parts);
  const begin = data.parts[0][0], end = data.parts.at(-1)[1];
  const head = strip.querySelector(".head"), line = head.querySelector("line") ?? head.appendChild(document.createElementNS(head.namespaceURI, "line"));
  const talk = rows(data.words.filter((w) => w.w !== undefined)), states = lanes(stage.querySelectorAll(".now"), data.words.filter((w) => w.w === undefined));
  const address = new URL(location.href);
  const given = Date.parse(address.searchParams.get("t"));
  let now = Math.min(end, Math.max(begin, given || begin));
  let wide = strip.clientWidth, playing = false, speed = 1, asked = false, settling = 0, settled = -Infinity, entry = -2, marking = false, second = -1, picked = -1, reveals = false;
  if (address.searchParams.has("first")) entry = last(data.times, now); // the reader leafs through the list

  line.setAttribute("x1", 0);
  line.setAttribute("x2", 0);
  line.setAttribute("y1", 16);
  line.setAttribute("y2", "100%");
  head.classList.add("moved");
  const room = document.querySelector(".closeup");
  let talks = room?.firstElementChild.clientWidth ?? 0; // the width of the close-up
  const sizes = new ResizeObserver(() => {
    wide = strip.clientWidth;
    talks = room?.firstElementChild.clientWidth ?? 0;
    soon();
  });
  sizes.observe(strip);
  if (room) sizes.observe(room);

  // current returns the current entry: the picked one, as long as its time is the current
  // time, for several may have the same; otherwise the last until then, or -1.
  const current = () => (data.times[picked] === now ? picked : last(data.times, now));

  // text shows a time by the reader's clock.
  const text = (at) => {
    const zone = data.zones.findLast((z) => z.from <= at) ?? data.zones[0];
    const utc = new Date(at + zone.ahead).toUTCString(); // "Tue, 03 Feb 2026 12:20:50 GMT"
    return `${Number(utc.slice(5, 7))}${utc.slice(7, 16)}, ${utc.slice(17, 25)} ${zone.name}`;
  };

  // draw shows the current time. It reads nothing from the layout, so that it takes less than a frame.
  function draw() {
    asked = false;
    const at = x(now);
    head.style.transform = `translateX(${at * wide}px)`;
    if (Math.floor(now / 1000) !== second) {
      second = Math.floor(now / 1000);
      clock.textContent = text(now);
    }
    if (Math.abs(scrub.value - at * 1000) > 0.5) scrub.value = at * 1000; // not while it is dragged
    for (const row of talk) speak(row);
    if (ticks) tick();
    for (const lane of states) {
      const i = last(lane.times, now);
      if (i !== lane.shown) lane.at.textContent = lane.own[i]?.t ?? "";
      lane.shown = i;
    }
    if (!marking && current() !== entry) {
      marking = true; // the list needs a layout, so it follows only ten times a second
      setTimeout(() => {
        marking = false;
        entry = current();
        mark(entry);
      }, 100);
    }
  }

  // tick moves the axis of the close-up, which has about six labels.
  const shown = Math.min(60000, Math.max(20000, end - begin)); // milliseconds that a wide close-up has
  const ticks = document.querySelector(".talk.clock div"), each = shown < 40000 ? 5000 : 10000;
  let ticked = "";
  function tick() {
    const scale = closeness(), first = Math.ceil((now - around) / each) * each, shows = `${first} ${scale}`;
    if (ticked !== shows) {
      ticks.replaceChildren(...Array.from({ length: (2 * around) / each }, (_, i) => {
        const p = document.createElement("p");
        p.textContent = text(first + i * each).split(" ").at(-2);
        p.hidden = first + i * each < begin - 1000 || first + i * each > end + 1000; // outside of the session
        p.style.left = `${i * each * scale}px`;
        return p;
      }));
    }
    ticked = shows;
    ticks.style.transform = `translateX(${talks / 2 + (first - now) * scale}px)`;
  }

  // closeness is how many pixels of the close-up are a millisecond.
  const closeness = () => talks / Math.min(shown, talks < 640 ? 25000 : 60000);

  // speak moves a row of the close-up to the current time. It has at most 30 sentences at once.
  function speak(row) {
    const scale = closeness();
    const i = last(row.times, now), first = Math.max(0, i - 14, last(row.times, now - around) + 1), end = Math.min(i + 15, last(row.times, now + around)) + 1;
    const shows = `${first} ${end} ${scale}`;
    if (row.shown !== shows) row.at.replaceChildren(...row.own.slice(first, end).map((w) => block(w, row.times[first], scale)));
    row.shown = shows;
    row.at.style.transform = `translateX(${talks / 2 + ((row.times[first] ?? now) - now) * scale}px)`;
  }

  function soon() {
    if (!asked) requestAnimationFrame(draw);
    asked = true;
  }

  function go(t) {
    now = Math.min(end, Math.max(begin, t));
    soon();
    settling ||= setTimeout(settle, Math.max(0, settled + 350 - performance.now()));
  }

  // pick goes to an entry; to the begin or the end if there is none.
  function pick(n) {
    picked = n;
    go(data.times[n] ?? (n < 0 ? begin : end));
  }

  // show brings the current entry into view, in the list and in the window.
  function show() {
    reveals = true;
    entry = -2; // even if it is the same
    soon();
  }

  // settle puts the current time into the address, and announces it to screen readers. It runs
  // at most three times a second, because browsers refuse an address that changes more often.
  function settle() {
    clearTimeout(settling);
    settling = 0;
    settled = performance.now();
    scrub.setAttribute("aria-valuetext", text(now));
    address.searchParams.set("t", new Date(now).toISOString());
    address.searchParams.delete("first");
    history.replaceState(null, "", address);
  }

  // The list shows one page. It is replaced when the current entry is on another page.
  const pages = new Map();
  // The pages overlap by half, so that each has the entry before the current one and some after it.
  let wanted = -1, waiting = 0;
  const half = data.size / 2;
  const pageOf = (n) => Math.floor(Math.max(0, n - 1) / half) * half;

  function load(first) {
    if (!pages.has(first)) {
      if (pages.size > 40) pages.clear();
      const page = fetch(`${stage.dataset.feed}&first=${first}`).then((r) => (r.ok ? r.text() : Promise.reject(new Error(r.status))));
      page.catch(() => pages.delete(first));
      pages.set(first, page);
    }
    return pages.get(first);
  }

  function mark(n) {
    const first = pageOf(n), feed = document.getElementById("feed");
    if (first !== Number(feed.dataset.first)) {
      clearTimeout(waiting);
      wanted = first;
      waiting = setTimeout(() => load(first).then((html) => {
        if (wanted !== first) return;
        const part = document.createElement("template");
        part.innerHTML = html;
        document.getElementById("feed").replaceWith(part.content);
        mark(current());
      }, () => {}), playing ? 0 : 60);
      return;
    }
    wanted = first;
    feed.querySelector("[aria-current]")?.removeAttribute("aria-current");
    const li = document.getElementById("e" + data.ids[n]);
    if (!li) return;
    li.setAttribute("aria-current", "step");
    const list = li.parentElement;
    const top = li.previousElementSibling ?? li; // the entry before the current one stays in view
    list.scrollTop = (li.offsetTop - top.offsetTop > list.clientHeight / 3 ? li : top).offsetTop - list.offsetTop;
    if (reveals) reveal(li);
    reveals = false;
    if (playing && n > first + half / 2 && first + half < data.times.length) load(first + half).catch(() => {});
  }

  // reveal scrolls the window down until an entry is seen, as far as the clock stays in view.
  function reveal(li) {
    const hidden = li.getBoundingClientRect().bottom + 8 - innerHeight;
    scrollBy({ top: Math.max(0, Math.min(hidden, clock.getBoundingClientRect().top - 8)), behavior: "instant" });
  }

  // Playing skips silences that are cut from the axis.
  const button = stage.querySelector("[data-play]");
  function play(on) {
    playing = on;
    button.querySelector("span").textContent = on ? "Pause" : "Play";
    button.setAttribute("aria-pressed", on);
    if (!on) return;
    if (now >= end) now = begin;
    let before = performance.now();
    requestAnimationFrame(function step(at) {
      if (!playing) return;
      let t = now + Math.max(0, at - before) * speed;
      before = at;
      const next = data.parts.findIndex(([from]) => from > now);
      if (next > 0 && t > data.parts[next - 1][1] && t < data.parts[next][0]) [t] = data.parts[next];
      if (t >= end) play(false);
      go(t);
      if (playing) requestAnimationFrame(step);
    });
  }
  button.addEventListener("click", () => play(!playing));
  for (const b of stage.querySelectorAll("[data-step]")) {
    b.addEventListener("click", () => {
      pick(current() + Number(b.dataset.step));
      show();
    });
  }
  const speeds = [...stage.querySelectorAll("[data-speed]")];
  for (const b of speeds) {
    b.addEventListener("click", () => {
      speed = Number(b.dataset.speed);
      for (const other of speeds) other.setAttribute("aria-pressed", other === b);
    });
  }
  scrub.addEventListener("input", () => go(timeAt(scrub.value / 1000)));
  scrub.addEventListener("change", show);

  // A click on an entry goes to its time without another request.
  document.addEventListener("click", (event) => {
    const link = event.target.closest?.("a");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const entry = link.classList.contains("at") ? data.ids.indexOf(Number(link.hash.slice(2))) : -1;
    if (entry >= 0) {
      event.preventDefault();
      pick(entry);
    } else if (link.closest(".controls, .tabs, .feed header")) { // these keep the current time
      const to = new URL(link.href);
      to.searchParams.set("t", new Date(now).toISOString());
      link.href = to;
    }
  });

  document.addEventListener("keydown", (event) => {
    if (typing(event) && (event.target !== scrub || event.ctrlKey || event.metaKey || event.altKey) || document.querySelector("dialog[open]")) return;
    if (event.key === " " && event.target.closest?.("button, summary")) return;
    const actions = {
      " ": () => event.repeat || play(!playing),
      ArrowLeft: () => go(timeAt(x(now) - 0.01)),
      ArrowRight: () => go(timeAt(x(now) + 0.01)),
      j: () => pick(current() + 1),
      k: () => pick(current() - 1),
    };
    if (!Object.hasOwn(actions, event.key)) return;
    event.preventDefault();
    actions[event.key]();
    if (event.key !== " ") show();
  });

  // Dragging zooms; dragging the line of the current time moves it; a click goes to a time.
  const chosen = document.createElement("div");
  chosen.className = "chosen";
  chosen.hidden = true;
  strip.append(chosen);
  let from = null, moving = false;
  const at = (event) => Math.min(1, Math.max(0, (event.clientX - strip.getBoundingClientRect().left) / wide));
  strip.addEventListener("pointerdown", (event) => {
    if (event.button || event.target.closest("a")) return;
    from = at(event);
    moving = Math.abs(from - x(now)) * wide < 7;
    strip.setPointerCapture(event.pointerId);
  });
  strip.addEventListener("pointermove", (event) => {
    tell(event);
    if (from === null) return;
    const to = at(event);
    if (moving) return go(timeAt(to));
    chosen.hidden = Math.abs(to - from) * wide < 8;
    chosen.style.transform = `translateX(${Math.min(from, to) * wide}px)`;
    chosen.style.width = `${Math.abs(to - from) * wide}px`;
  });
  const done = (event) => {
    if (from === null) return;
    const to = at(event), zooms = !chosen.hidden;
    chosen.hidden = true;
    if (event.type === "pointerup" && zooms) {
      settle();
      address.searchParams.set("since", new Date(timeAt(Math.min(from, to))).toISOString());
      address.searchParams.set("until", new Date(timeAt(Math.max(from, to))).toISOString());
      location.assign(address);
    } else if (event.type === "pointerup") {
      go(timeAt(to));
      show();
    }
    from = null;
  };
  // Pointing at a mark tells who said or did what, in the words of the list.
  const tip = document.createElement("p");
  tip.className = "tip";
  tip.hidden = true;
  strip.append(tip);
  let pointed = -1;
  function tell(event) {
    const box = strip.getBoundingClientRect(), lane = [...stage.querySelectorAll(".lane-names p")].findLastIndex((p) => p.getBoundingClientRect().top <= event.clientY);
    const to = at(event);
    const near = last(data.times, timeAt(Math.min(1, to + 6 / wide))), first = last(data.times, timeAt(Math.max(0, to - 6 / wide)) - 1) + 1;
    let best = -1;
    for (let i = Math.max(first, near - 60); i <= near; i++) if (data.lanes[i] === lane) best = i; // a row of a person has no tip: events know their robot alone
    if (best === pointed) return;
    pointed = best;
    tip.hidden = true;
    if (best < 0) return;
    setTimeout(() => pointed === best && load(pageOf(best)).then((html) => {
      const part = document.createElement("template");
      part.innerHTML = html;
      const what = part.content.getElementById("e" + data.ids[best])?.querySelectorAll(":scope > .at, .what > :not(.more, .because)");
      if (pointed !== best || !what?.length) return;
      tip.textContent = [...what].map((p) => p.textContent.replace(/\s+/g, " ").trim()).join(" ");
      tip.hidden = false;
      tip.style.left = `${Math.max(0, Math.min(event.clientX - box.left + 8, wide - tip.offsetWidth))}px`;
      tip.style.top = `${Math.min(event.clientY - box.top + 14, strip.clientHeight - tip.offsetHeight)}px`;
    }, () => {}), 80);
  }
  strip.addEventListener("pointerleave", () => {
    pointed = -1;
    tip.hidden = true;
  });
  strip.addEventListener("pointerup", done);
  strip.addEventListener("pointercancel", done);

  for (const control of stage.querySelectorAll("[disabled]")) control.disabled = false;
  draw();
  scrub.setAttribute("aria-valuetext", clock.textContent);
  stage.dataset.ready = "";
}

if (stage) {
  fetch(stage.dataset.events).then((r) => (r.ok ? r.json() : Promise.reject(new Error(r.status)))).then(start, () => {
    clock.textContent += " (playing is not possible: the service did not answer)";
  });
}
