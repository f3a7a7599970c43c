package value

import "strings"

// The functions on dates and times (SPARQL 1.1, section 17.4.5) take a xsd:dateTime; here also a
// xsd:date or xsd:time, where that has the part that is asked for.

func year(v Value) Value {
	if v.kind != KindDateTime && v.kind != KindDate {
		return Error()
	}
	if t, ok := v.clock(); ok {
		return Integer(int64(t.Year()))
	}
	return Integer(v.dateTime().Year())
}

func month(v Value) Value {
	if v.kind != KindDateTime && v.kind != KindDate {
		return Error()
	}
	if t, ok := v.clock(); ok {
		return Integer(int64(t.Month()))
	}
	return Integer(int64(v.dateTime().Month()))
}

func day(v Value) Value {
	if v.kind != KindDateTime && v.kind != KindDate {
		return Error()
	}
	if t, ok := v.clock(); ok {
		return Integer(int64(t.Day()))
	}
	return Integer(int64(v.dateTime().Day()))
}

func hours(v Value) Value {
	if v.kind != KindDateTime && v.kind != KindTime {
		return Error()
	}
	if t, ok := v.clock(); ok {
		return Integer(int64(t.Hour()))
	}
	return Integer(int64(v.dateTime().Hour()))
}

func minutes(v Value) Value {
	if v.kind != KindDateTime && v.kind != KindTime {
		return Error()
	}
	if t, ok := v.clock(); ok {
		return Integer(int64(t.Minute()))
	}
	return Integer(int64(v.dateTime().Minute()))
}

// seconds gives a xsd:decimal, below 60.
func seconds(v Value) Value {
	if v.kind != KindDateTime && v.kind != KindTime {
		return Error()
	}
	if t, ok := v.clock(); ok {
		return Decimal(int64(t.Second())*1e9+int64(t.Nanosecond()), 9)
	}
	return exact(KindDecimal, v.dateTime().Second())
}

// timeZone is TIMEZONE: a xsd:dayTimeDuration, and an error without a time zone (17.4.5.8).
func timeZone(v Value) Value {
	if v.kind < KindDateTime || v.kind > KindTime || !v.zoned() {
		return Error()
	}
	return zoneDuration(int(v.minor))
}

// tz is TZ: the time zone as it is written, and "" without one (17.4.5.9).
func tz(v Value) Value {
	if v.kind < KindDateTime || v.kind > KindTime {
		return Error()
	}
	if !v.zoned() {
		return String("")
	}
	text := v.Term().Value()
	if strings.HasSuffix(text, "Z") {
		return String("Z")
	}
	return String(text[len(text)-len("+00:00"):])
}
