package evidence

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path"
	"slices"
)

// Extract writes the verified members of a bundle that holds into a new or empty folder.
func (r *Report) Extract(folder string) error {
	if r.Holds == "" {
		return errors.New("extracting a bundle: it does not hold")
	}
	if err := r.extract(folder); err != nil {
		return fmt.Errorf("extracting a bundle: %w", err)
	}
	return nil
}

// extract writes the members of a verified bundle to a folder, which must be new or empty.
func (r *Report) extract(folder string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		return err
	}
	defer root.Close()
	if in, err := root.Open("."); err != nil {
		return err
	} else if names, err := in.Readdirnames(1); len(names) > 0 || !errors.Is(err, io.EOF) {
		return errors.Join(fmt.Errorf("the folder %s is not empty; name a new one", folder), err, in.Close())
	} else if err := in.Close(); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(r.members)) {
		if err := root.MkdirAll(path.Dir(name), 0o755); err != nil {
			return err
		}
		if err := write(root, name, r.members[name]); err != nil {
			return err
		}
	}
	return nil
}

func write(root *os.Root, name string, data []byte) error {
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
}
