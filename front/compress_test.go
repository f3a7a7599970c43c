package front

import "testing"

func TestTheContentCodingIsTheRequestedOne(t *testing.T) {
	for _, c := range []struct {
		accept string // "-" means no header
		want   string // "406" means a refusal
	}{
		{"-", ""}, {"", ""}, {" , ", ""}, {"identity", ""}, {"br", ""}, {"deflate, br", ""},
		{"gzip", "gzip"}, {"GZIP", "gzip"}, {"x-gzip", "gzip"}, {"zstd", "zstd"}, {"gzip, zstd", "zstd"}, {"zstd, gzip", "zstd"},
		{"gzip, deflate, br", "gzip"}, {"deflate, gzip, br, zstd", "zstd"}, {"gzip;q=0.9, zstd;q=0.8", "gzip"}, {"gzip ; Q=0.5 ,zstd;q=0.501", "zstd"},
		{"gzip;q=0", ""}, {"gzip;q=0, zstd;q=0", ""}, {"gzip;q=0.001", "gzip"}, {"gzip;q=0, zstd", "zstd"}, {"gzip;q=0.000", ""},
		{"identity, gzip", "gzip"}, {"identity;q=1, gzip;q=0.5", ""}, {"identity;q=0.5, gzip", "gzip"}, {"identity;q=0, gzip", "gzip"}, {"identity;q=0, gzip;q=0.1", "gzip"},
		{"*", "gzip"}, {"*;q=0.5", "gzip"}, {"*, gzip;q=0", "zstd"}, {"zstd;q=0.5, *", "gzip"}, {"br, *;q=0.1", "gzip"}, {"gzip;q=0.1, *;q=0.5", "zstd"},
		{"identity, *;q=0", ""}, {"gzip, *;q=0", "gzip"}, {"identity;q=0.5, *;q=0", ""}, {"*;q=0.5, identity;q=0.6", ""}, {"*, identity;q=0", "gzip"},
		{"*;q=0", "406"}, {"identity;q=0", "406"}, {"br, identity;q=0", "406"}, {"gzip;q=0, *;q=0", "406"}, {"gzip;q=0, zstd;q=0, identity;q=0", "406"},
		{"gzip;q=nonsense", "gzip"}, {"gzip;q=2", "gzip"}, {"gzip;q=-1", "gzip"}, {"gzip, gzip;q=0", "gzip"}, {"gzip;level=1;q=0", ""}, {";;;,=,gzip;;", "gzip"},
	} {
		fields := []string{c.accept}
		if c.accept == "-" {
			fields = nil
		}
		got, ok := acceptedCoding(fields)
		if !ok {
			got = "406"
		}
		if got != c.want {
			t.Errorf("Accept-Encoding: %s: %q, want %q", c.accept, got, c.want)
		}
	}
	if got, ok := acceptedCoding([]string{"br", "zstd;q=0.1", "gzip;q=0.2"}); got != "gzip" || !ok {
		t.Errorf("several fields: %q", got)
	}
}
