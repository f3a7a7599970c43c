package service

import (
	"context"
	"encoding/json"
	"fmt"
	"io"

	"github.com/segraph/segraph/internal/counting"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/rdf"
)

// pageCost is how many bytes of memory a page of JSON takes for each byte of its texts, since several copies of them
// exist while it is made.
const pageCost = 4

// Page starts writing the JSON of what read returns, in a content coding. read runs once there is memory for a page of n
// entries, and in the page's turn: pages leave half of the processors to others. A slow client holds only a spool. The caller closes the text. The error is read's, or an *Error.
func (s *Service) Page(ctx context.Context, n int, coded string, read func(context.Context) (any, error)) (io.ReadCloser, error) {
	return s.makeText(ctx, s.pages, pageCost*int64(store.PageText(n)), coded, func(ctx context.Context) (store.Export, error) {
		value, err := read(ctx)
		return untagged{jsonText{value}}, err
	})
}

// jsonText writes a value as a line of JSON.
type jsonText struct{ value any }

// WriteTo implements io.WriterTo.
func (t jsonText) WriteTo(w io.Writer) (int64, error) {
	to := &counting.Writer{W: w}
	if err := json.NewEncoder(to).Encode(t.value); err != nil {
		return to.N, fmt.Errorf("write a page: %w", err)
	}
	return to.N, nil
}

// untagged makes a text a store.Export, without a tag or a version.
type untagged struct{ io.WriterTo }

func (untagged) ETag() string                  { return "" }
func (untagged) Version() (rdf.Version, error) { return rdf.RDF11, nil }
func (untagged) Close() error                  { return nil }
