// /reports: a section that can't be loaded says so.
document.addEventListener("htmx:error", (event) => {
  const section = event.target.closest?.(".report.waits");
  if (!section) return;
  section.setAttribute("aria-busy", "false");
  section.classList.remove("waits");
  section.querySelector("[data-wait]").replaceWith(section.querySelector("template").content.cloneNode(true));
  section.querySelector(".skeleton").remove();
});
