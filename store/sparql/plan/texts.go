package plan

import (
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql/algebra"
	"github.com/segraph/segraph/store/sparql/syntax"
	"github.com/segraph/segraph/store/sparql/value"
	"github.com/segraph/segraph/store/trigram"
)

// textBound is a condition on the text of a variable's value.
type textBound struct {
	slot algebra.Slot
	algebra.Text
	ok bool
}

// bound converts a condition to a bound on a variable's value or text.
func (p *planner) bound(c algebra.Expr) (slot algebra.Slot, b algebra.Bound, ok bool) {
	if slot, b, ok = asBound(c); ok {
		return slot, b, true
	}
	t, known := p.texts[c]
	if !known {
		t = asText(c)
		p.texts[c] = t // so that a dataset, too, sees the same bound and looks it up only once
	}
	return t.slot, algebra.Bound{Text: &t.Text}, t.ok
}

// asText returns the trigrams that a variable's text must have for a condition to be
// true. Its ok is false if the condition says nothing of a text.
func asText(c algebra.Expr) textBound {
	call, ok := c.(*algebra.Call)
	if !ok {
		return textBound{}
	}
	var t textBound
	switch call.Op {
	case syntax.OpAnd, syntax.OpOr:
		t = asText(call.Args[0])
		for _, arg := range call.Args[1:] {
			t = bothTexts(call.Op, t, asText(arg))
		}
		return t
	case syntax.OpContains, syntax.OpStrStarts, syntax.OpStrEnds:
		t = textOf(call.Args[0])
		part, isText := constantText(call.Args[1])
		t.ok = t.ok && isText
		t.Query = trigram.Contains(part)
	case syntax.OpRegex:
		t = textOf(call.Args[0])
		t.Query = matching(call.Args[1:])
	case syntax.OpEqual:
		text, constant := call.Args[0], call.Args[1]
		if _, isConst := text.(*algebra.Const); isConst {
			text, constant = constant, text
		}
		whole, isText := constantText(constant)
		t = textOf(text)
		t.ok = t.ok && isText
		t.Query = trigram.Contains(whole)
	}
	t.ok = t.ok && t.Query != nil
	return t
}

// bothTexts combines the operands of && or ||. If && has texts of two variables, it returns
// the first.
func bothTexts(op syntax.Op, a, b textBound) textBound {
	switch same := a.ok && b.ok && a.slot == b.slot; {
	case same && op == syntax.OpOr:
		a.Query, a.Strings = trigram.Or(a.Query, b.Query), a.Strings && b.Strings
		a.ok = a.Query != nil
	case same:
		a.Query, a.Strings = trigram.And(a.Query, b.Query), a.Strings || b.Strings
	case op == syntax.OpOr:
		return textBound{}
	case !a.ok:
		return b
	}
	return a
}

// textOf parses an expression as the text of a variable's value, ignoring case.
func textOf(e algebra.Expr) textBound {
	switch x := e.(type) {
	case *algebra.Var:
		return textBound{slot: x.Slot, Text: algebra.Text{Strings: true}, ok: true}
	case *algebra.Call:
		switch x.Op {
		case syntax.OpStr:
			t := textOf(x.Args[0])
			if _, isVar := x.Args[0].(*algebra.Var); isVar {
				t.Strings = false
			}
			return t
		case syntax.OpLCase, syntax.OpUCase:
			return textOf(x.Args[0])
		}
	}
	return textBound{}
}

// constantText parses an expression as a constant text, ignoring case.
func constantText(e algebra.Expr) (text string, ok bool) {
	switch x := e.(type) {
	case *algebra.Const:
		return x.Term.Value(), x.Term.IsLiteral() && (x.Term.Datatype() == rdf.XSDString || x.Term.Tag() != "")
	case *algebra.Call:
		if x.Op == syntax.OpStr || x.Op == syntax.OpLCase || x.Op == syntax.OpUCase {
			return constantText(x.Args[0])
		}
	}
	return "", false
}

// matching returns the trigrams of texts that match a regular expression, args[0], with the
// flags args[1], if any. It returns nil if there are none, or if args are not constant.
func matching(args []algebra.Expr) *trigram.Query {
	var texts [2]string
	for i, e := range args {
		c, ok := e.(*algebra.Const)
		if !ok || !c.Term.IsLiteral() || c.Term.Datatype() != rdf.XSDString {
			return nil
		}
		texts[i] = c.Term.Value()
	}
	re, err := value.CompileRegex(texts[0], texts[1])
	if err != nil {
		return nil // an error for every row
	}
	return re.Trigrams()
}
