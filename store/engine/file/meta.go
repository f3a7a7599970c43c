package file

import (
	"fmt"
	"io"
)

// A file begins with two meta pages. Each transaction ends by writing one of them, in
// turn, and bbolt uses the valid one with the higher transaction number. If the newer one
// is damaged, bbolt silently uses the older one. Then the last transaction is lost, and
// an unfinished transaction may have overwritten pages that the older one refers to.
//
// So a copy of the newer meta page is stored in the other page, after that page's own
// content, where bbolt stores nothing. The copy is written once the transaction is on the
// disk. It needs no sync of its own: the next transaction syncs it before it replaces
// that page. A copy that is newer than every valid meta page therefore proves that a
// transaction was stored, and that its meta page was damaged later or lost by the disk. A
// power cut cannot cause that. The page can be rewritten from its copy.
//
// A power cut before the next transaction may lose a copy. If no copy proves damage, a
// damaged meta page may come from an interrupted write or from later damage.

// MetaPages is the state of the meta pages when a file was opened.
type MetaPages int

const (
	// MetaGood: both meta pages are valid.
	MetaGood MetaPages = iota
	// MetaRestored: the newer one was damaged, and was rewritten from its copy.
	MetaRestored
	// MetaOlderDamaged: the older one is damaged, which has no effect.
	MetaOlderDamaged
	// MetaDoubtful: one is damaged, and may have been the newer one.
	MetaDoubtful
)

// String describes the state and its consequences. It returns "" for MetaGood.
func (m MetaPages) String() string {
	switch m {
	case MetaRestored:
		return "the newer of the two meta pages was damaged and has been rewritten from its copy; nothing is lost"
	case MetaOlderDamaged:
		return "the older of the two meta pages is damaged; nothing is lost, and the next write replaces it"
	case MetaDoubtful:
		return "one of the two meta pages is damaged: either the power failed during a write, and nothing acknowledged is lost, " +
			"or the page was damaged later, and the last transaction may be lost; compare the journal's last entry with what clients know"
	}
	return ""
}

// MetaPages returns the state of the meta pages when the file was opened.
func (f *File) MetaPages() MetaPages { return f.metaPages }

// inspectMetas examines the meta pages of a file. At least one is valid. lost is the
// newer one if only its copy is left (MetaRestored).
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

// copyPlace returns the offset in the file of the copy in a meta page.
func copyPlace(page uint64, pageSize int64) int64 { return int64(page)*pageSize + pageSize/2 }

func readCopy(r io.ReaderAt, page uint64, pageSize int64) (m meta, ok bool) {
	m, ok = readMeta(r, copyPlace(page, pageSize)-pageHeader)
	return m, ok && m.pageSize == pageSize
}

// writeCopy writes the copy of a meta page that is on the disk.
func writeCopy(w io.WriterAt, m meta) error {
	_, err := w.WriteAt(m.bytes[:], copyPlace(1-m.page, m.pageSize))
	return err
}

// openMetas examines the meta pages of a file that is being opened. It rewrites the newer
// one if necessary, from its copy, which only segraph writes. For a read-only file it returns an error with the
// remedy instead.
func openMetas(out *writer, o Options) (MetaPages, error) {
	handle := out.file
	metas := readMetas(handle)
	if len(metas) == 0 {
		return MetaGood, nil // checkQuick reports the damage
	}
	found, lost := inspectMetas(handle, metas)
	if lost == nil {
		return found, nil
	}
	if o.ReadOnly {
		return found, &DamagedError{Path: handle.Name(), Detail: "the newer of its two meta pages is damaged, and the older one does not have the last transaction",
			remedy: "keep a copy of the file and start the service: it rewrites the page from its copy in the file, and nothing is lost"}
	}
	page := make([]byte, lost.pageSize)
	native.PutUint64(page, lost.page)
	native.PutUint16(page[atKind:], metaPage)
	copy(page[pageHeader:], lost.bytes[:])
	if _, err := out.WriteAt(page, int64(lost.page)*lost.pageSize); err != nil {
		return found, fmt.Errorf("rewriting a meta page of %s: %w", handle.Name(), err)
	}
	return found, nil // keepLatest syncs it
}

// committed records that a transaction is on the disk: it notes its number, and writes the copy of its meta page.
func (f *File) committed() {
	metas := readMetas(f.pages)
	if len(metas) == 0 {
		return
	}
	f.last.Store(metas[0].txid)
	_ = writeCopy(f.out, metas[0]) // without the copy, later damage to the page is MetaDoubtful
}
