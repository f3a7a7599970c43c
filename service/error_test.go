package service

import (
	"strings"
	"testing"
)

func TestTextsBecomeSentences(t *testing.T) {
	for text, want := range map[string]string{
		"the disk is full":              "The disk is full.",
		"The disk is full.":             "The disk is full.",
		"is it?":                        "Is it?",
		"wait…":                         "Wait…",
		"über":                          "Über.",
		"event_kind is missing":         "event_kind is missing.", // a member keeps its name
		"schema:name is missing":        "schema:name is missing.",
		"note: it is old":               "Note: it is old.",
		`"x" is not a time`:             `"x" is not a time.`,
		"x":                             "X.",
		"":                              "",
		"see (the docs)":                "See (the docs).",
		"observed_at: it is in 2300 AD": "observed_at: it is in 2300 AD.",
	} {
		if got := Sentence(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	for n, want := range map[int64]string{0: "0 bytes", 1000: "1000 bytes", 1 << 20: "1 MiB (1048576 bytes)", 16 << 20: "16 MiB (16777216 bytes)", 1<<20 + 1: "1048577 bytes"} {
		if got := BytesText(n); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
	for want, list := range map[string]string{"a or b": "a b", "a, b or c": "a b c", "a, b, c or d": "a b c d"} {
		if got := Alternatives(strings.Fields(list)); got != want {
			t.Errorf("%s: %q", list, got)
		}
	}
}
