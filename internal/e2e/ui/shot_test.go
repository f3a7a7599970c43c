package ui

import (
	"bytes"
	"cmp"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// shot saves a screenshot of the page, named after the page and the look, if
// SEGRAPH_SCREENSHOTS names a folder for it. The pictures in docs/screenshots are copies.
func (b *tab) shot(name string, l look) {
	b.t.Helper()
	dir := os.Getenv("SEGRAPH_SCREENSHOTS")
	if dir == "" {
		return
	}
	picture, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
	b.must(err)
	small, err := fewColours(picture)
	if err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name+"-"+l.String()+".png"), small, 0o644); err != nil {
		b.t.Fatal(err)
	}
}

// sheet writes a page that shows all pictures of a folder, for each page those of its looks
// beside each other.
func sheet(dir string) error {
	pictures, err := filepath.Glob(filepath.Join(dir, "*-desktop.png"))
	if err != nil {
		return err
	}
	page := "<!DOCTYPE html><title>All pages</title><style>img { height: 30rem; vertical-align: top }</style>"
	for _, picture := range pictures {
		name := strings.TrimSuffix(filepath.Base(picture), "-desktop.png")
		page += "<h2>" + name + "</h2>"
		for _, l := range []look{{}, {dark: true}, {phone: true}, {phone: true, dark: true}} {
			page += fmt.Sprintf(" <img src='%s-%s.png'>", name, l)
		}
	}
	return os.WriteFile(filepath.Join(dir, "index.html"), []byte(page), 0o644)
}

// fewColours reduces the size of a picture: it keeps 256 colours and replaces each other colour by the
// nearest of them. A pixel whose left neighbour has its colour counts for ten, and one that is no grey for four, so that
// a small area and a coloured word are kept before a shade of the edges of letters.
func fewColours(picture []byte) ([]byte, error) {
	from, err := png.Decode(bytes.NewReader(picture))
	if err != nil {
		return nil, err
	}
	counts := map[color.RGBA]int{}
	area := from.Bounds()
	for y := area.Min.Y; y < area.Max.Y; y++ {
		var left color.RGBA
		for x := area.Min.X; x < area.Max.X; x++ {
			c := color.RGBAModel.Convert(from.At(x, y)).(color.RGBA)
			if counts[c]++; c == left {
				counts[c] += 9
			}
			if max(c.R, c.G, c.B)-min(c.R, c.G, c.B) > 48 {
				counts[c] += 3
			}
			left = c
		}
	}
	all := slices.SortedFunc(maps.Keys(counts), func(a, b color.RGBA) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a.R, b.R), cmp.Compare(a.G, b.G), cmp.Compare(a.B, b.B))
	})
	var palette color.Palette
	for _, c := range all[:min(256, len(all))] {
		palette = append(palette, c)
	}
	to := image.NewPaletted(area, palette)
	draw.Draw(to, area, from, area.Min, draw.Src)
	var out bytes.Buffer
	encoder := png.Encoder{CompressionLevel: png.BestCompression}
	err = encoder.Encode(&out, to)
	return out.Bytes(), err
}

func TestAPictureKeepsTheColourOfASmallArea(t *testing.T) {
	t.Parallel()
	from := image.NewRGBA(image.Rect(0, 0, 300, 50))
	for y := range 50 {
		for x := range 300 { // each shade has more pixels than the area
			from.Set(x, y, color.RGBA{uint8(x / 2), uint8(x), 100, 255})
		}
	}
	dot := image.Rect(10, 10, 15, 15)
	draw.Draw(from, dot, image.NewUniform(color.RGBA{255, 0, 0, 255}), image.Point{}, draw.Src)
	var picture bytes.Buffer
	if err := png.Encode(&picture, from); err != nil {
		t.Fatal(err)
	}
	small, err := fewColours(picture.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	to, err := png.Decode(bytes.NewReader(small))
	if err != nil {
		t.Fatal(err)
	}
	if r, g, b, _ := to.At(12, 12).RGBA(); r != 0xffff || g != 0 || b != 0 {
		t.Errorf("a red area is %x %x %x", r, g, b)
	}
}
