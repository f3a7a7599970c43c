package persist

import (
	"errors"
	"testing"

	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/resolver/record"
	"github.com/segraph/segraph/store/engine/file"
)

// Records in another encoding are refused with a message and are not reported as damage.
func TestContextsOfANewerVersionAreRefused(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	_, r := resolved(t, s)
	hears(t, r, 0, 1)
	value, err := s.Contexts().Get(record.TotalsKey())
	if err != nil {
		t.Fatal(err)
	}
	value = append([]byte{value[0] + 1}, value[1:]...)
	newer := resolver.Change{Records: []resolver.Record{{Key: record.TotalsKey(), Value: value}}}
	if err := s.Contexts().Apply(t.Context(), []resolver.Change{newer}); err != nil {
		t.Fatal(err)
	}
	if _, err := resolver.Open(s.Contexts(), resolver.Options{Settings: resolver.Defaults()}); !errors.Is(err, record.ErrEncoding) {
		t.Errorf("opened with %v", err)
	}
	var damaged *file.DamagedError
	if err := s.Check(t.Context()); !errors.Is(err, record.ErrEncoding) || errors.As(err, &damaged) {
		t.Errorf("checked with %v", err)
	}
}
