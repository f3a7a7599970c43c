package cli

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestProgressLine(t *testing.T) {
	start := time.Unix(1000, 0)
	tests := []struct {
		name     string
		at, size int64
		storing  bool
		quads    int64
		took     time.Duration
		want     string
	}{
		{"checking begins", 0, 1000, false, 0, 0, "a.ttl: checking [..............................]   0%"},
		{"half checked", 500, 1000, false, 0, time.Second, "a.ttl: checking [###############...............]  50%"},
		{"storing begins", 0, 1000, true, 0, 0, "a.ttl: storing [..............................]   0% 0 triples, 0/s"},
		{"half stored", 500, 1000, true, 1234567, 10 * time.Second, "a.ttl: storing [###############...............]  50% 1,234,567 triples, 123,456/s"},
		{"stored", 1000, 1000, true, 10, time.Second, "a.ttl: storing [##############################] 100% 10 triples, 10/s"},
		{"a file that grew", 2000, 1000, false, 0, 0, "a.ttl: checking [##############################] 100%"},
		{"an empty file", 0, 0, false, 0, 0, "a.ttl: checking [##############################] 100%"},
	}
	for _, tt := range tests {
		p := &progress{name: "a.ttl", size: tt.size, at: tt.at, now: func() time.Time { return start }}
		if tt.storing {
			p.stored(0)
			p.stored(tt.quads)
		}
		if got := p.line(start.Add(tt.took)); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// The progress line follows the reading, first while the text is checked and then while
// it is stored. It is updated at most ten times a second and removed at the end.
func TestProgressFollowsTheReading(t *testing.T) {
	var out bytes.Buffer
	clock := time.Unix(1000, 0)
	content := strings.Repeat("x", 100)
	p := &progress{to: &out, name: "a", size: 100, text: strings.NewReader(content), now: func() time.Time { return clock }}
	p.clear()
	if out.Len() > 0 {
		t.Errorf("cleared before it was drawn: %q", out.String())
	}
	for reading := range 3 {
		if reading == 2 {
			p.stored(0)
		}
		for range 100 {
			clock = clock.Add(10 * time.Millisecond)
			if _, err := p.Read(make([]byte, 1)); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := p.Seek(0, io.SeekStart); err != nil {
			t.Fatal(err)
		}
	}
	p.clear()
	frames := strings.Split(out.String(), "\r")[1:]
	if len(frames) != 31 || !strings.Contains(frames[14], "checking") || !strings.Contains(frames[24], "storing") || frames[30] != "\x1b[K" {
		t.Errorf("drawn in 3 s: %d frames %q, want 20 of checking, 10 of storing, one that clears", len(frames), frames)
	}
}

func TestProgressIsForTerminalsAlone(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "stderr"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, w := range []io.Writer{&bytes.Buffer{}, f} {
		if p := newProgress(w, "a", &text{}); p.to != nil {
			t.Errorf("a bar is drawn on a %T where nobody looks", w)
		}
	}
	device, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer device.Close()
	if p := newProgress(device, "a", &text{}); p.to == nil {
		t.Error("no bar is drawn on a character device, as a terminal is one")
	}
}

func TestGrouped(t *testing.T) {
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1,000", 1234567: "1,234,567", -1000: "-1,000", -100: "-100"} {
		if got := grouped(n); got != want {
			t.Errorf("grouped(%d) = %q, want %q", n, got, want)
		}
	}
}
