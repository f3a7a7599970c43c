// Scrolls the diagram of /why to the event that the page explains, also in browsers without
// scroll-initial-target.
const start = document.querySelector("#chain .start");
if (start) {
  const frame = start.closest(".scroll"), seen = frame.getBoundingClientRect(), box = start.getBoundingClientRect();
  frame.scrollLeft += box.x + box.width / 2 - seen.x - seen.width / 2;
}
