// /reports: Tab stops once at each chart, and the arrow keys move between its parts. A
// section that can't be loaded says so.
function oneStop(root) {
  for (const chart of root.querySelectorAll("[data-arrows]")) {
    chart.querySelectorAll("a").forEach((link, i) => (link.tabIndex = i ? -1 : 0));
  }
}

document.addEventListener("keydown", (event) => {
  const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
  const chart = event.target.closest?.("[data-arrows]");
  if (!step || !chart || event.ctrlKey || event.metaKey || event.altKey) return;
  const links = [...chart.querySelectorAll("a")];
  const next = links[links.indexOf(event.target) + step];
  event.preventDefault();
  if (!next) return;
  event.target.tabIndex = -1;
  next.tabIndex = 0;
  next.focus();
});

document.addEventListener("htmx:error", (event) => {
  const section = event.target.closest?.(".report.waits");
  if (!section) return;
  section.setAttribute("aria-busy", "false");
  section.classList.remove("waits");
  section.querySelector("[data-wait]").replaceWith(section.querySelector("template").content.cloneNode(true));
  section.querySelector(".skeleton").remove();
});

document.addEventListener("htmx:after:swap", () => oneStop(document));
oneStop(document);
