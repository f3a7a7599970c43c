package syntax

// Kind returns the kind of a text by its first keyword: "select", "construct", "ask",
// "describe", "update" or "unknown". It does not check the syntax. A malformed text has
// a kind, too, if the keyword comes before its first brace.
func Kind(text string) string {
	lex := newLexer(text)
	for {
		tok, err := lex.next()
		if err != nil || tok.kind == tokenEnd || tok.text == "{" {
			return "unknown"
		}
		p := parser{tok: tok}
		for _, form := range []Form{Select, Construct, Ask, Describe} {
			if p.atWord(form.String()) {
				return form.String()
			}
		}
		if updateWord(tok) != "" {
			return "update"
		}
	}
}
