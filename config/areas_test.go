package config

import (
	"slices"
	"testing"
)

func TestEachSettingOfTheServiceIsInOneArea(t *testing.T) {
	t.Parallel()
	var all []string
	for _, a := range Areas() {
		all = append(all, a.Names...)
	}
	want := ServiceSettings()
	slices.Sort(all)
	slices.Sort(want)
	if !slices.Equal(all, want) {
		t.Errorf("the areas have %q, want %q", all, want)
	}
}
