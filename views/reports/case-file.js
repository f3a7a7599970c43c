// The button that prints a case file.
document.querySelector("[data-print]")?.addEventListener("click", () => print());
