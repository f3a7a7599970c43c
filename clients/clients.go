// Package clients has the clients that robots install, so that a service can offer them
// to machines without another network.
package clients

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"sync"
)

// CPP is the C++ client, the header segraph.hpp.
//
//go:embed cpp/segraph.hpp
var CPP []byte

//go:embed python/src/segraph/*.py python/src/segraph/py.typed python/src/segraph/semantic_log_generator/*.py
var python embed.FS

var version = regexp.MustCompile(`__version__ = "([^"]*)"`)

// Python returns the Python client as a wheel (PyPA's "Binary distribution format", 1.0)
// and the wheel's file name. The same sources give the same bytes.
var Python = sync.OnceValues(func() (name string, wheel []byte) {
	source, err := fs.Sub(python, "python/src")
	if err != nil {
		panic(err)
	}
	first, err := fs.ReadFile(source, "segraph/__init__.py")
	if err != nil {
		panic(err)
	}
	v := string(version.FindSubmatch(first)[1])
	var out, record bytes.Buffer
	z := zip.NewWriter(&out)
	add := func(name string, content []byte) {
		w, err := z.Create(name)
		if err == nil {
			_, err = w.Write(content)
		}
		if err != nil {
			panic(err) // a buffer takes everything
		}
		hash := sha256.Sum256(content)
		fmt.Fprintf(&record, "%s,sha256=%s,%d\n", name, base64.RawURLEncoding.EncodeToString(hash[:]), len(content))
	}
	err = fs.WalkDir(source, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := fs.ReadFile(source, name)
		add(name, content)
		return err
	})
	if err != nil {
		panic(err)
	}
	info := "segraph-" + v + ".dist-info"
	add(path.Join(info, "METADATA"), []byte("Metadata-Version: 2.1\nName: segraph\nVersion: "+v+"\nRequires-Python: >=3.8\n"))
	add(path.Join(info, "WHEEL"), []byte("Wheel-Version: 1.0\nGenerator: segraph\nRoot-Is-Purelib: true\nTag: py3-none-any\n"))
	add(path.Join(info, "RECORD"), []byte(record.String()+path.Join(info, "RECORD")+",,\n"))
	if err := z.Close(); err != nil {
		panic(err)
	}
	return "segraph-" + v + "-py3-none-any.whl", out.Bytes()
})
