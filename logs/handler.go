package logs

import (
	"context"
	"encoding/json"
	"log/slog"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Request holds what all log lines of one request have in common. Actor becomes known
// when the token is checked. It must not be set after a goroutine was started with the
// request.
type Request struct{ ID, Actor, Address string }

type requestKey struct{}

// WithRequest returns a context whose log records belong to r.
func WithRequest(ctx context.Context, r *Request) context.Context {
	return context.WithValue(ctx, requestKey{}, r)
}

// RequestOf returns the request that WithRequest stored in ctx, or nil.
func RequestOf(ctx context.Context) *Request {
	r, _ := ctx.Value(requestKey{}).(*Request)
	return r
}

// handler is the slog.Handler of a Buffer, with the attributes and groups of its logger.
type handler struct {
	buffer *Buffer
	attrs  []attr
	group  string // prefix of the following keys, such as "a.b."
}

// attr is an attribute as written to a line.
type attr struct {
	key, value string
	plain      any // the number or boolean in value; nil for text
}

func (h *handler) Enabled(_ context.Context, l slog.Level) bool {
	return l >= h.buffer.options.Level.Level()
}

func (h *handler) WithGroup(name string) slog.Handler {
	if name == "" {
		return h
	}
	return &handler{h.buffer, h.attrs, h.group + name + "."}
}

func (h *handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	out := slices.Clip(h.attrs)
	for _, a := range attrs {
		out = flatten(out, h.group, a)
	}
	return &handler{h.buffer, out, h.group}
}

// Handle implements slog.Handler. Some attributes have fields of their own in an Entry; the
// request's come from ctx.
func (h *handler) Handle(ctx context.Context, record slog.Record) error {
	e := Entry{Time: record.Time.UTC(), Level: record.Level}
	if r := RequestOf(ctx); r != nil {
		e.RequestID, e.Actor, e.Address = clean(r.ID), clean(r.Actor), clean(r.Address)
	}
	attrs := slices.Clip(h.attrs)
	record.Attrs(func(a slog.Attr) bool {
		attrs = flatten(attrs, h.group, a)
		return true
	})
	rest := make([]attr, 0, len(attrs))
	for _, a := range attrs {
		switch a.key {
		case "logger":
			e.Logger = a.value
		case "request_id":
			e.RequestID = a.value
		case "actor":
			e.Actor = a.value
		case "origin_ip":
			e.Address = a.value
		default:
			rest = append(rest, a)
		}
	}
	if err := h.buffer.compose(&e, clean(record.Message), rest); err != nil {
		return err
	}
	h.buffer.add(e)
	return nil
}

// compose sets the message and the line of a record.
func (b *Buffer) compose(e *Entry, text string, attrs []attr) (err error) {
	e.Message, e.text = message(text, attrs), len(text)
	if b.options.JSON {
		e.Raw, err = jsonLine(*e, text, attrs)
		return err
	}
	e.Raw = textLine(*e)
	e.Message = e.Raw[len(e.Raw)-len(e.Message):] // share the memory of the line
	return nil
}

// lost returns the line that replaces n dropped lines.
func (b *Buffer) lost(n int) string {
	e := Entry{Time: time.Now().UTC(), Level: slog.LevelWarn, Logger: "segraph.log"}
	if err := b.compose(&e, strconv.Itoa(n)+" lines dropped: they came faster than they could be written", nil); err != nil {
		return err.Error()
	}
	return e.Raw
}

// flatten appends an attribute, or the members of a group, whose keys get the group's
// name as a prefix.
func flatten(to []attr, group string, a slog.Attr) []attr {
	a.Value = a.Value.Resolve()
	if a.Equal(slog.Attr{}) {
		return to
	}
	if a.Value.Kind() != slog.KindGroup {
		return append(to, attr{clean(group + a.Key), clean(a.Value.String()), plain(a.Value)})
	}
	if a.Key != "" {
		group += a.Key + "."
	}
	for _, member := range a.Value.Group() {
		to = flatten(to, group, member)
	}
	return to
}

// plain returns the number or boolean that JSON writes without quotes. It returns nil for
// other values and for numbers that JSON does not have.
func plain(v slog.Value) any {
	switch v.Kind() {
	case slog.KindBool, slog.KindInt64, slog.KindUint64:
		return v.Any()
	case slog.KindFloat64:
		if f := v.Float64(); !math.IsNaN(f) && !math.IsInf(f, 0) {
			return f
		}
	}
	return nil
}

// message returns a text with its attributes, as key=value.
func message(text string, attrs []attr) string {
	var b strings.Builder
	b.WriteString(text)
	for _, a := range attrs {
		b.WriteString(" " + a.key + "=" + field(a.value))
	}
	return b.String()
}

// timeFormat is RFC 3339 in UTC with milliseconds. Its width is constant.
const timeFormat = "2006-01-02T15:04:05.000Z"

// Timestamp returns the time as written in a line.
func (e Entry) Timestamp() string { return e.Time.Format(timeFormat) }

func textLine(e Entry) string {
	return e.Timestamp() + " | " + LevelName(e.Level) + " | " + orDash(e.Logger) +
		" | rid=" + orDash(e.RequestID) + " actor=" + orDash(e.Actor) + " ip=" + orDash(e.Address) +
		" | " + e.Message
}

func jsonLine(e Entry, text string, attrs []attr) (string, error) {
	fields := make(map[string]any, len(attrs))
	for _, a := range attrs {
		fields[a.key] = a.value
		if a.plain != nil {
			fields[a.key] = a.plain
		}
	}
	line, err := json.Marshal(struct {
		Timestamp string         `json:"timestamp"`
		Level     string         `json:"level"`
		Logger    string         `json:"logger,omitempty"`
		RequestID string         `json:"request_id,omitempty"`
		Actor     string         `json:"actor,omitempty"`
		Address   string         `json:"origin_ip,omitempty"`
		Message   string         `json:"message"`
		Fields    map[string]any `json:"fields,omitempty"`
	}{e.Timestamp(), LevelName(e.Level), e.Logger, e.RequestID, e.Actor, e.Address, text, fields})
	return string(line), err
}

// JSONLine returns a record in the JSON format of a Buffer, for use while no Buffer
// exists.
func JSONLine(level slog.Level, logger, text string) string {
	line, err := jsonLine(Entry{Time: time.Now().UTC(), Level: level, Logger: logger}, clean(text), nil)
	if err != nil {
		return err.Error()
	}
	return line
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return field(s)
}

// LevelName returns the name of a level.
func LevelName(l slog.Level) string {
	switch {
	case l < slog.LevelInfo:
		return "DEBUG"
	case l < slog.LevelWarn:
		return "INFO"
	case l < slog.LevelError:
		return "WARNING"
	case l < LevelCritical:
		return "ERROR"
	}
	return "CRITICAL"
}

// LevelNames returns the names of the levels, least severe first.
func LevelNames() []string { return []string{"DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL"} }

// ParseLevel returns the level with a name, ignoring case.
func ParseLevel(name string) (level slog.Level, ok bool) {
	for i, n := range LevelNames() {
		if strings.EqualFold(n, name) {
			return slog.LevelDebug + slog.Level(4*i), true // the levels of slog are 4 apart
		}
	}
	return 0, false
}
