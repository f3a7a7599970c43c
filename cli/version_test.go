package cli

import (
	"runtime/debug"
	"strings"
	"testing"
)

func TestDescribeBuild(t *testing.T) {
	info := &debug.BuildInfo{GoVersion: "go1.26.0", Main: debug.Module{Version: "v1.2.3"}, Settings: []debug.BuildSetting{
		{Key: "GOOS", Value: "linux"}, {Key: "GOARCH", Value: "arm64"},
		{Key: "vcs.revision", Value: "abc"}, {Key: "vcs.time", Value: "2026-01-02T03:04:05Z"}, {Key: "vcs.modified", Value: "true"},
	}}
	want := "segraph v1.2.3\ncommit abc, 2026-01-02T03:04:05Z, with changes\nbuilt with go1.26.0 for linux/arm64\nfiles of the form development 7\n"
	if got := describeBuild(info, "development 7"); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	bare := &debug.BuildInfo{GoVersion: "go1.26.0", Settings: info.Settings[:2]}
	want = "segraph (devel)\nbuilt with go1.26.0 for linux/arm64\nfiles of the form 1\n"
	if got := describeBuild(bare, "1"); got != want {
		t.Errorf("without version control: got %q, want %q", got, want)
	}
}

func TestVersion(t *testing.T) {
	got := segraph("", []string{"SEGRAPH_NO_SUCH="}, "version")
	if got.code != 0 || !strings.HasPrefix(got.stdout, "segraph ") || !strings.Contains(got.stdout, "files of the form ") {
		t.Errorf("got %+v", got)
	}
	if flag := segraph("", nil, "--version"); flag != got {
		t.Errorf("--version gives %+v, want %+v", flag, got)
	}
}
