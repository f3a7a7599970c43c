// The page /docs: shows openapi.json and sends requests by it. Text from the document or from
// an answer is only ever put in as text, never as HTML.

const shownBytes = 256 * 1024; // of an answer; the graph may be of any size

const documentURL = new URL("openapi.json", location.href);
const byId = (id) => document.getElementById(id);

// element makes an element with attributes and children (elements or text).
function element(name, attributes = {}, ...children) {
  const e = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) e.addEventListener(key.slice(2), value);
    else if (value === true) e.setAttribute(key, "");
    else if (value !== false && value != null) e.setAttribute(key, value);
  }
  e.append(...children.filter((c) => c != null));
  return e;
}

let api; // the OpenAPI document
let base; // where its paths begin

async function start() {
  try {
    const response = await fetch(documentURL);
    if (!response.ok) throw new Error(`openapi.json answers ${response.status}`);
    api = await response.json();
  } catch (error) {
    byId("operations").append(element("p", { class: "status bad" }, `The document can't be had: ${error.message}`));
    return;
  }
  base = new URL(api.servers[0].url, documentURL);
  byId("version").textContent = api.info.version;
  for (const [tag, operations] of byTag()) {
    byId("contents").append(
      element("h2", {}, tag),
      element("ul", {}, ...operations.map((o) =>
        element("li", {}, element("a", { href: `#${o.operationId}`, onclick: () => open(o.operationId) }, o.summary)))),
    );
    byId("operations").append(element("h2", {}, tag), ...operations.map(operationView));
  }
  byId("access").addEventListener("submit", (event) => event.preventDefault());
  open(location.hash.slice(1));
  showMode();
}

function byTag() {
  const tags = new Map(api.tags.map((t) => [t.name, []]));
  for (const [path, methods] of Object.entries(api.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      tags.get(operation.tags[0]).push({ path, method: method.toUpperCase(), ...operation });
    }
  }
  return tags;
}

function open(id) {
  const target = id && byId(id);
  if (!target) return;
  target.open = true;
  target.scrollIntoView();
}

async function showMode() {
  const mode = byId("mode");
  try {
    const { auth_enabled: enabled } = await (await fetch(new URL("auth/mode", base))).json();
    mode.textContent = enabled ? "Authentication is on: requests need a token." : "Authentication is off: every role.";
  } catch {
    mode.textContent = "The service does not answer.";
  }
}

// operationView is one operation: what it says, what can be filled in, and what came back.
function operationView(o) {
  const inputs = (o.parameters ?? []).map(parameterField);
  const body = o.requestBody && bodyField(o.requestBody);
  const result = element("div", { class: "result", role: "status", "aria-live": "polite" });
  const request = () => buildRequest(o, inputs, body);
  const send = (event) => {
    event.preventDefault();
    if (o["x-destructive"] && !confirm(`${o.summary}? This can't be undone.`)) return;
    sendRequest(request(), result);
  };
  const accept = acceptField(o);
  if (accept) inputs.push(accept);
  return element("details", { class: "operation", id: o.operationId },
    element("summary", {},
      element("span", { class: `method ${o.method.toLowerCase()}` }, o.method),
      element("span", { class: "path" }, o.path),
      element("span", {}, o.summary),
      element("span", { class: "roles" }, o["x-roles"].length ? o["x-roles"].join(" or ") : "public")),
    element("div", { class: "inside" },
      o.description ? element("p", {}, o.description) : null,
      element("form", { onsubmit: send },
        ...inputs.map((i) => i.view),
        body?.view,
        element("div", { class: "buttons" },
          element("button", { type: "submit" }, "Send"),
          element("button", { type: "button", onclick: () => showCurl(request(), result) }, "As curl"))),
      result,
      element("h3", {}, "Answers"),
      answersTable(o.responses)));
}

let fields = 0;

function field(label, control, note) {
  control.id = `field-${++fields}`;
  return element("div", { class: "field" },
    element("label", { for: control.id }, label), control,
    note ? element("span", { class: "note" }, note) : null);
}

function parameterField(parameter) {
  const schema = resolve(parameter.schema);
  const control = schema.enum
    ? element("select", {}, parameter.required ? null : element("option", { value: "" }, ""), ...schema.enum.map((v) => element("option", {}, v)))
    : element("input", { placeholder: schema.default ?? "", required: parameter.required });
  return {
    ...parameter,
    value: () => control.value,
    view: field(`${parameter.name} (${parameter.in})`, control, `${parameter.description} ${range(schema)}`),
  };
}

// acceptField lets one choose where an operation has more than one form of answer.
function acceptField(o) {
  const types = Object.keys(o.responses["200"]?.content ?? {});
  if (types.length < 2 || o.path.includes("{")) return null;
  const control = element("select", {}, ...types.map((t) => element("option", {}, t)));
  return { name: "Accept", in: "header", value: () => control.value, view: field("Accept (header)", control) };
}

function bodyField(requestBody) {
  const types = Object.keys(requestBody.content);
  const type = element("select", {}, ...types.map((t) => element("option", {}, t)));
  const text = element("textarea", { spellcheck: "false" });
  const fill = () => { text.value = example(requestBody.content[type.value].schema); };
  type.addEventListener("change", fill);
  fill();
  return {
    type: () => type.value,
    value: () => text.value,
    view: element("div", {}, field("Content-Type", type, requestBody.description), field("Body", text)),
  };
}

function example(schema) {
  const value = resolve(schema).examples?.[0] ?? "";
  return typeof value === "string" ? value : JSON.stringify(value, null, 2);
}

function buildRequest(o, inputs, body) {
  let path = o.path.slice(1);
  const headers = new Headers();
  const query = new URLSearchParams();
  for (const input of inputs) {
    const value = input.value();
    if (value === "") continue;
    if (input.in === "path") path = path.replace(`{${input.name}}`, encodeURIComponent(value));
    if (input.in === "query") query.set(input.name, value);
    if (input.in === "header") headers.set(input.name, value);
  }
  const url = new URL(path, base);
  url.search = query;
  const token = byId("token").value.trim();
  if (token) headers.set("Authorization", `Bearer ${token}`);
  if (body) headers.set("Content-Type", body.type());
  return { url, method: o.method, headers, body: body?.value() };
}

async function sendRequest({ url, method, headers, body }, result) {
  result.replaceChildren("Sent …");
  const started = performance.now();
  try {
    const response = await fetch(url, { method, headers, body, cache: "no-store" });
    const { text, cut } = await readText(response);
    const took = Math.round(performance.now() - started);
    result.replaceChildren(
      element("p", {},
        element("span", { class: `status ${response.ok ? "good" : "bad"}` }, `${response.status} ${response.statusText}`),
        ` after ${took} ms`),
      element("h3", {}, "Headers"),
      element("pre", {}, [...response.headers].map(([k, v]) => `${k}: ${v}`).join("\n")),
      element("h3", {}, cut ? `Body, its first ${shownBytes / 1024} KiB` : "Body"),
      element("pre", { tabindex: "0" }, pretty(text, response.headers.get("Content-Type"), cut)));
  } catch (error) {
    result.replaceChildren(element("p", { class: "status bad" }, `No whole answer came: ${error.message}`));
  }
}

// readText reads the beginning of an answer, which may be larger than a browser can show.
async function readText(response) {
  if (!response.body) return { text: "", cut: false };
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  for (let bytes = 0; bytes < shownBytes;) {
    const { done, value } = await reader.read();
    if (done) return { text: text + decoder.decode(), cut: false };
    bytes += value.length;
    text += decoder.decode(value, { stream: true });
  }
  await reader.cancel();
  return { text, cut: true };
}

function pretty(text, contentType, cut) {
  if (cut || !/json/.test(contentType ?? "")) return text;
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

function showCurl({ url, method, headers, body }, result) {
  const quote = (s) => `'${s.replaceAll("'", `'\\''`)}'`;
  const words = ["curl", "-i"];
  if (method !== "GET") words.push("-X", method);
  for (const [key, value] of headers) {
    words.push("-H", key === "authorization" ? `"Authorization: Bearer $TOKEN"` : quote(`${key}: ${value}`));
  }
  if (body !== undefined) words.push("--data-raw", quote(body));
  words.push(quote(url.href));
  result.replaceChildren(element("pre", { tabindex: "0" }, words.join(" ")));
}

function answersTable(responses) {
  const rows = Object.entries(responses).map(([status, response]) => {
    const shapes = Object.entries(response.content ?? {}).map(([type, { schema }]) =>
      element("div", {}, element("code", {}, type), schemaView(schema)));
    return element("tr", {}, element("th", { scope: "row" }, status), element("td", {}, response.description, ...shapes));
  });
  return element("table", {}, element("tbody", {}, ...rows));
}

// resolve follows a $ref within the document.
function resolve(schema) {
  if (!schema.$ref) return schema;
  return schema.$ref.slice(2).split("/").reduce((node, name) => node[name], api);
}

// schemaView shows an object's members as a list; other schemas have nothing to unfold.
// Problem documents are the same everywhere and are named only.
function schemaView(schema) {
  if (schema.$ref?.endsWith("/Problem")) return element("span", { class: "note" }, " a problem document: type, title, status, detail, request_id");
  const s = resolve(schema);
  if (s.items) return schemaView(s.items);
  if (!s.properties) return null;
  return element("ul", { class: "schema" }, ...Object.entries(s.properties).map(([name, member]) => {
    const m = resolve(member);
    return element("li", {},
      element("code", {}, name), " ",
      element("span", { class: "type" }, typeName(m)),
      s.required?.includes(name) ? element("span", { class: "required" }, " always") : null,
      m.description ? ` ${m.description}` : null,
      schemaView(member));
  }));
}

function typeName(schema) {
  if (schema.enum) return schema.enum.join(" | ");
  if ("const" in schema) return JSON.stringify(schema.const);
  if (schema.type === "array") return `list of ${typeName(resolve(schema.items))}`;
  return [schema.type ?? "anything"].flat().join(" or ");
}

function range(schema) {
  if (schema.minimum === undefined || schema.maximum === undefined) return "";
  return `From ${schema.minimum} to ${schema.maximum}.`;
}

start();
