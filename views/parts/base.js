// base is the prefix of every path of this service, such as "/seg", or "". The built
// scripts are served at base + "/static/".
export const base = new URL("..", import.meta.url).pathname.replace(/\/$/, "");
