package e2e

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/segraph/segraph/internal/suite"
)

// TestEnginesOnShops runs the eight queries of testdata/shop in the engines of
// TestOtherEngines. The queries have the shapes of the business intelligence use case of
// the Berlin SPARQL Benchmark, and the data has its shape and sizes: 2,785 products are 1
// M triples.
//
//	SEGRAPH_LONG=1 SEGRAPH_ENGINES=venv/bin/python go test -count=1 -timeout 1h -run EnginesOnShops -v ./internal/e2e
func TestEnginesOnShops(t *testing.T) {
	products := 278
	if suite.Long() {
		products = 2785
	}
	only := otherEngines(t)
	path := filepath.Join(t.TempDir(), "shop.ttl")
	if err := writeShop(path, products); err != nil {
		t.Fatal(err)
	}
	compareOn(t, path, only, filepath.Join("testdata", "shop"))
}

// shop writes products with offers of vendors and reviews of people.
type shop struct {
	*rand.Rand
	out                                                            *bufio.Writer
	products, producers, vendors, people, types, features, reviews int
}

// writeShop writes the data for the given number of products as Turtle. The result is
// always the same. The ratios of the numbers are those of the benchmark.
func writeShop(path string, products int) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close() // already closed below unless an error occurred
	s := &shop{Rand: rand.New(rand.NewPCG(3, 8)), out: bufio.NewWriter(f), products: products,
		producers: products/51 + 1, vendors: products/100 + 1, people: products/2 + 1, types: 151, reviews: 10 * products}
	s.features = s.types * 31
	s.out.WriteString("@prefix : <http://example.org/shop#> . @prefix i: <http://example.org/shop/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n" +
		"@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .\n")
	for i := range s.types {
		fmt.Fprintf(s.out, "i:type%d a :ProductType ; rdfs:label %q ; rdfs:comment %q .\n", i, s.words(2), s.words(20))
		if i > 0 {
			fmt.Fprintf(s.out, "i:type%d rdfs:subClassOf i:type%d .\n", i, (i-1)/5)
		}
	}
	for i := range s.features {
		fmt.Fprintf(s.out, "i:feature%d a :ProductFeature ; rdfs:label %q ; rdfs:comment %q .\n", i, s.words(2), s.words(10))
	}
	for i := range s.producers {
		s.from("producer", "Producer", i)
	}
	for i := range s.vendors {
		s.from("vendor", "Vendor", i)
	}
	for i := range s.people {
		s.from("person", "Person", i)
	}
	for i := range products {
		s.product(i)
	}
	for i := range 20 * products {
		s.offer(i)
	}
	for i := range s.reviews {
		s.review(i)
	}
	if err := s.out.Flush(); err != nil {
		return err
	}
	return f.Close()
}

// countries lists the countries of producers, vendors and people, most often the first.
var countries = []string{"US", "US", "US", "US", "GB", "GB", "JP", "CN", "DE", "FR", "ES", "RU", "KR", "AT"}

func (s *shop) from(name, class string, i int) {
	fmt.Fprintf(s.out, "i:%s%d a :%s ; rdfs:label %q ; :country :%s .\n", name, i, class, s.words(2), countries[s.IntN(len(countries))])
}

func (s *shop) product(i int) {
	fmt.Fprintf(s.out, "i:product%d a :Product ; rdfs:label %q ; rdfs:comment %q ; :producer i:producer%d ; :number1 %d ; :number2 %d ; :number3 %d ; :text1 %q ; :text2 %q ; :text3 %q .\n",
		i, s.words(3), s.words(40), i*s.producers/s.products, 1+s.IntN(2000), 1+s.IntN(2000), 1+s.IntN(2000), s.words(8), s.words(8), s.words(8))
	for t := 31 + s.IntN(s.types-31); ; t = (t - 1) / 5 { // a type without subtypes, and its supertypes
		fmt.Fprintf(s.out, "i:product%d a i:type%d .\n", i, t)
		for range 6 {
			fmt.Fprintf(s.out, "i:product%d :feature i:feature%d .\n", i, t*31+s.IntN(31))
		}
		if t == 0 {
			return
		}
	}
}

func (s *shop) date(from, days int) string {
	n := from + s.IntN(days)
	return fmt.Sprintf(`"2008-%02d-%02dT00:00:00"^^xsd:dateTime`, 1+n/28%12, 1+n%28)
}

func (s *shop) offer(i int) {
	fmt.Fprintf(s.out, "i:offer%d a :Offer ; :product i:product%d ; :vendor i:vendor%d ; :price \"%d.%02d\"^^:USD ; :validFrom %s ; :validTo %s ; :days %d ; :page <http://vendor%[3]d.example/offer%[1]d> .\n",
		i, s.IntN(s.products), s.some(s.vendors), 5+s.IntN(9995), s.IntN(100), s.date(0, 150), s.date(151, 180), 1+s.IntN(21))
}

// some returns a number below n; small ones are more frequent.
func (s *shop) some(n int) int { return min(s.IntN(n), s.IntN(n)) }

func (s *shop) review(i int) {
	fmt.Fprintf(s.out, "i:review%d a :Review ; :of i:product%d ; :by i:person%d ; :date %s ; :title %q@en ; :body %q@%s", i, s.some(s.products), s.IntN(s.people),
		s.date(0, 336), s.words(8), s.words(60), []string{"en", "de", "ja", "es"}[s.IntN(4)])
	for rating := range 4 {
		if s.IntN(10) < 7 {
			fmt.Fprintf(s.out, " ; :rating%d %d", rating+1, 1+s.IntN(10))
		}
	}
	s.out.WriteString(" .\n")
}

func (s *shop) words(n int) string {
	list := make([]string, n)
	for i := range list {
		list[i] = "w" + string(rune('a'+s.IntN(26))) + string(rune('a'+s.IntN(26)))
	}
	return strings.Join(list, " ")
}
