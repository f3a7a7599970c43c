package cli

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"

	"github.com/segraph/segraph/app"
	"github.com/segraph/segraph/config"
	"github.com/segraph/segraph/store/engine/file"
)

func version() verb {
	return verb{
		name:    "version",
		summary: "Print the version of the program and of the files that it writes.",
		run:     runVersion,
	}
}

func runVersion(_ context.Context, p *program, _ *config.Config) error {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return errors.New("reading the build information: this program was built without it")
	}
	_, err := fmt.Fprint(p.stdout, describeBuild(info, file.Form))
	return err
}

// describeBuild lists facts about a build, one per line.
func describeBuild(info *debug.BuildInfo, form string) string {
	set := map[string]string{}
	for _, s := range info.Settings {
		set[s.Key] = s.Value
	}
	var b strings.Builder
	fmt.Fprintf(&b, "segraph %s\n", app.Version(info))
	if revision := set["vcs.revision"]; revision != "" {
		fmt.Fprintf(&b, "commit %s", revision)
		if at := set["vcs.time"]; at != "" {
			fmt.Fprintf(&b, ", %s", at)
		}
		if set["vcs.modified"] == "true" {
			b.WriteString(", with changes")
		}
		b.WriteString("\n")
	}
	fmt.Fprintf(&b, "built with %s for %s/%s\n", info.GoVersion, set["GOOS"], set["GOARCH"])
	fmt.Fprintf(&b, "files of the form %s\n", form)
	return b.String()
}
