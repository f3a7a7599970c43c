package file

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// A read after the end of a transaction is a bug of the program, not damage of the file.
func TestAFaultOfTheProgramIsNoDamage(t *testing.T) {
	f := mustOpen(t, filepath.Join(t.TempDir(), "x.db"))
	tx, err := f.Begin(false)
	if err != nil {
		t.Fatal(err)
	}
	cursor := tx.Bucket(metaName).Cursor()
	if err := tx.Rollback(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if r := recover(); r != closedTransaction {
			t.Errorf("the panic is %v", r)
		}
	}()
	err = f.Guard(func() error {
		cursor.First()
		return nil
	})
	t.Errorf("it gives %v", err)
}

// If the meta pages are damaged while the file is open, no transaction can begin. The
// error names the damage, as does that of Close, which returns.
func TestDamagedFirstPagesOfAnOpenFileAreNamed(t *testing.T) {
	for _, writable := range []bool{false, true} {
		path := filepath.Join(t.TempDir(), "x.db") // its map, and with it the lock, stays until the process ends
		f := mustOpen(t, path)
		out, err := os.OpenFile(path, os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := out.WriteAt(make([]byte, 2*os.Getpagesize()), 0); err != nil {
			t.Fatal(err)
		}
		for range 3 {
			if _, err := f.Begin(writable); !isDamage(err, path) {
				t.Errorf("writable %v: it gives %v", writable, err)
			}
		}
		if err := f.Close(); !isDamage(err, path) {
			t.Errorf("writable %v: Close gives %v", writable, err)
		}
		if err := out.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func isDamage(err error, path string) bool {
	var damaged *DamagedError
	return errors.As(err, &damaged) && damaged.Path == path
}
