// Follows a live demo: opens the next address once the story has continued.
const next = document.body.dataset.follow;
if (next) {
  setInterval(async () => {
    if (document.hidden) return;
    const response = await fetch(next, { redirect: "error" }).catch(() => null);
    const to = response?.ok && response.headers.get("X-Follow");
    if (to) location.replace(to);
  }, 2000);
}
