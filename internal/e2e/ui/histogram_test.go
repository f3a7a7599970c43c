package ui

import (
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"
)

// TestTheHistogramFiltersTheLog clicks a bar and, with scripts, drags over bars.
func TestTheHistogramFiltersTheLog(t *testing.T) {
	t.Parallel()
	s := openService(t)
	for i, text := range []string{"one", "two", "three", "four"} {
		level := []slog.Level{slog.LevelInfo, slog.LevelWarn, slog.LevelError, slog.LevelInfo}[i]
		record := slog.NewRecord(time.Date(2026, 5, 31, 10, 20*i, 0, 0, time.UTC), level, "story "+text, 0)
		if err := s.log.Handler().Handle(t.Context(), record); err != nil {
			t.Fatal(err)
		}
	}
	eachLook(t, func(t *testing.T, l look) {
		b := open(t, s.ui, l)
		b.goTo("/system/logs?contains=story")
		b.see(".histogram", "31 May 10:00:00")
		if !l.noScripts {
			b.accessible()
			if stops := value[int](b, `document.querySelectorAll(".histogram a:not([tabindex='-1'])").length`); stops != 1 {
				t.Errorf("Tab stops %d times", stops)
			}
			if value[bool](b, `(() => {
				const h = document.querySelector("[data-histogram]"), r = h.getBoundingClientRect();
				for (const [type, part] of [["pointerdown", 0.2], ["pointercancel", 0.2], ["pointermove", 0.8]])
					h.dispatchEvent(new PointerEvent(type, {bubbles: true, clientX: r.x + r.width * part, clientY: r.y + 30}));
				return !!h.querySelector(".within");
			})()`) {
				t.Error("a finger that scrolls selects a time")
			}
			at := value[[]float64](b, `(() => { const r = document.querySelector("[data-histogram]").getBoundingClientRect(); return [r.x, r.y + 30, r.width]; })()`)
			for _, step := range []struct {
				kind input.DispatchMouseEventType
				part float64
			}{{input.DispatchMouseEventTypeMousePressed, 0.2}, {input.DispatchMouseEventTypeMouseMoved, 0.8}, {input.DispatchMouseEventTypeMouseReleased, 0.8}} {
				tell(b, input.DispatchMouseEvent, input.DispatchMouseEventParams{Type: step.kind, X: at[0] + at[2]*step.part, Y: at[1], Button: input.MouseButtonLeft, ClickCount: 1})
			}
			b.eventually("two lines are left", func() bool { return len(b.all("#lines > li")) == 2 }, b.path)
			b.click(".histogram + p a")
			b.eventually("all are back", func() bool { return len(b.all("#lines > li")) == 4 }, b.path)
		}
		b.click(".histogram a:has(.bad)")
		b.eventually("one line is left", func() bool {
			lines := b.all("#lines > li")
			return len(lines) == 1 && strings.Contains(lines[0], "story three")
		}, b.path)
	})
}
