package powercut

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"path"
	"slices"
)

// sector is the unit that a disk writes atomically.
const sector = 512

// Fate is what happens to unsynced data at a power cut.
type Fate int

const (
	Lost     Fate = iota // none of it is on disk
	Kept                 // all of it is on disk
	Some                 // some writes, sizes and names are on disk
	Torn                 // like Some, and some writes are partly on disk
	Shuffled             // like Some, with writes in any order
	Spoiled              // like Torn, and sectors being written hold noise
	Fates                // the number of fates
)

func (f Fate) String() string {
	return [...]string{"lost", "kept", "some", "torn", "shuffled", "spoiled"}[f]
}

// Disk is the state of a disk, and the changes on their way to it, at one point of a
// recording.
type Disk struct {
	events  []event
	next    int
	files   map[int]*file
	folders map[string]*folder
	marks   []any
}

// file is the content of a file. Only data and size are on disk.
type file struct {
	data    []byte
	size    int64
	high    int64      // the size that programs see
	pending []change   // unsynced writes
	sizes   []sizeThen // unsynced sizes
}

type change struct {
	event int
	at    int64
	data  []byte
}

type sizeThen struct {
	event int
	size  int64
}

// folder holds the names in a folder.
type folder struct {
	names   map[string]int // name to file number, or aFolder
	pending []naming
}

// naming adds a name, removes one, or does both at once.
type naming struct {
	event     int
	gone, new string // "" means none
	file      int
}

// Image is the files that a power cut leaves, by path.
type Image map[string]Content

// Content is the content of a file: Data, followed by zeros up to Size.
type Content struct {
	Data []byte
	Size int64
}

// Disk returns the disk before the first event.
func (r *Recording) Disk() *Disk {
	r.mu.Lock()
	defer r.mu.Unlock()
	return &Disk{events: slices.Clip(r.events), files: map[int]*file{}, folders: map[string]*folder{".": newFolder()}}
}

func newFolder() *folder { return &folder{names: map[string]int{}} }

// Advance applies the events before event number to.
func (d *Disk) Advance(to int) error {
	for ; d.next < to; d.next++ {
		if err := d.take(d.next, d.events[d.next]); err != nil {
			return fmt.Errorf("event %d: %w", d.next, err)
		}
	}
	return nil
}

// Marks returns the marks so far.
func (d *Disk) Marks() []any { return d.marks }

// Pending returns the number of writes that are not on disk yet.
func (d *Disk) Pending() (n int) {
	for _, f := range d.files {
		n += len(f.pending)
	}
	return n
}

// take applies event number n: it notes what is on the disk for sure, and what may be there.
func (d *Disk) take(n int, e event) error {
	switch e.action {
	case marked:
		d.marks = append(d.marks, e.mark)
		return nil
	case created:
		if e.file == aFolder {
			d.folders[e.path] = newFolder()
		} else {
			d.files[e.file] = &file{}
		}
		return d.rename(naming{n, "", e.path, e.file})
	case removed:
		return d.rename(naming{event: n, gone: e.path})
	case renamed:
		if path.Dir(e.path) != path.Dir(e.to) {
			return fmt.Errorf("%s was moved to another folder", e.path)
		}
		id, ok := d.volatile(path.Dir(e.path))[e.path]
		if !ok {
			return fmt.Errorf("%s has no name", e.path)
		}
		return d.rename(naming{n, e.path, e.to, id})
	case syncedFolder:
		f, ok := d.folders[e.path]
		if !ok {
			return fmt.Errorf("there is no folder %s", e.path)
		}
		rest := f.pending[:0]
		for _, c := range f.pending {
			if c.event < e.covers {
				c.apply(f.names)
			} else {
				rest = append(rest, c)
			}
		}
		f.pending = rest
		return nil
	}
	f, ok := d.files[e.file]
	if !ok {
		return fmt.Errorf("there is no file %d", e.file)
	}
	switch e.action {
	case wrote:
		f.pending = append(f.pending, change{n, e.at, e.data})
		f.grow(n, e.at+int64(len(e.data)))
	case resized:
		if e.at < f.high { // later data there starts from zeros
			f.pending = append(f.pending, change{n, e.at, make([]byte, f.high-e.at)})
			f.high = e.at
			f.sizes = append(f.sizes, sizeThen{n, e.at})
		}
		f.grow(n, e.at)
	case syncedFile, syncedData:
		f.sync(e)
	}
	return nil
}

func (f *file) grow(n int, end int64) {
	if end > f.high {
		f.high = end
		f.sizes = append(f.sizes, sizeThen{n, end})
	}
}

// sync keeps for good what was written before the event e began. A sync of the data alone need not
// keep the size.
func (f *file) sync(e event) {
	rest := f.pending[:0]
	for _, c := range f.pending {
		if c.event < e.covers {
			f.data = overwrite(f.data, c.at, c.data)
		} else {
			rest = append(rest, c)
		}
	}
	f.pending = rest
	if e.action == syncedData {
		return
	}
	for len(f.sizes) > 0 && f.sizes[0].event < e.covers {
		f.size, f.sizes = f.sizes[0].size, f.sizes[1:]
	}
}

// overwrite writes data to b at an offset and extends b if necessary.
func overwrite(b []byte, at int64, data []byte) []byte {
	if missing := at + int64(len(data)) - int64(len(b)); missing > 0 {
		b = append(b, make([]byte, missing)...)
	}
	copy(b[at:], data)
	return b
}

func (d *Disk) rename(c naming) error {
	at := path.Dir(cmp.Or(c.gone, c.new))
	f, ok := d.folders[at]
	if !ok {
		return fmt.Errorf("there is no folder %s", at)
	}
	f.pending = append(f.pending, c)
	return nil
}

func (c naming) apply(names map[string]int) {
	if c.gone != "" {
		delete(names, c.gone)
	}
	if c.new != "" {
		names[c.new] = c.file
	}
}

// volatile returns the names in a folder as programs see them.
func (d *Disk) volatile(at string) map[string]int {
	f, ok := d.folders[at]
	if !ok {
		return nil
	}
	names := maps.Clone(f.names)
	for _, c := range f.pending {
		c.apply(names)
	}
	return names
}

// Cut returns what a power cut at this point leaves on the disk.
func (d *Disk) Cut(fate Fate, random *rand.Rand) Image {
	c := cut{d, fate, random, Image{}}
	c.folder(".")
	return c.image
}

// cut builds one image.
type cut struct {
	disk   *Disk
	fate   Fate
	random *rand.Rand
	image  Image
}

// stays decides at random, according to the fate, whether an unsynced change is on disk.
func (c *cut) stays() bool {
	switch c.fate {
	case Lost:
		return false
	case Kept:
		return true
	}
	return c.random.IntN(2) == 0
}

// folder adds the files of a folder, and of the folders in it, to the image.
func (c *cut) folder(at string) {
	f := c.disk.folders[at]
	names := maps.Clone(f.names)
	for _, n := range f.pending {
		if c.stays() {
			n.apply(names)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if id := names[name]; id == aFolder {
			c.folder(name)
		} else {
			c.image[name] = c.content(c.disk.files[id])
		}
	}
}

// content returns what a file has after the power cut.
func (c *cut) content(f *file) Content {
	data := slices.Clone(f.data)
	pending := slices.Clone(f.pending)
	if c.fate == Shuffled {
		c.random.Shuffle(len(pending), func(i, j int) { pending[i], pending[j] = pending[j], pending[i] })
	}
	for _, w := range pending {
		if c.fate == Torn || c.fate == Spoiled {
			data = c.tear(data, w)
		} else if c.stays() {
			data = overwrite(data, w.at, w.data)
		}
	}
	size := f.size
	switch n := len(f.sizes); {
	case n == 0 || c.fate == Lost: // the size on the disk stays
	case c.fate == Kept:
		size = f.sizes[n-1].size
	default:
		if i := c.random.IntN(n + 1); i < n {
			size = f.sizes[i].size
		}
	}
	return Content{data[:min(int64(len(data)), size)], size}
}

// tear writes all sectors of a write, some, or none.
func (c *cut) tear(data []byte, w change) []byte {
	if c.random.IntN(3) > 0 { // not torn
		if c.random.IntN(2) == 0 {
			data = overwrite(data, w.at, w.data)
		}
		return data
	}
	for from := int64(0); from < int64(len(w.data)); {
		to := min((w.at+from)/sector*sector+sector-w.at, int64(len(w.data)))
		piece := w.data[from:to]
		switch {
		case c.random.IntN(2) == 0:
			data = overwrite(data, w.at+from, piece)
		case c.fate == Spoiled && c.random.IntN(2) == 0:
			data = overwrite(data, w.at+from, c.noise(len(piece)))
		}
		from = to
	}
	return data
}

func (c *cut) noise(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(c.random.Uint32())
	}
	return b
}
