package ui

// grown lists the icons of the page that are larger than 32 pixels: pictures with a square
// plane, apart from those with a role, such as charts and the QR code.
const grown = `[...document.querySelectorAll("svg:not([role])")].filter(e => {
	const [plane, box] = [e.viewBox.baseVal, e.getBoundingClientRect()];
	return plane && plane.width > 0 && plane.width == plane.height && Math.max(box.width, box.height) > 32;
}).map(e => e.outerHTML.slice(0, 120) + " is " + e.getBoundingClientRect().width + " pixels wide")`

// faultless fails the test for faults that a person would see at once and axe-core does not
// find.
func (b *tab) faultless() {
	b.t.Helper()
	for _, fault := range value[[]string](b, grown) {
		b.t.Errorf("%s: an icon is too large: %s", b.path(), fault)
	}
}
