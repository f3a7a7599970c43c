package service

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"

	"github.com/segraph/segraph/internal/counting"
	"github.com/segraph/segraph/service/admit"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql/budget"
)

// pageCost is how many bytes of memory a page takes for each byte of its texts, since most are short, and some are copied.
const pageCost = 4

// Page starts writing the JSON of what read returns, in a content coding. read runs in the page's turn, in which half of the
// processors may be, but always one, and once there is memory for n entries, or for fewer where memory is small: kept says
// for how many. A slow client holds only a spool. The caller closes the text. The error is read's, or an *Error.
func (s *Service) Page(ctx context.Context, n int, coded string, read func(ctx context.Context, kept *Kept) (any, error)) (io.ReadCloser, error) {
	return s.page(ctx, s.pages, n, coded, read)
}

// PersonPage is Page for a person. Its turn is not one of the other pages': read waits for queries, and others need not.
func (s *Service) PersonPage(ctx context.Context, n int, coded string, read func(ctx context.Context, kept *Kept) (any, error)) (io.ReadCloser, error) {
	return s.page(ctx, s.persons, n, coded, read)
}

func (s *Service) page(ctx context.Context, gate *admit.Gate, n int, coded string, read func(ctx context.Context, kept *Kept) (any, error)) (io.ReadCloser, error) {
	if most := int(s.memory.Size() / 4 / pageCost); store.PageText(n) > most { // a quarter of the memory, or documents would wait for long
		n = max(1, (most>>10)-64) // the largest n for which store.PageText is at most most
	}
	return s.makeText(ctx, gate, pageCost*int64(store.PageText(n)), coded, func(ctx context.Context) (export store.Export, err error) {
		kept := &Kept{Entries: n, free: pageCost * store.PageText(n), memory: budget.New(ctx, budget.Limits{Shared: s.memory})}
		defer func() {
			if export == nil {
				kept.memory.Close()
			}
		}()
		value, err := read(ctx, kept)
		if err != nil {
			return nil, err
		}
		return page{untagged{jsonText{value}}, kept}, nil
	})
}

// page is the text of a page, with the memory that its long texts take.
type page struct {
	untagged
	kept *Kept
}

// Close releases the memory.
func (p page) Close() error {
	p.kept.memory.Close()
	return nil
}

// jsonText writes a value as a line of JSON.
type jsonText struct{ value any }

// WriteTo implements io.WriterTo.
func (t jsonText) WriteTo(w io.Writer) (int64, error) {
	to := &counting.Writer{W: w}
	line := bufio.NewWriterSize(to, 32<<10)
	err := writeJSON(line, reflect.ValueOf(t.value))
	_ = line.WriteByte('\n')
	if err = cmp.Or(err, line.Flush()); err != nil {
		return to.N, fmt.Errorf("write a page: %w", err)
	}
	return to.N, nil
}

// writeJSON writes what json.Marshal returns, but not at once: each element of a list and each member by itself. An escaped text is
// up to six times as long.
func writeJSON(w *bufio.Writer, v reflect.Value) error {
	switch {
	case v.Kind() == reflect.Pointer && plain(v.Type().Elem()) && !v.IsNil():
		return writeJSON(w, v.Elem())
	case v.Kind() == reflect.Slice && v.Len() > 0 && slices.Contains([]reflect.Kind{reflect.Struct, reflect.Slice}, v.Type().Elem().Kind()):
		between := byte('[')
		for _, e := range v.Seq2() {
			_ = w.WriteByte(between)
			if err := writeJSON(w, e); err != nil {
				return err
			}
			between = ','
		}
		return w.WriteByte(']')
	case plain(v.Type()):
		between := '{'
		for f, member := range v.Fields() {
			if f.IsExported() {
				fmt.Fprintf(w, "%c%q:", between, f.Tag.Get("json"))
				if err := writeJSON(w, member); err != nil {
					return err
				}
				between = ','
			}
		}
		return w.WriteByte('}')
	}
	text, err := json.Marshal(v.Interface())
	_, failed := w.Write(text)
	return cmp.Or(err, failed)
}

// plain reports whether t is a struct with members that are all named by their tags and never left out.
func plain(t reflect.Type) (is bool) {
	if t.Kind() != reflect.Struct || reflect.PointerTo(t).Implements(reflect.TypeFor[json.Marshaler]()) {
		return false
	}
	for f := range t.Fields() {
		if tag := f.Tag.Get("json"); f.Anonymous || f.IsExported() && (tag == "" || strings.ContainsAny(tag, ",-")) {
			return false
		}
		is = is || f.IsExported()
	}
	return is
}

// untagged makes a text a store.Export, without a tag or a version.
type untagged struct{ io.WriterTo }

func (untagged) ETag() string                  { return "" }
func (untagged) Version() (rdf.Version, error) { return rdf.RDF11, nil }
func (untagged) Close() error                  { return nil }
