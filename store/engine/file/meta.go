package file

import (
	"fmt"
	"io"
)

// A file begins with two meta pages. Transactions write them in turn, the last thing that
// each does, and bbolt goes by the valid one with the higher number. Where the newer one
// is damaged, bbolt goes by the older one without a word. The last transaction is gone
// then, and pages that the older one leads to may hold what a transaction wrote that did
// not come to its end.
//
// So a copy of the newer meta stands in the other page, behind that page's own meta,
// where bbolt keeps nothing. It is written when the transaction is on the disk, and needs
// no sync of its own: it reaches the disk with the next transaction, at the latest, whose
// last write replaces all of that page. A copy that is newer than every valid meta
// therefore proves that a transaction was stored whose meta page was damaged later, or
// that the disk lost it. No power cut leaves that. The page can be written again from its
// copy.
//
// A power cut just after a transaction may lose its copy. Where no copy speaks of a damaged
// meta page, nobody can tell a write that was cut short from later damage.

// MetaPages says what the meta pages were when a file was opened.
type MetaPages int

const (
	// MetaGood says that both meta pages are valid.
	MetaGood MetaPages = iota
	// MetaRestored says that the newer one was damaged, and was written again from its
	// copy.
	MetaRestored
	// MetaOlderDamaged says that the older one is damaged, which nobody needs.
	MetaOlderDamaged
	// MetaDoubtful says that one is damaged, and that it may have been the newer one.
	MetaDoubtful
)

// String says what was found and what follows from that, "" for MetaGood.
func (m MetaPages) String() string {
	switch m {
	case MetaRestored:
		return "the newer of the two meta pages was damaged and has been written again from its copy; nothing is lost"
	case MetaOlderDamaged:
		return "the older of the two meta pages is damaged; nothing is lost, and the next write replaces it"
	case MetaDoubtful:
		return "one of the two meta pages is damaged: either the power failed during a write, and nothing that was acknowledged is lost, " +
			"or the page was damaged later, and the last transaction may be lost; compare the journal's last entry with what clients know"
	}
	return ""
}

// MetaPages returns what the meta pages were when the file was opened.
func (f *File) MetaPages() MetaPages { return f.metaPages }

// inspectMetas looks at the meta pages of a file, of which one at least is valid. lost is
// the newer one where only its copy is left, which MetaRestored stands for.
func inspectMetas(r io.ReaderAt, metas []meta) (found MetaPages, lost *meta) {
	newest := metas[0]
	if c, ok := readCopy(r, newest.page, newest.pageSize); ok && c.txid == newest.txid+1 {
		c.page = 1 - newest.page
		return MetaRestored, &c
	}
	if len(metas) == 2 {
		return MetaGood, nil
	}
	if c, ok := readCopy(r, 1-newest.page, newest.pageSize); ok && c.txid == newest.txid {
		return MetaOlderDamaged, nil
	}
	return MetaDoubtful, nil
}

// copyPlace is where in the file the copy stands that a meta page holds of the other one.
func copyPlace(page uint64, pageSize int64) int64 { return int64(page)*pageSize + pageSize/2 }

// readCopy reads the copy that a meta page holds.
func readCopy(r io.ReaderAt, page uint64, pageSize int64) (meta, bool) {
	m, ok := readMeta(r, copyPlace(page, pageSize)-pageHeader)
	return m, ok && m.pageSize == pageSize
}

// writeCopy writes the copy of a meta, which is on the disk.
func writeCopy(w io.WriterAt, m meta) error {
	_, err := w.WriteAt(m.bytes[:], copyPlace(1-m.page, m.pageSize))
	return err
}

// openMetas looks at the meta pages of a file that is being opened. The newer one is
// written again from its copy if need be, but not in a file that is opened for reading:
// the error says what to do then.
func openMetas(out *writer, o Options) (MetaPages, error) {
	handle := out.file
	metas := readMetas(handle)
	if len(metas) == 0 {
		return MetaGood, nil // checkQuick says what is wrong
	}
	found, lost := inspectMetas(handle, metas)
	if lost == nil {
		return found, nil
	}
	if o.ReadOnly {
		return found, &DamagedError{Path: handle.Name(), Detail: "the newer of its two meta pages is damaged, and the older one does not know the last transaction",
			remedy: "keep a copy of the file and start the service on it: that writes the page again from its copy in the file, and nothing is lost"}
	}
	page := make([]byte, lost.pageSize)
	native.PutUint64(page, lost.page)
	native.PutUint16(page[atKind:], metaPage)
	copy(page[pageHeader:], lost.bytes[:])
	if _, err := out.WriteAt(page, int64(lost.page)*lost.pageSize); err != nil {
		return found, fmt.Errorf("writing a meta page of %s again: %w", handle.Name(), err)
	}
	return found, nil // keepLatest waits for the disk
}

// committed notes that what the newest meta page says is on the disk.
func (f *File) committed() {
	metas := readMetas(f.pages)
	if len(metas) == 0 {
		return
	}
	f.last.Store(metas[0].txid)
	_ = writeCopy(f.out, metas[0]) // without it, damage of the page is told as doubtful
}
