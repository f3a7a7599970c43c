// Keyboard shortcuts of a page. They do nothing while the reader types, or with Ctrl, Alt
// or Meta. A key that is held down acts once, except those that move or zoom. An action that
// returns false leaves the key to the browser. "?" shows the page's <dialog id="keys">, if
// there is one.
export function typing(event) {
  const t = event.target;
  return event.ctrlKey || event.metaKey || event.altKey || t.isContentEditable || ["INPUT", "TEXTAREA", "SELECT"].includes(t.tagName);
}

export function onKeys(actions) {
  document.addEventListener("keydown", (event) => {
    if (typing(event) || !Object.hasOwn(actions, event.key) || document.querySelector("dialog[open]")) return;
    if (event.repeat && !/^(Arrow.*|[+-])$/.test(event.key)) event.preventDefault();
    else if (actions[event.key](event) !== false) event.preventDefault();
  });
}

export function keyHelp() {
  const dialog = document.getElementById("keys");
  if (!dialog) return;
  for (const opener of document.querySelectorAll("[data-keys]")) {
    opener.addEventListener("click", () => dialog.showModal());
  }
  onKeys({ "?": () => dialog.showModal() });
}
