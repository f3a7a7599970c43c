// Completes prefixes, classes and predicates of the graph, variables, and keywords of
// SPARQL.
import { base } from "../../parts/base.js";

const words = ("SELECT DISTINCT REDUCED WHERE FILTER OPTIONAL UNION MINUS GRAPH BIND VALUES UNDEF GROUP BY HAVING ORDER BY LIMIT OFFSET ASK " +
  "CONSTRUCT DESCRIBE EXISTS NOT IN BOUND COUNT SUM MIN MAX AVG SAMPLE GROUP_CONCAT SEPARATOR DESC ASC AS FROM NAMED PREFIX BASE").split(" ");
const patience = 30_000;
let known;
let asked = 0;

// terms returns the names in the graph. It caches them for a while.
async function terms() {
  if (known && performance.now() - asked < patience) return known;
  asked = performance.now();
  const answer = await fetch(base + "/query/terms", { headers: { "HX-Request": "true" } });
  if (answer.ok) known = await answer.json();
  return known ?? { functions: [], prefixes: [], classes: [], predicates: [] };
}

const declarations = /^\s*PREFIX\s+([^\s:]*):\s*<([^>]*)>/gim;

// declared returns the prefixes that a text declares, by namespace.
function declared(text) {
  return new Map([...text.matchAll(declarations)].map((m) => [m[2], m[1]]));
}

// declare returns the change that declares a prefix at the top of the document.
export function declare(state, prefix, namespace) {
  return { from: 0, insert: `PREFIX ${prefix} <${namespace}>\n` };
}

const plain = /^[\p{L}\p{N}_][\p{L}\p{N}_-]*$/u;

// named returns an IRI as a prefixed name, with the prefix to declare, or null.
function named(iri, prefixes, own) {
  let best = null;
  for (const [namespace, label] of [...own, ...prefixes.map((p) => [p.namespace, p.label])]) {
    if (!iri.startsWith(namespace) || !plain.test(iri.slice(namespace.length))) continue;
    if (!best || namespace.length > best.namespace.length) best = { label, namespace, name: `${label}:${iri.slice(namespace.length)}` };
  }
  return best;
}

// apply inserts a name and, if necessary, the declaration of its prefix.
function apply(text, needs) {
  return (view, completion, from, to) => {
    const changes = [{ from, to, insert: text }];
    let anchor = from + text.length;
    if (needs && ![...declared(view.state.doc.toString()).values()].includes(needs.label)) {
      const extra = declare(view.state, `${needs.label}:`, needs.namespace);
      changes.unshift(extra);
      anchor += extra.insert.length;
    }
    view.dispatch({ changes, selection: { anchor }, userEvent: "input.complete" });
  };
}

const count = new Intl.NumberFormat("en");

export async function complete(context) {
  const variable = context.matchBefore(/[?$]\w*/);
  const text = context.state.doc.toString();
  if (variable) {
    const names = new Set([...text.matchAll(/[?$]\w+/g)].filter((m) => m.index !== variable.from && m[0] !== variable.text).map((m) => m[0]));
    return { from: variable.from, options: [...names].map((label) => ({ label, type: "variable" })), validFor: /^[?$]\w*$/ };
  }
  const word = context.matchBefore(/[\p{L}\p{N}_-]*:?[\p{L}\p{N}_-]*/u);
  if (!context.explicit && (!word || word.from === word.to)) return null;
  const line = context.state.doc.lineAt(context.pos);
  const before = line.text.slice(0, (word?.from ?? context.pos) - line.from);
  if (/["'#]/.test(before.replace(/<[^>]*>|"[^"]*"|'[^']*'/g, ""))) return null; // within a string or a comment
  const graph = await terms();
  if (context.aborted) return null;
  if (/^\s*PREFIX\s+$/i.test(before)) {
    return { from: word.from, options: graph.prefixes.map((p) => ({ label: `${p.label}: <${p.namespace}>`, type: "namespace" })) };
  }
  const own = declared(text);
  const wantsClass = /(?:\ba|rdf:type)\s+$/.test(before) || /(?:\ba|rdf:type)\s[^.;]*,\s*$/.test(before);
  const options = [];
  const add = (list, what, boost) => list.forEach((t, i) => {
    const name = named(t.iri, graph.prefixes, own);
    const label = name?.name ?? `<${t.iri}>`;
    options.push({ label, detail: `${what} · ${count.format(t.count)}`, boost: boost - Math.min(20, i / 10), apply: apply(label, name) });
  });
  add(graph.classes, "class", wantsClass ? 60 : -10);
  add(graph.predicates, "predicate", wantsClass ? -10 : 60);
  if (!word?.text.includes(":")) {
    for (const p of graph.prefixes) options.push({ label: `${p.label}:`, detail: p.namespace, boost: 20, apply: apply(`${p.label}:`, p) });
    for (const label of words.concat(graph.functions)) options.push({ label, boost: 0 });
  }
  return { from: word?.from ?? context.pos, options, validFor: /^[\p{L}\p{N}_-]*:?[\p{L}\p{N}_-]*$/u };
}
