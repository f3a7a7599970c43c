package message

import (
	"encoding/hex"
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"testing"
)

const line = "================================================================================\nMSG: "

// diagnosis is a message of ROS 1 and its definition, written by Python's rosbags 0.11.9.
const (
	diagnosis    = "07000000a031b5690065cd1d030000006d6170010000000205000000647269766506000000383420c2b043060000006f74746f2d31020000000100000061010000006200000000020000006364"
	diagnosisDef = "std_msgs/Header header\ndiagnostic_msgs/DiagnosticStatus[] status\n" +
		line + "std_msgs/Header\nuint32 seq\ntime stamp\nstring frame_id\n" +
		line + "diagnostic_msgs/DiagnosticStatus\nbyte OK=0\nbyte WARN=1\nbyte level\nstring name\nstring message\nstring hardware_id\ndiagnostic_msgs/KeyValue[] values\n" +
		line + "diagnostic_msgs/KeyValue\nstring key\nstring value\n"
)

func ofROS1(t testing.TB) (*Decoder, []byte) {
	t.Helper()
	d, err := NewDecoder(&Channel{Type: "diagnostic_msgs/DiagnosticArray", Encoding: "ros1", SchemaEncoding: "ros1msg", Schema: []byte(diagnosisDef)})
	if err != nil {
		t.Fatal(err)
	}
	data, err := hex.DecodeString(diagnosis)
	if err != nil {
		t.Fatal(err)
	}
	return d, data
}

func TestAMessageOfROS1(t *testing.T) {
	d, data := ofROS1(t)
	got, err := d.Decode(data)
	want := map[string]any{
		"header": map[string]any{"seq": uint64(7), "stamp": map[string]any{"sec": int64(1773482400), "nanosec": uint64(500000000)}, "frame_id": "map"},
		"status": []any{map[string]any{"level": int64(2), "name": "drive", "message": "84 °C", "hardware_id": "otto-1", "values": []any{
			map[string]any{"key": "a", "value": "b"}, map[string]any{"key": "", "value": "cd"}}}},
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v, %v; want %v", got, err, want)
	}
}

// A message that is cut anywhere ends with an error that names a field and a byte.
func TestACutMessageSaysWhere(t *testing.T) {
	d, data := ofROS1(t)
	for n := range data {
		if _, err := d.Decode(data[:n]); err == nil || !strings.Contains(err.Error(), "diagnostic_msgs/DiagnosticArray.") || !strings.Contains(err.Error(), " at byte ") {
			t.Errorf("%d bytes: %v", n, err)
		}
	}
	_, err := d.Decode(data[:len(data)-1])
	if want := "the field diagnostic_msgs/DiagnosticArray.status[0].values[1].value at byte 75: the message ends here"; fmt.Sprint(err) != want {
		t.Errorf("%v; want %s", err, want)
	}
}

func TestHostileDefinitionsAndMessages(t *testing.T) {
	deep := "p/A a\n"
	for i := range 60 {
		deep += line + fmt.Sprintf("p/%c%d\np/%c%d a\n", 'A', i, 'A', i+1)
	}
	deep = strings.Replace(deep, "p/A a", "p/A0 a", 1) + line + "p/A60\nint32 x\n"
	wide := "p/B a\np/B b\n"
	for i := range 20 {
		wide += line + fmt.Sprintf("p/B%d\np/B%d a\np/B%d b\n", i, i+1, i+1)
	}
	wide = strings.ReplaceAll(strings.Replace(wide, "p/B a\np/B b", "p/B0 a\np/B0 b", 1), "\r", "") + line + "p/B20\n"
	for _, tt := range []struct{ name, encoding, def, data, want string }{
		{"a cycle", "cdr", "p/B b\n" + line + "p/B\np/A[] a\n" + line + "p/A\np/B b\n", "", "line 1 of p/A: line 2 of p/B: the type p/A contains itself"},
		{"a missing type", "cdr", "Other o", "", "line 1 of p/A: the definition lacks the type \"p/Other\""},
		{"a wide text", "cdr", "int8 a\nwstring b", "", `line 2 of p/A: the field "b" is a wstring`},
		{"no field", "cdr", "int8 a\n\nint8 ??", "", `line 3 of p/A: "int8 ??" is no field`},
		{"deep types", "cdr", deep, "", "is in 50 others"},
		{"a long array", "cdr", "int8[99999999999999999999] a", "", `the array "a" is too long`},
		{"many fields", "cdr", strings.Repeat("int8 a\n", 10_001), "", "more than 10000 fields"},
		{"a long definition", "cdr", strings.Repeat("#", 1<<20+1), "", "at most 1048576 are read"},
		{"a billion of nothing", "ros1", "Nothing[1000000000] a\n" + line + "p/Nothing\n", "", "p/A.a at byte 0: the message has more than 200000 values"},
		{"a count of nothing", "ros1", "Nothing[] a\n" + line + "p/Nothing\n", "ffffffff", "p/A.a at byte 4: the message has more than 200000 values"},
		{"a count of nothing in CDR", "cdr", "Nothing[] a\n" + line + "p/Nothing\n", "00010000ffffffff", "the message has more than 200000 values"},
		{"many nested fields", "ros1", wide, "", "the message has more than 200000 values"},
		{"a huge count", "cdr", "float64[] a", "00010000ffffffff00000000", "p/A.a at byte 4: an array of 4294967295 elements: the message ends here"},
		{"a huge fixed array", "cdr", "float64[9223372036854775807] a", "0001000000", "p/A.a at byte 0"},
		{"huge bytes", "cdr", "uint8[9223372036854775807] a", "0001000000", "p/A.a at byte 0: the message ends here"},
		{"texts of nothing", "ros1", "string[4294967295] a", "00000000", "p/A.a at byte 0: an array of 4294967295 elements: the message ends here"},
		{"a huge text", "cdr", "string a", "00010000ffffffff", "p/A.a at byte 4: a text of 4294967295 bytes: the message ends here"},
		{"XCDR2", "cdr", "int8 a", "0007000001", "only 0 and 1 (XCDR1)"},
		{"no header", "cdr", "int8 a", "0001", "fewer than CDR's header"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			d, err := NewDecoder(&Channel{Type: "p/A", Encoding: tt.encoding, SchemaEncoding: map[string]string{"cdr": "ros2msg", "ros1": "ros1msg"}[tt.encoding], Schema: []byte(tt.def)})
			if err == nil {
				data, _ := hex.DecodeString(tt.data)
				_, err = d.Decode(data)
			}
			runtime.ReadMemStats(&after)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("the error is %.200q; want %q", fmt.Sprint(err), tt.want)
			}
			if took := after.TotalAlloc - before.TotalAlloc; took > 64<<20 {
				t.Errorf("it took %d MiB", took>>20)
			}
		})
	}
}

func TestWhatCannotBeDecodedSaysWhy(t *testing.T) {
	for want, c := range map[string]Channel{
		"no definition":            {Encoding: "cdr"},
		`definitions in "ros2idl"`: {Encoding: "cdr", SchemaEncoding: "ros2idl", Schema: []byte("x")},
		`messages in "protobuf"`:   {Encoding: "protobuf", SchemaEncoding: "protobuf", Schema: []byte("x")},
	} {
		if _, err := NewDecoder(&c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v; want %q", err, want)
		}
	}
	d, err := NewDecoder(&Channel{Encoding: "json"})
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{`{"a":`: "at byte 5", `[]`: "cannot unmarshal array", `{} {}`: "at byte 4", `null`: "no object", strings.Repeat(" ", 1<<20+1): "at most 1048576"} {
		if _, err := d.Decode([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.20s: %v; want %q", text, err, want)
		}
	}
}

// The bytes of big-endian CDR are those that a robot with another processor writes.
func TestBigEndian(t *testing.T) {
	d, err := NewDecoder(&Channel{Type: "p/A", Encoding: "cdr", SchemaEncoding: "ros2msg", Schema: []byte("int16 a\nfloat32 b\nstring c")})
	if err != nil {
		t.Fatal(err)
	}
	data, _ := hex.DecodeString("00000000" + "ff38" + "0000" + "3f68f5c3" + "00000003" + "c3a900")
	got, err := d.Decode(data)
	if want := (map[string]any{"a": int64(-200), "b": 0.91, "c": "é"}); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v, %v; want %v", got, err, want)
	}
}

// FuzzDecode checks that no definition and no message makes the decoder fail other than by an error.
func FuzzDecode(f *testing.F) {
	data, _ := hex.DecodeString(diagnosis)
	f.Add(true, diagnosisDef, data)
	f.Add(false, "int16 a 3\nstring<=4 b\nB[<=2] c\nuint8[] d\nfloat64[2] e\n"+line+"p/B\n", []byte{0, 1, 0, 0, 1, 2, 3, 4})
	f.Fuzz(func(t *testing.T, ros1 bool, def string, data []byte) {
		c := Channel{Type: "p/A", Encoding: "cdr", SchemaEncoding: "ros2msg", Schema: []byte(def)}
		if ros1 {
			c.Encoding, c.SchemaEncoding = "ros1", "ros1msg"
		}
		d, err := NewDecoder(&c)
		if err != nil {
			return
		}
		v, err := d.Decode(data)
		if err == nil && len(v) > len(d.Type.Names()) {
			t.Errorf("%d fields of %d", len(v), len(d.Type.Names()))
		}
	})
}
