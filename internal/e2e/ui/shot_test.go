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

// fewColours reduces the size of a picture: it keeps the 256 most frequent colours and
// replaces each other colour by the nearest of them.
func fewColours(picture []byte) ([]byte, error) {
	from, err := png.Decode(bytes.NewReader(picture))
	if err != nil {
		return nil, err
	}
	counts := map[color.RGBA]int{}
	area := from.Bounds()
	for y := area.Min.Y; y < area.Max.Y; y++ {
		for x := area.Min.X; x < area.Max.X; x++ {
			counts[color.RGBAModel.Convert(from.At(x, y)).(color.RGBA)]++
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
