// A script that changes its page in place pushes each new address with push. onReturn calls back when Back or
// Forward leads to another path or query; "Skip to content" and the like change only the fragment.
const here = () => location.pathname + location.search;
let at = here();

export function push(address, state = null) {
  history.pushState(state, "", address);
  at = here();
}

export function onReturn(back) {
  addEventListener("popstate", () => {
    if (at === here()) return;
    at = here();
    back(at);
  });
}
