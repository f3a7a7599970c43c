package bag

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"

	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/robot/message"
)

// The kit's recordings, made with Python's mcap: each topic has its type and its number of messages, each message can
// be decoded, and the first of types.mcap has the values that were written.
func TestTheRecordingsOfTheKit(t *testing.T) {
	folder := suite.Shared(t, "data", "mcap")
	text, err := os.ReadFile(filepath.Join(folder, "expected.json"))
	if err != nil {
		t.Fatal(err)
	}
	var expected map[string]json.RawMessage
	if err := json.Unmarshal(text, &expected); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"museum.mcap", "iris-lz4.mcap", "otto-none.mcap", "iris-cut.mcap", "types.mcap"} {
		t.Run(name, func(t *testing.T) {
			var want struct {
				Messages int
				Topics   map[string][2]any
				First    map[string]any
			}
			if err := json.Unmarshal(expected[name], &want); err != nil {
				t.Fatal(err)
			}
			f, err := os.Open(filepath.Join(folder, name))
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			got, first := map[string][2]any{}, map[string]any(nil)
			n, decoders := 0, map[*message.Channel]*message.Decoder{}
			_, err = Read(f, Handler{
				Channel: func(c *message.Channel) bool {
					d, err := message.NewDecoder(c)
					if err != nil {
						t.Fatalf("%s: %v", c.Topic, err)
					}
					decoders[c] = d
					return true
				},
				Message: func(c *message.Channel, m message.Message) error {
					n++
					count, _ := got[c.Topic][1].(float64)
					got[c.Topic] = [2]any{c.Type, count + 1}
					v, err := decoders[c].Decode(m.Data)
					if err != nil {
						t.Fatalf("%s: %v", c.Topic, err)
					}
					if c.Topic == "/types" && first == nil {
						first = v
					}
					return nil
				},
				Damaged: func(err error) { t.Error(err) },
			})
			if cut := errors.As(err, new(*CutError)); cut != (name == "iris-cut.mcap") || err != nil && !cut {
				t.Errorf("the error is %v", err)
			}
			if n != want.Messages {
				t.Errorf("%d messages were read of %d", n, want.Messages)
			}
			for topic, w := range want.Topics {
				w[0] = message.Short(w[0].(string))
				if got[topic] != w {
					t.Errorf("%s has %v instead of %v", topic, got[topic], w)
				}
			}
			if want.First != nil && !reflect.DeepEqual(numbers(first), numbers(want.First)) {
				t.Errorf("the first message is\n%v instead of\n%v", numbers(first), numbers(want.First))
			}
		})
	}
}

// numbers makes float64 of all numbers, and an array of bytes.
func numbers(v any) any {
	switch v := v.(type) {
	case int64:
		return float64(v)
	case uint64:
		return float64(v)
	case []byte:
		out := []any{}
		for _, b := range v {
			out = append(out, float64(b))
		}
		return out
	case []any:
		for i := range v {
			v[i] = numbers(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = numbers(v[k])
		}
	}
	return v
}

// record returns a record of MCAP.
func record(op byte, parts ...any) []byte {
	var b bytes.Buffer
	for _, p := range parts {
		switch p := p.(type) {
		case string:
			b.Write(binary.LittleEndian.AppendUint32(nil, uint32(len(p))))
			b.WriteString(p)
		case []byte:
			b.Write(p)
		default:
			if err := binary.Write(&b, binary.LittleEndian, p); err != nil {
				panic(err)
			}
		}
	}
	return slices.Concat([]byte{op}, binary.LittleEndian.AppendUint64(nil, uint64(b.Len())), b.Bytes())
}

// chunk returns a chunk that says that it has size bytes.
func chunk(size uint64, crc uint32, compression string, packed []byte) []byte {
	return record(opChunk, uint64(0), uint64(0), size, crc, compression, uint64(len(packed)), packed)
}

// topic has a definition, a channel and a message.
var topic = slices.Concat(record(opSchema, uint16(1), "std_msgs/msg/String", "ros2msg", "string data"),
	record(opChannel, uint16(1), uint16(1), "/say", "cdr", uint32(0)), hello)

var hello = record(opMessage, uint16(1), uint32(0), uint64(5), uint64(4), []byte("\x00\x01\x00\x00\x06\x00\x00\x00hello\x00"))

// readBytes reads a bag, and returns how many messages it has and the first damage.
func readBytes(b []byte) (n int, damage, err error) {
	_, err = Read(bytes.NewReader(b), Handler{
		Channel: func(*message.Channel) bool { return true },
		Message: func(*message.Channel, message.Message) error { n++; return nil },
		Damaged: func(err error) { damage = cmp.Or(damage, err) },
	})
	return n, damage, err
}

// Hostile bags end with an error that says where, or go on after what can't be read, in bounded memory.
func TestHostileBags(t *testing.T) {
	suite.NotShort(t)
	zeros := make([]byte, 512<<20>>10) // written many times
	var bomb, lz4bomb bytes.Buffer
	z, err := zstd.NewWriter(&bomb, zstd.WithWindowSize(8<<20))
	if err != nil {
		t.Fatal(err)
	}
	l := lz4.NewWriter(&lz4bomb)
	for range 1 << 10 {
		if _, err := z.Write(zeros); err != nil {
			t.Fatal(err)
		}
		if _, err := l.Write(zeros); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(z.Close(), l.Close()); err != nil {
		t.Fatal(err)
	}
	end := record(opDataEnd, uint32(0))
	nested := chunk(0, 0, "", nil)
	for _, tt := range []struct {
		name   string
		data   []byte
		n      int
		damage string
		want   string
	}{
		{"nothing", nil, 0, "", "no MCAP file"},
		{"another file", []byte("SQLite format 3\x00"), 0, "", "no MCAP file"},
		{"only magic", []byte(magic), 0, "", "the file was cut: it ends at byte 8, inside the record that begins at byte 8"},
		{"a whole file", slices.Concat([]byte(magic), topic, end), 1, "", ""},
		{"a cut one", slices.Concat([]byte(magic), topic, hello[:20]), 1, "", "inside the record that begins at byte 145"},
		{"a huge record", slices.Concat([]byte(magic), []byte{opChunk}, bytes.Repeat([]byte{0xff}, 8)), 0, "", "the record at byte 8 has 18446744073709551615 bytes, and at most 67108864 are read"},
		{"a huge attachment", slices.Concat([]byte(magic), topic, []byte{9}, bytes.Repeat([]byte{0xff}, 8)), 1, "", "the file was cut"},
		{"a chunk bomb", slices.Concat([]byte(magic), chunk(512<<20, 0, "zstd", bomb.Bytes()), topic, end), 1, "the chunk at byte 8: it contains 536870912 bytes, and at most", ""},
		{"a bomb that says little", slices.Concat([]byte(magic), chunk(100, 0, "zstd", bomb.Bytes()), topic, end), 1, "the chunk at byte 8: decompress zstd:", ""},
		{"a bomb of lz4", slices.Concat([]byte(magic), chunk(100, 0, "lz4", lz4bomb.Bytes()), topic, end), 1, "it contains another number of bytes than the 100", ""},
		{"a chunk in a chunk", slices.Concat([]byte(magic), chunk(uint64(len(nested)), 0, "", nested), topic, end), 1, "it contains a chunk", ""},
		{"a wrong checksum", slices.Concat([]byte(magic), chunk(uint64(len(topic)), 1, "", topic), topic, end), 1, "its checksum is", ""},
		{"a long compression", slices.Concat([]byte(magic), chunk(0, 0, strings.Repeat("x", 100), nil), topic, end), 1, "its compression \"xxxxxxxxxxxxxxxxxxxx\" is none of", ""},
		{"a short chunk", slices.Concat([]byte(magic), record(opChunk, uint64(0)), topic, end), 1, "the chunk at byte 8: it is shorter than it says", ""},
		{"a record over the chunk's end", slices.Concat([]byte(magic), topic, chunk(uint64(len(hello)*2-1), 0, "", slices.Concat(hello, hello[:len(hello)-1])), end), 2, "byte 45 of its content", ""},
		{"a short message", slices.Concat([]byte(magic), topic, record(opMessage, uint16(1)), end), 1, "the message at byte 145: it is shorter than it says", ""},
		{"a message of no channel", slices.Concat([]byte(magic), topic, record(opMessage, uint16(7), uint32(0), uint64(0), uint64(0)), end), 1, "its channel is unknown", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			n, damage, err := readBytes(tt.data)
			runtime.ReadMemStats(&after)
			if n != tt.n || !strings.Contains(fmt.Sprint(damage), tt.damage) || (damage != nil) != (tt.damage != "") {
				t.Errorf("%d messages, damage %v; want %d and %q", n, damage, tt.n, tt.damage)
			}
			if (err != nil) != (tt.want != "") || !strings.Contains(fmt.Sprint(err), tt.want) {
				t.Errorf("the error is %v; want %q", err, tt.want)
			}
			if took := after.TotalAlloc - before.TotalAlloc; took > 150<<20 {
				t.Errorf("it took %d MiB", took>>20)
			}
		})
	}
}

// Definitions and topics without end are refused.
func TestDefinitionsAreBounded(t *testing.T) {
	b := []byte(magic)
	for i := range 20 {
		b = append(b, record(opSchema, uint16(i), "a/B", "ros2msg", strings.Repeat(" ", 1<<20))...)
	}
	if _, _, err := readBytes(b); err == nil || !strings.Contains(err.Error(), "the definitions have more than 16777216 bytes") {
		t.Error(err)
	}
}

// TestABagDoesNotFillTheDisk has messages of zeros, which compress well.
func TestABagDoesNotFillTheDisk(t *testing.T) {
	suite.NotShort(t)
	z, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	long := record(opMessage, uint16(1), uint32(0), uint64(5), uint64(4), make([]byte, 60<<20))
	packed := chunk(uint64(len(long)), 0, "zstd", z.EncodeAll(long, nil))
	path := filepath.Join(t.TempDir(), "x.mcap")
	if err := os.WriteFile(path, slices.Concat([]byte(magic), topic, bytes.Repeat(packed, 5)), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err = Collect(t.Context(), []string{path}, func(*message.Channel) bool { return true }, func(*message.Channel) {})
	if err == nil || !strings.Contains(err.Error(), "its messages have more than 200 times its size") {
		t.Error(err)
	}
}

// A file that is cut anywhere gives the messages before, and says that it is cut.
func TestACutAnywhere(t *testing.T) {
	whole := slices.Concat([]byte(magic), topic, chunk(uint64(len(hello)), 0, "", hello), record(opDataEnd, uint32(0)))
	for n := 8; n < len(whole); n++ {
		got, damage, err := readBytes(whole[:n])
		cut := (*CutError)(nil)
		if !errors.As(err, &cut) || damage != nil || cut.Size != int64(n) {
			t.Fatalf("%d bytes: %v, %v", n, damage, err)
		}
		want := 0
		if n >= 8+len(topic) {
			want++
		}
		if n >= len(whole)-13 {
			want++
		}
		if got != want {
			t.Errorf("%d bytes have %d messages; want %d", n, got, want)
		}
	}
}

// FuzzBag checks that no file makes Read fail other than by an error.
func FuzzBag(f *testing.F) {
	f.Add(slices.Concat([]byte(magic), topic, chunk(uint64(len(hello)), 0, "", hello), record(opDataEnd, uint32(0))))
	var packed bytes.Buffer
	l := lz4.NewWriter(&packed)
	if _, err := l.Write(topic); err != nil {
		f.Fatal(err)
	}
	if err := l.Close(); err != nil {
		f.Fatal(err)
	}
	f.Add(slices.Concat([]byte(magic), chunk(uint64(len(topic)), 0, "lz4", packed.Bytes()), hello))
	f.Fuzz(func(t *testing.T, b []byte) {
		if n, _, _ := readBytes(b); n > len(b)*1000 {
			t.Errorf("%d messages", n)
		}
	})
}
