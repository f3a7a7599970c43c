package sparql

import (
	"fmt"
	"strconv"
	"strings"
)

// String returns the plan as an indented tree, one operator per line, followed by the
// reason for an empty answer.
func (x *Explanation) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, %s, planned in %s, run in %s, with %s of memory\n", x.Kind, countText(x.Rows, "row"), msText(x.PlanningMS), msText(x.RunningMS), sizeText(x.Memory))
	if x.Stopped != "" {
		fmt.Fprintf(&b, "STOPPED: %s; the following counts are partial\n", x.Stopped)
	}
	for _, w := range x.Warnings {
		fmt.Fprintf(&b, "WARNING: line %d, column %d: %s\n", w.Line, w.Column, w.Message)
	}
	fmt.Fprintf(&b, "\n%12s %12s %10s %10s  operator\n", "estimated", "rows", "time", "own time")
	x.Plan.write(&b, 0)
	if x.Reason != "" {
		fmt.Fprintf(&b, "\nNothing was found: %s\n", x.Reason)
	}
	if len(x.Patterns) > 0 {
		fmt.Fprintf(&b, "\n%12s  pattern by itself\n", "matches")
	}
	for _, p := range x.Patterns {
		fmt.Fprintf(&b, "%12s  %s%s\n", p.matchesText(), p.Pattern, map[bool]string{false: "  (not required)"}[p.Required])
		for _, u := range p.Unknown {
			fmt.Fprintf(&b, "%12s  - %s\n", "", u)
		}
	}
	if v := x.Server; v != nil && v.Query == "" {
		fmt.Fprintf(&b, "\nThis engine answers the query, and not %s: %s\n", v.Product, v.Because)
	} else if v != nil {
		fmt.Fprintf(&b, "\nThe plan is this engine's; %s answers the query, which it receives as:\n%s\n", v.Product, v.Query)
	}
	return b.String()
}

// write writes a line for the step and one for each operand, a level deeper: estimated rows, rows,
// time with operands, and time without.
func (s *Step) write(b *strings.Builder, depth int) {
	rows, estimated := "-", "-"
	if s.Rows != nil {
		rows = strconv.FormatInt(*s.Rows, 10)
	}
	if s.Estimated != nil {
		estimated = strconv.FormatFloat(*s.Estimated, 'f', 0, 64)
		if *s.Estimated < 10 {
			estimated = strconv.FormatFloat(*s.Estimated, 'g', 2, 64)
		}
	}
	line := fmt.Sprintf("%12s %12s %10s %10s  %s%s %s", estimated, rows, msText(s.MS), msText(s.OwnMS), strings.Repeat("  ", depth), s.Operator, s.Detail)
	b.WriteString(strings.TrimRight(line, " ") + "\n")
	for _, operand := range s.Operands {
		operand.write(b, depth+1)
	}
}

// matchesText says in words how many triples match.
func (p *Pattern) matchesText() string {
	switch {
	case p.Matches == nil:
		return "not counted"
	case p.More:
		return strconv.FormatInt(*p.Matches, 10) + " or more"
	}
	return strconv.FormatInt(*p.Matches, 10)
}

// String returns a sentence about the term, without a final period.
func (u Unknown) String() string {
	text := fmt.Sprintf("the %s %s is in no triple", u.Position, u.Term)
	switch u.Position {
	case "predicate":
		text = "no triple has the predicate " + u.Term
	case "class":
		text = "nothing is of the class " + u.Term
	case "graph":
		text = "there is no graph " + u.Term
	}
	if u.Nearest != "" {
		text += "; did you mean " + u.Nearest + "?"
	}
	return text
}

// reason returns a sentence on why the query found nothing, or "".
func reason(x *Explanation) string {
	for _, p := range x.Patterns {
		if !p.Required || p.Matches == nil || *p.Matches > 0 {
			continue
		}
		text := "no triple matches " + p.Pattern
		if len(p.Unknown) > 0 {
			text += ": " + p.Unknown[0].String()
		}
		return text
	}
	last, rows := x.Plan.emptied()
	if last == nil {
		return ""
	}
	return fmt.Sprintf("%s reached %s, which left none", countText(rows, "row"), strings.TrimRight(last.Operator+" "+last.Detail, " "))
}

// emptied returns the deepest step that received rows and returned none, and the number
// of rows it received. It returns nil if no step did.
func (s *Step) emptied() (step *Step, rows int64) {
	for _, operand := range s.Operands {
		if operand.RowsIn != nil && *operand.RowsIn > 0 && *operand.Rows == 0 {
			if last, rows := operand.emptied(); last != nil {
				return last, rows
			}
		}
	}
	if s.RowsIn == nil || s.Rows == nil || *s.RowsIn == 0 || *s.Rows > 0 {
		return nil, 0
	}
	return s, s.inputRows()
}

// inputRows returns the number of input rows of a step. If one operand produced them, it
// is that operand's number of rows.
func (s *Step) inputRows() int64 {
	if len(s.Operands) == 1 && s.Operands[0].Rows != nil {
		return *s.Operands[0].Rows
	}
	return *s.RowsIn
}

func countText(n int64, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return strconv.FormatInt(n, 10) + " " + noun
}

func msText(ms float64) string {
	if ms >= 1000 {
		return strconv.FormatFloat(ms/1000, 'f', 2, 64) + " s"
	}
	return strconv.FormatFloat(ms, 'f', 3, 64) + " ms"
}

func sizeText(bytes int64) string {
	if bytes < 1<<20 {
		return strconv.FormatInt((bytes+1023)/1024, 10) + " KiB"
	}
	return strconv.FormatInt(bytes>>20, 10) + " MiB"
}
