package views

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/a-h/templ"
)

// reportBlock is a chart or table of a section. A block with a name can be shown alone.
type reportBlock struct {
	name, title string
	body        templ.Component
}

// blocks returns the blocks of a section, in order.
func (s ReportSection) blocks() []reportBlock {
	var out []reportBlock
	add := func(has bool, name, title string, body func() templ.Component) {
		if has {
			out = append(out, reportBlock{name, title, body()})
		}
	}
	add(len(s.Leads) > 0, "", "", func() templ.Component { return reportLeads(s.Leads) })
	add(len(s.Figures) > 0, "", "", func() templ.Component { return reportFigures(s.Figures) })
	hours := s.Hours != nil && len(s.Hours.Bars) > 0
	add(hours, "times", "Activities over time", func() templ.Component { return hourChart(s.Hours) })
	add(hours, "week", "By the hour of the week", func() templ.Component { return weekChart(s.Hours) })
	for i, t := range s.Threads[:min(len(s.Threads), openThreads)] {
		add(true, "talk-"+strconv.Itoa(i+1), "Conversation of "+clock(t.From), func() templ.Component { return thread(t) })
	}
	if len(s.Threads) > openThreads {
		rest := s.Threads[openThreads:]
		add(true, "talks", plural(len(rest), "more conversation"), func() templ.Component { return moreThreads(rest) })
	}
	add(len(s.Emotions) > 0, "intensity", "Intensity over time", func() templ.Component { return emotionCharts(s) })
	add(len(s.Spread) > 0, "spread", "How often each was read", func() templ.Component { return spreadChart(s) })
	add(len(s.Lanes) > 0, "timeline", "States over time", func() templ.Component { return laneChart(s) })
	add(s.Newest, "", "", newestOnly)
	for _, t := range s.Tables {
		add(true, t.Name, t.Title, func() templ.Component { return reportTable(s, t) })
	}
	add(len(s.Gaps) > 0, "", "", func() templ.Component { return sessionLinks(s) })
	return out
}

// HasBlock reports whether a section has a block with a name.
func (s ReportSection) HasBlock(name string) bool {
	for _, b := range s.blocks() {
		if b.name == name && name != "" {
			return true
		}
	}
	return false
}

// shown returns the blocks to show. It replaces the first block without room, and all
// after it, by a link that loads them. They are last, so that loading them moves nothing.
func (s ReportSection) shown() templ.Component {
	return templ.ComponentFunc(func(ctx context.Context, w io.Writer) error {
		room, blocks := s.Room, s.blocks()
		from := cmp.Or(s.Only, s.Rest)
		blocks = blocks[max(0, slices.IndexFunc(blocks, func(b reportBlock) bool { return b.name == from && from != "" })):]
		if s.Only != "" {
			blocks = blocks[:1]
		}
		for i, b := range blocks {
			var text bytes.Buffer
			if err := b.body.Render(ctx, &text); err != nil {
				return fmt.Errorf("write the block %s: %w", b.name, err)
			}
			if s.Room > 0 && text.Len() > room && b.name != "" && (i > 0 || from == "") {
				return laterBlocks(s, blocks[i:]).Render(ctx, w)
			}
			room -= text.Len()
			if _, err := w.Write(text.Bytes()); err != nil {
				return err
			}
		}
		return nil
	})
}

// restPath returns the address of a block and all after it.
func (s ReportSection) restPath(name string) string { return s.Load + "&rest=" + name }

// blockPath returns the address of a block alone.
func (s ReportSection) blockPath(name string) string { return s.Load + "&block=" + name }

// rows returns the rows of a table that a section shows: all of them, a page, the first, or
// none if the table is folded.
func (s ReportSection) rows(t ReportTable) [][]ReportCell {
	switch alone := s.Only == t.Name; {
	case alone && s.Room == 0:
		return t.Rows
	case alone:
		first := s.first(t)
		return t.Rows[first:min(len(t.Rows), first+pageRows)]
	case t.Folded:
		return nil
	}
	return t.Rows[:min(len(t.Rows), tallRows)]
}

// first returns the first row of the page of a table.
func (s ReportSection) first(t ReportTable) int {
	return min(max(0, s.First), max(0, len(t.Rows)-1)/pageRows*pageRows)
}

// pager returns the links between the pages of a table that is shown alone on its page.
func (s ReportSection) pager(t ReportTable) (p Pager, ok bool) {
	if s.Only != t.Name || s.Room == 0 || len(t.Rows) <= pageRows {
		return p, false
	}
	first := s.first(t)
	p = Pager{First: first + 1, Last: min(len(t.Rows), first+pageRows), Total: len(t.Rows)}
	to := func(n int) string { return s.blockPath(t.Name) + "&first=" + strconv.Itoa(n) }
	if first > 0 {
		p.Before = to(max(0, first-pageRows))
	}
	if p.Last < p.Total {
		p.After = to(p.Last)
	}
	return p, true
}

// narrow reports whether a table fits into half the page, judging by its text.
func (t ReportTable) narrow() bool {
	letters := 0
	for i, c := range t.Columns {
		most := utf8.RuneCountInString(c.Name)
		for _, row := range t.Rows {
			n := utf8.RuneCountInString(row[i].Text) + len(row[i].Badge)
			if row[i].Share > 0 {
				n += 10
			}
			most = max(most, n)
		}
		letters += most + 4
	}
	return letters < 76
}

// cellAttributes returns the attributes of a cell.
func (t ReportTable) cellAttributes(column int, c ReportCell) templ.Attributes {
	class := ""
	for _, k := range []struct {
		name string
		on   bool
	}{{"num", t.Columns[column].Num}, {"unbroken", c.Unbroken}, {"none", c.Text == ""}} {
		if k.on {
			class += " " + k.name
		}
	}
	out := templ.Attributes{}
	if class != "" {
		out["class"] = class[1:]
	}
	if len(t.Columns) > 2 { // on a phone, names each value of a card
		out["data-of"] = t.Columns[column].Name
	}
	return out
}
