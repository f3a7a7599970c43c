// The editor of /query: CodeMirror replaces the field, which still holds the text for the
// form.
import { autocompletion, closeBrackets, closeBracketsKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, toggleComment } from "@codemirror/commands";
import { bracketMatching, HighlightStyle, StreamLanguage, syntaxHighlighting } from "@codemirror/language";
import { sparql } from "@codemirror/legacy-modes/mode/sparql";
import { forceLinting, linter } from "@codemirror/lint";
import { EditorState, Prec } from "@codemirror/state";
import { EditorView, highlightActiveLine, highlightActiveLineGutter, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { base } from "../../parts/base.js";
import { complete, declare } from "./complete.js";

const colours = HighlightStyle.define([
  { tag: tags.keyword, color: "var(--series-3)", fontWeight: "600" },
  { tag: [tags.variableName, tags.special(tags.variableName), tags.definition(tags.variableName)], color: "var(--series-2)", whiteSpace: "nowrap" }, // a phone keeps "?" with the name
  { tag: [tags.atom, tags.standard(tags.variableName), tags.link, tags.url], color: "var(--accent)" },
  { tag: [tags.string, tags.number, tags.literal, tags.bool], color: "var(--series-4)" },
  { tag: tags.comment, color: "var(--muted)", fontStyle: "italic" },
  { tag: [tags.operator, tags.punctuation, tags.bracket], color: "var(--muted)" },
]);

const look = EditorView.theme({
  "&": { minHeight: "0", color: "var(--text)", backgroundColor: "var(--surface)", fontSize: "var(--small)" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.5", overflow: "auto" },
  ".cm-content": { caretColor: "var(--text)", padding: "0.5rem 0" },
  ".cm-gutters": { backgroundColor: "var(--surface)", color: "var(--muted)", border: "0" },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "color-mix(in srgb, var(--raised) 45%, transparent)" },
  ".cm-matchingBracket": { backgroundColor: "var(--accent-soft)", outline: "1px solid var(--accent)" },
  ".cm-tooltip": { backgroundColor: "var(--surface)", color: "var(--text)", border: "1px solid var(--edge)", borderRadius: "5px", maxWidth: "90vw" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul": { fontFamily: "var(--mono)", fontSize: "var(--small)", maxHeight: "16rem" },
  ".cm-tooltip-autocomplete ul li[aria-selected]": { backgroundColor: "var(--accent)", color: "var(--on-accent)" },
  ".cm-completionDetail": { fontStyle: "normal", opacity: "0.85", marginLeft: "1rem" },
  ".cm-completionMatchedText": { textDecoration: "none", fontWeight: "700" },
  ".cm-diagnostic": { fontFamily: "var(--sans)", padding: "0.375rem 0.625rem", borderLeft: "4px solid var(--bad)" },
  ".cm-diagnosticAction": { backgroundColor: "var(--accent)", color: "var(--on-accent)", border: "0", borderRadius: "4px", minHeight: "1.5rem", marginLeft: "0.5rem" },
  ".cm-diagnostic-warning": { borderLeftColor: "var(--warn)" },
  ".cm-lintRange-warning": { backgroundImage: "none", textDecoration: "underline wavy var(--warn)", textUnderlineOffset: "3px" },
  ".cm-lintRange-error": { backgroundImage: "none", textDecoration: "underline wavy var(--bad)", textUnderlineOffset: "3px" },
});

// place converts a line and a column in characters, both from 1, into a position of the
// document.
export function place(doc, line, column) {
  const at = doc.line(Math.min(line, doc.lines));
  let offset = 0;
  for (const character of at.text) {
    if (--column < 1) break;
    offset += character.length;
  }
  return Math.min(at.from + offset, at.to);
}

// range returns the word at a place or, at the end of a line, the character before it.
function range(doc, row, column) {
  const from = place(doc, row, column);
  const line = doc.lineAt(from);
  const word = /^"[^"]*"|^[^\s(){}.,;]+|^./u.exec(line.text.slice(from - line.from))?.[0] ?? "";
  return { from: word ? from : Math.max(line.from, from - 1), to: from + word.length };
}

// check asks the server's parser. It gives the findings to the editor, and calls note
// with the message.
function check(note) {
  return linter(async (view) => {
    const text = view.state.doc.toString();
    if (!text.trim()) {
      note("");
      return [];
    }
    let found;
    try {
      const answer = await fetch(base + "/query/check", {
        method: "POST", body: new URLSearchParams({ query: text }), headers: { "HX-Request": "true" }, signal: AbortSignal.timeout(5000),
      });
      if (!answer.ok) throw new Error(String(answer.status));
      found = await answer.json();
    } catch {
      note("Not checked: the service does not answer, or the session is over");
      return [];
    }
    if (view.state.doc.toString() !== text) return [];
    const warnings = found.warnings.filter((w) => w.line > 0);
    const warned = warnings.length ? `, with ${warnings.length} warning${warnings.length > 1 ? "s" : ""}: ${warnings[0].message}` : "";
    note(found.valid ? `Valid: ${found.query_kind.toUpperCase()}${warned}` : found.message, !found.valid);
    const warns = warnings.filter((w) => found.valid || w.line !== found.line || w.column !== found.column)
      .map((w) => ({ ...range(view.state.doc, w.line, w.column), severity: "warning", message: w.message }));
    if (found.valid || !found.line) return warns;
    return [...warns, {
      ...range(view.state.doc, found.line, found.column), severity: "error", message: found.message,
      actions: (found.declare ?? []).map((d) => ({
        name: `Declare ${d.Prefix}`, apply: (v) => v.dispatch({ changes: declare(v.state, d.Prefix, d.Namespace) }),
      })),
    }];
  }, { delay: 350 });
}

// overtype replaces a selection by the typed text. The browser would copy the style of
// the selection into an attribute, which the policy of the page forbids.
function overtype(event, view) {
  const { from, to, empty } = view.state.selection.main;
  if (event.inputType !== "insertText" || !event.data || empty || view.composing || view.state.selection.ranges.length > 1) return false;
  event.preventDefault();
  const insert = () => view.state.update(view.state.replaceSelection(event.data), { userEvent: "input.type", scrollIntoView: true });
  if (!view.state.facet(EditorView.inputHandler).some((h) => h(view, from, to, event.data, insert))) view.dispatch(insert());
  return true;
}

// open puts the editor in the place of a field. It calls changed with every new text,
// note with the message of the check, and run and cancel for their keys.
export function open(field, nonce, { changed, note, run, cancel }) {
  const fresh = (doc) => EditorState.create({
    doc,
    extensions: [
      EditorView.cspNonce.of(nonce), lineNumbers(), history(), bracketMatching(), closeBrackets(), highlightActiveLine(), highlightActiveLineGutter(),
      StreamLanguage.define(sparql), syntaxHighlighting(colours), look, check(note),
      autocompletion({ override: [complete], icons: false, maxRenderedOptions: 60 }),
      Prec.highest(keymap.of([
        { key: "Mod-Enter", run: () => (run(), true) },
        { key: "Escape", run: () => cancel() },
        { key: "Mod-/", run: toggleComment },
      ])),
      keymap.of([...closeBracketsKeymap, ...defaultKeymap, ...historyKeymap]),
      EditorView.domEventHandlers({ beforeinput: overtype }),
      EditorView.contentAttributes.of({ "aria-label": "SPARQL query", spellcheck: "false", autocapitalize: "off" }),
      EditorState.languageData.of(() => [{ commentTokens: { line: "#" } }]),
      EditorView.updateListener.of((update) => {
        if (!update.docChanged) return;
        field.value = update.state.doc.toString();
        changed(field.value);
      }),
    ],
  });
  const view = new EditorView({ state: fresh(field.value) });
  view.scrollDOM.tabIndex = 0; // it scrolls, so keys must reach it even if the cursor does not show
  field.parentElement.append(view.dom);
  field.parentElement.classList.add("on");
  return {
    text: () => view.state.doc.toString(),
    // show shows another text. Undoing its changes never leads back to the text before.
    show(text) {
      field.value = text;
      view.setState(fresh(text));
    },
    set(text) {
      if (text !== view.state.doc.toString()) view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text }, selection: { anchor: 0 } });
    },
    go(line, column) {
      const at = place(view.state.doc, line, column);
      view.dispatch({ selection: { anchor: at }, effects: EditorView.scrollIntoView(at, { y: "center" }) });
      view.focus();
    },
    focus: () => view.focus(),
    check: () => forceLinting(view),
  };
}
