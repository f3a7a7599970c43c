package value

import "testing"

func BenchmarkCompare(b *testing.B) {
	for name, pair := range map[string][2]string{
		"integers": {"12345", "12346"}, "decimals": {"12.345", "12.35"}, "integer and decimal": {"12", "12.35"},
		"doubles": {"1.5e0", "2.5e0"}, "decimal and double": {"1.5", "2.5e0"},
		"dateTimes": {`"2024-05-06T07:08:09.101Z"^^xsd:dateTime`, `"2024-05-06T07:08:09.102Z"^^xsd:dateTime`},
		"strings":   {`"https://example.org/robot/1"`, `"https://example.org/robot/2"`},
		"languages": {`"hello"@en`, `"hello"@EN`},
	} {
		x, y := val(b, pair[0]), val(b, pair[1])
		b.Run(name+"/equal", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Equal(x, y)
			}
		})
		b.Run(name+"/less", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Less(x, y)
			}
		})
		b.Run(name+"/order", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Order(x, y)
			}
		})
	}
}

func BenchmarkAdd(b *testing.B) {
	for name, pair := range map[string][2]string{"integers": {"12345", "12346"}, "decimals": {"12.345", "12.35"}, "doubles": {"1.5e0", "2.5e0"}, "integer and double": {"1", "2.5e0"}} {
		x, y := val(b, pair[0]), val(b, pair[1])
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Add(x, y)
			}
		})
	}
}

func BenchmarkFromTerm(b *testing.B) {
	for name, s := range map[string]string{"integer": "12345", "decimal": "12.345", "double": "1.5e0", "dateTime": `"2024-05-06T07:08:09.101Z"^^xsd:dateTime`, "string": `"hello"`, "iri": "<http://a>"} {
		t := term(b, s)
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				FromTerm(t)
			}
		})
	}
}

func BenchmarkRegex(b *testing.B) {
	c := &Context{}
	f, _ := Lookup("REGEX")
	for name, args := range map[string][]Value{"literal": {String("the robot said hello to Alice"), String("hello")}, "folded": {String("the robot said hello to Alice"), String("HELLO"), String("i")}, "class": {String("the robot said hello to Alice"), String("^[a-z ]+ to \\p{Lu}")}} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				f.Call(c, args)
			}
		})
	}
}
