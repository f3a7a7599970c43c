// Tab stops once at each chart (data-arrows), and the arrow keys move between its parts.
export function chartKeys() {
  const oneStop = () => document.querySelectorAll("[data-arrows]").forEach((chart) =>
    chart.querySelectorAll("a").forEach((link, i) => (link.tabIndex = i ? -1 : 0)));
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
  document.addEventListener("htmx:after:swap", oneStop);
  oneStop();
}
