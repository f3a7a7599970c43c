package value

import "strings"

// The functions on dates and times (SPARQL 1.1, section 17.4.5) accept an xsd:dateTime.
// As an extension they also accept an xsd:date or xsd:time that has the requested part.

// local returns a date or time in its time zone, as days since 1970-01-01 and seconds of
// the day.
func (c *Cell) local() (days, seconds int64) {
	return floorDiv(c.num+int64(c.minor)*60, 86400)
}

func yearCells(out, a *Cell) (ok bool)  { return datePart(out, a, 0) }
func monthCells(out, a *Cell) (ok bool) { return datePart(out, a, 1) }
func dayCells(out, a *Cell) (ok bool)   { return datePart(out, a, 2) }

// datePart sets out to part 0, 1 or 2 of a date: year, month or day.
func datePart(out, a *Cell, part int) (ok bool) {
	if a.kind != KindDateTime && a.kind != KindDate {
		*out = Cell{kind: KindError}
		return true
	}
	days, _ := a.local()
	year, month, day := civil(days)
	*out = Cell{kind: KindInteger, num: [...]int64{year, month, day}[part]}
	return true
}

func hoursCells(out, a *Cell) (ok bool)   { return timePart(out, a, 3600, 24) }
func minutesCells(out, a *Cell) (ok bool) { return timePart(out, a, 60, 60) }

// timePart sets out to the hours or minutes of a time. length is the length of the
// unit in seconds, and limit the number of units in the next larger unit.
func timePart(out, a *Cell, length, limit int64) (ok bool) {
	if a.kind != KindDateTime && a.kind != KindTime {
		*out = Cell{kind: KindError}
		return true
	}
	_, seconds := a.local()
	*out = Cell{kind: KindInteger, num: seconds / length % limit}
	return true
}

// secondsCells sets out to the seconds, an xsd:decimal below 60.
func secondsCells(out, a *Cell) (ok bool) {
	switch {
	case a.kind != KindDateTime && a.kind != KindTime:
		*out = Cell{kind: KindError}
	case a.flags&flagFine != 0:
		return false
	default:
		_, seconds := a.local()
		seconds %= 60
		if a.nanos == 0 {
			*out = Cell{kind: KindDecimal, num: seconds}
		} else {
			*out = smallCell(KindDecimal, seconds*1e9+int64(a.nanos), 9)
		}
	}
	return true
}

func fineSeconds(v Value) Value { return exact(KindDecimal, v.dateTime().Second()) }

// timeZone is TIMEZONE: an xsd:dayTimeDuration, or an error without a time zone
// (17.4.5.8).
func timeZone(v Value) Value {
	if v.kind < KindDateTime || v.kind > KindTime || !v.zoned() {
		return Error()
	}
	return zoneDuration(int(v.minor))
}

// tz is TZ: the time zone as written, or "" without one (17.4.5.9).
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
