package cli

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/segraph/segraph/config"
	"github.com/segraph/segraph/internal/spool"
	"github.com/segraph/segraph/store/turtle"
)

// source is one of the texts to load.
type source struct {
	path   string // - means stdin
	format turtle.Format
}

func (s source) String() string {
	if s.path == "-" {
		return "stdin"
	}
	return s.path
}

// sourcesOf checks all files before the first is loaded, so that a typo in the last name
// does not leave the work half done.
func sourcesOf(c *config.Config) ([]source, error) {
	if len(c.Args) == 0 {
		return nil, &config.Error{Msg: "which files?", Hint: "Write `segraph load FILE…`; - is stdin."}
	}
	var out []source
	stdin := false
	for _, path := range c.Args {
		f, err := formatOf(c.Format, path)
		if err != nil {
			return nil, err
		}
		out = append(out, source{path, f})
		if path == "-" {
			if stdin {
				return nil, &config.Error{Msg: "stdin can be loaded only once"}
			}
			stdin = true
			continue
		}
		info, err := os.Stat(path)
		if err != nil {
			return nil, fmt.Errorf("checking the files to load: %w", err)
		}
		if info.IsDir() {
			return nil, &config.Error{Msg: path + " is a folder", Hint: "Name the files in it."}
		}
	}
	return out, nil
}

// text is a source that can be read more than once, so that a load finds errors before it
// stores anything.
type text struct {
	*os.File
	size int64 // size in bytes
}

// open opens a source. If the source can be read only once, as a pipe can, it copies it
// to a temporary file.
func (s source) open(stdin io.Reader) (*text, error) {
	in := stdin
	if s.path != "-" {
		f, err := os.Open(s.path)
		if err != nil {
			return nil, err
		}
		if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
			return &text{f, info.Size()}, nil
		}
		defer f.Close()
		in = f
	}
	f, err := spool.Unnamed("")
	if err != nil {
		return nil, fmt.Errorf("making a temporary copy: %w", err)
	}
	size, err := io.Copy(f, in)
	if err == nil {
		_, err = f.Seek(0, io.SeekStart)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return &text{f, size}, nil
}
