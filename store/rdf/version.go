package rdf

// Version is a version of RDF that data conforms to (RDF 1.2 Concepts, section 2.1). Data
// of RDF 1.1 conforms to the other two as well, and data of RDF 1.2 Basic to RDF 1.2. The
// zero value is RDF 1.2.
type Version uint8

// The versions, by decreasing content.
const (
	RDF12      Version = iota
	RDF12Basic         // RDF 1.2 without triple terms
	RDF11              // without base directions, too
)

// VersionLabels lists the labels of the versions, for messages.
const VersionLabels = `"1.1", "1.2-basic" and "1.2"`

var versionLabels = [...]string{RDF12: "1.2", RDF12Basic: "1.2-basic", RDF11: "1.1"}

// String returns the label of a version, such as "1.2".
func (v Version) String() string { return versionLabels[v] }

// VersionOf returns the version with a label. Labels are case-sensitive.
func VersionOf(label string) (v Version, ok bool) {
	for v, l := range versionLabels {
		if l == label {
			return Version(v), true
		}
	}
	return RDF12, false
}

// Admits reports whether data that needs a version conforms to v.
func (v Version) Admits(data Version) bool { return data >= v }

// Version returns the lowest version that has a term.
func (t Term) Version() Version {
	switch {
	case t.IsTriple():
		return RDF12
	case t.tag != "" && t.tag[0] == '@' && t.Direction() != "":
		return RDF12Basic
	}
	return RDF11
}
