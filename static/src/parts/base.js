// base is what comes before every path of this service, such as "/seg"; "" where it has no base path. The
// built scripts are served at base + "/static/".
export const base = new URL("..", import.meta.url).pathname.replace(/\/$/, "");
