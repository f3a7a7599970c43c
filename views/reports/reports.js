// /reports: a section that can't be loaded says so, and the page for printing can be printed once it has all.
document.addEventListener("htmx:error", (event) => {
  const section = event.target.closest?.(".report.waits");
  if (!section) return;
  section.setAttribute("aria-busy", "false");
  section.classList.remove("waits");
  section.querySelector("[data-wait]").replaceWith(section.querySelector("template").content.cloneNode(true));
  section.querySelector(".skeleton").remove();
});

const button = document.querySelector("[data-print]");
if (button) {
  const words = button.querySelector("span"), prints = words.textContent;
  const offer = () => {
    const missing = document.querySelectorAll(".report.waits").length;
    const says = missing ? `Loading ${missing} section${missing > 1 ? "s" : ""}…` : prints;
    button.disabled = missing > 0;
    if (words.textContent !== says) words.textContent = says;
  };
  button.addEventListener("click", () => print());
  new MutationObserver(offer).observe(document.querySelector("main"), { childList: true, subtree: true });
  offer();
}
