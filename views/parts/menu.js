// Menus of the navigation: <details data-menu>. They open without a script. This script
// closes them on a click elsewhere, on Escape, and when the focus leaves them.
export function closeMenus() {
  for (const menu of document.querySelectorAll("[data-menu]")) {
    document.addEventListener("click", (event) => {
      if (!menu.contains(event.target)) menu.open = false;
    });
    menu.addEventListener("focusout", (event) => {
      if (event.relatedTarget && !menu.contains(event.relatedTarget)) menu.open = false;
    });
    menu.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || !menu.open) return;
      menu.open = false;
      menu.querySelector("summary").focus();
    });
  }
}
