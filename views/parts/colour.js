// Colours code: Turtle, JSON-LD and programs, as the editor of /query colours SPARQL. The browser paints ranges of the
// text, so the page stays as it is. Long texts stay plain. The pattern takes time in proportion to any text: it goes back over none.
const syntax = /(?<comment>(?<!\S)(?:#(?!include)|\/\/).*)|(?<string>"""[^]*?"""|"(?:[^"\\\n]|\\.)*"?|(?<!\w)'(?:[^'\\\n]|\\.)*'?)|(?<name><[^\s<>"]+>|(?<![\w:-])[\w-]+:[\w-]+|(?<=@prefix )[\w-]*:)|(?<keyword>@(?:prefix|base)\b|(?<=\s)a(?=\s)|\b(?:as|auto|const|def|else|for|from|if|import|int|not|raise|return|with)\b)/g;
export const longest = 100_000; // characters

export function colourCode() {
  if (!globalThis.Highlight) return;
  const found = { comment: new Highlight(), string: new Highlight(), name: new Highlight(), keyword: new Highlight() };
  for (const { firstChild: text } of document.querySelectorAll("pre code")) {
    if (text?.nodeType !== Node.TEXT_NODE || text.length > longest) continue;
    for (const m of text.data.matchAll(syntax)) {
      const kind = Object.keys(found).find((k) => m.groups[k]);
      found[kind].add(new StaticRange({ startContainer: text, startOffset: m.index, endContainer: text, endOffset: m.index + m[0].length }));
    }
  }
  for (const kind in found) CSS.highlights.set(kind, found[kind]);
}
