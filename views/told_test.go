package views

import (
	"strings"
	"testing"

	"github.com/segraph/segraph/internal/quoted"
)

// TestASentenceSetsItsValuesApart adds no space, which would stand before a comma.
func TestASentenceSetsItsValuesApart(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	if err := Told(quoted.Value("<ari>, at noon”")+" said "+quoted.Value("x")+", with "+quoted.Value("y")+".").Render(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	want := `<bdi class="said">“&lt;ari&gt;, at noon\””</bdi> said <bdi class="said">“x”</bdi>, with <bdi class="said">“y”</bdi>.`
	if b.String() != want {
		t.Errorf("%q\nwant %q", b.String(), want)
	}
}
