// Buttons that copy the text of the element that they name: <button data-copy="#id"
// hidden>. Without TLS, pages can't write to the clipboard. There the buttons select the
// text.
export function copyButtons() {
  const show = () => document.querySelectorAll("[data-copy][hidden]").forEach((b) => (b.hidden = false));
  show();
  document.addEventListener("htmx:after:swap", show);
  document.addEventListener("click", async (event) => {
    const button = event.target.closest?.("[data-copy]");
    if (!button) return;
    const from = document.getElementById(button.dataset.copy.slice(1));
    const said = (button.dataset.said ??= button.textContent); // a second click may come while it says "Copied"
    try {
      await navigator.clipboard.writeText(from.value ?? from.textContent);
      button.textContent = "Copied";
    } catch {
      getSelection().selectAllChildren(from);
      button.textContent = "Selected";
    }
    setTimeout(() => (button.textContent = said), 1500);
  });
}
