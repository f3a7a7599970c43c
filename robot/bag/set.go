package bag

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/segraph/segraph/internal/extsort"
	"github.com/segraph/segraph/internal/spool"
	"github.com/segraph/segraph/robot/message"
)

// File is a bag of a Set.
type File struct {
	Name     string // without folders
	Sum      [sha256.Size]byte
	Begin    time.Time // the first time of recording in it
	Cut      *CutError // or nil
	Damaged  error     // the first record that was skipped, or nil
	Skipped  int       // such records
	Messages int
}

// Set holds the wanted messages of several bags in the order of time, in temporary files. Memory does not grow with the
// bags. The caller calls Close.
type Set struct {
	Files    []*File
	channels []*message.Channel
	data     *os.File
	size     int64
	limit    int64 // of size
	keys     *extsort.Sorter
}

// key is where a message is. The bytes of keys are in the order of messages: by Log, then by At.
type key struct {
	Log                uint64 // its time in ns since 1970, plus 1<<63
	At                 int64  // its place in data
	Publish            int64  // in ns since 1970
	Size, File, Number uint32
}

// logOffset is what Log has more than the time, so that times before 1970 come first.
const logOffset = 1 << 63

// keysInMemory is how many keys are sorted at once.
const keysInMemory = 50_000

// Bags may have maxData bytes of wanted messages, and dataPerByte more for each of their own bytes: compressed ones could
// fill the disk.
const (
	maxData     = 256 << 20
	dataPerByte = 200
)

// Collect reads bags. want is called for each channel of each bag, count for each message. The error names the bag.
func Collect(ctx context.Context, paths []string, want func(*message.Channel) bool, count func(*message.Channel)) (*Set, error) {
	data, err := spool.Unnamed("")
	if err != nil {
		return nil, fmt.Errorf("making a temporary file: %w", err)
	}
	s := &Set{keys: extsort.New(keysInMemory), data: data, limit: maxData}
	for _, path := range paths {
		if err := s.add(ctx, path, want, count); err != nil {
			return nil, errors.Join(fmt.Errorf("reading %s: %w", path, err), s.Close())
		}
	}
	return s, nil
}

// add reads a file of the set. It writes the data of messages whose channel want accepts to a
// temporary file, and adds their keys to s.keys. count is called for each message.
func (s *Set) add(ctx context.Context, path string, want func(*message.Channel) bool, count func(*message.Channel)) error {
	in, err := os.Open(path)
	if err != nil {
		return err
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return err
	}
	s.limit += dataPerByte * info.Size()
	f := &File{Name: filepath.Base(path)}
	numbers := map[*message.Channel]uint32{}
	s.Files = append(s.Files, f)
	h := Handler{
		Channel: func(c *message.Channel) bool {
			numbers[c] = uint32(len(s.channels))
			s.channels = append(s.channels, c)
			return want(c)
		},
		Message: func(c *message.Channel, m message.Message) error {
			count(c)
			if f.Messages++; f.Messages == 1 || m.Log.Before(f.Begin) {
				f.Begin = m.Log
			}
			if m.Data == nil { // of a channel that is not wanted
				return ctx.Err()
			}
			if s.size+int64(len(m.Data)) > s.limit {
				return fmt.Errorf("its messages have more than %d times its size", dataPerByte)
			}
			if _, err := s.data.Write(m.Data); err != nil {
				return fmt.Errorf("writing a temporary file: %w", err)
			}
			k := key{uint64(m.Log.UnixNano()) + logOffset, s.size, m.Publish.UnixNano(), uint32(len(m.Data)), uint32(len(s.Files) - 1), numbers[c]}
			s.size += int64(len(m.Data))
			text, err := binary.Append(nil, binary.BigEndian, k)
			return errors.Join(err, s.keys.Add(string(text)), ctx.Err())
		},
		Damaged: func(err error) {
			if f.Skipped++; f.Damaged == nil {
				f.Damaged = err
			}
		},
	}
	f.Sum, err = Read(in, h)
	if errors.As(err, &f.Cut) { // what is whole before the end is good
		err = nil
	}
	return err
}

// Each calls f for the messages, in the order of time. It can be called once. Data is valid during the call.
func (s *Set) Each(ctx context.Context, f func(*File, *message.Channel, message.Message) error) error {
	var data []byte
	for text, err := range s.keys.All() {
		var k key
		if err == nil {
			_, err = binary.Decode([]byte(text), binary.BigEndian, &k)
		}
		if err = cmp.Or(err, ctx.Err()); err != nil {
			return err
		}
		if int(k.Size) > cap(data) {
			data = make([]byte, k.Size)
		}
		data = data[:k.Size]
		if _, err := s.data.ReadAt(data, k.At); err != nil {
			return fmt.Errorf("reading a temporary file: %w", err)
		}
		m := message.Message{Log: time.Unix(0, int64(k.Log-logOffset)).UTC(), Publish: time.Unix(0, k.Publish).UTC(), Data: data}
		if err := f(s.Files[k.File], s.channels[k.Number], m); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// Close removes the temporary files.
func (s *Set) Close() error { return errors.Join(s.keys.Close(), s.data.Close()) }
