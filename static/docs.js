// The page /docs: Swagger UI for openapi.json. Its settings keep it from contacting other
// hosts.
import SwaggerUI from "swagger-ui-dist/swagger-ui-es-bundle.js";

const shown = 256 * 1024; // characters or bytes of an answer, because the graph may be large

const dark = matchMedia("(prefers-color-scheme: dark)");
const light = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
dark.addEventListener("change", light);
light();

SwaggerUI({
  dom_id: "#docs",
  url: new URL("openapi.json", location.href).href,
  validatorUrl: null, // it is on another host
  deepLinking: true,
  displayRequestDuration: true,
  defaultModelsExpandDepth: -1, // schemas are shown where they are used
  syntaxHighlight: { activated: false },
  responseInterceptor: shorten,
});
showMode();

// shorten shortens long answers, which would keep the browser busy for minutes. It does
// not shorten downloads.
function shorten(response) {
  const { data, text, headers = {}, url = "" } = response;
  const whole = data instanceof Blob ? data : text;
  const size = whole?.size ?? whole?.length ?? 0;
  if (size <= shown || headers["content-disposition"] || url.endsWith("/openapi.json")) return response;
  const start = whole.slice(0, shown);
  const note = `\n… cut off here by this page, after ${shown} of ${size}`;
  const cut = whole instanceof Blob ? new Blob([start, note], { type: whole.type }) : start + note;
  return Object.assign(response, { text: cut, data: cut, obj: undefined, body: undefined });
}

async function showMode() {
  const mode = document.getElementById("mode");
  try {
    const response = await fetch(new URL("auth/mode", location.href), { signal: AbortSignal.timeout(10_000) });
    const { auth_enabled: enabled } = await response.json();
    mode.textContent = enabled
      ? "Authentication is on: most requests need a token. Press Authorize to enter yours."
      : "Authentication is off: requests need no token.";
  } catch {
    mode.textContent = "The service does not say whether it needs a token.";
  }
}
