package httpapi

import (
	"net/http/httptest"
	"testing"

	"github.com/segraph/segraph/auth"
)

// BenchmarkPostTTL measures a small post without the network and the disk.
func BenchmarkPostTTL(b *testing.B) {
	s := newService(b)
	request := call{method: "POST", path: "/ttl", body: ttl(robotLog, "ari"), token: s.token(b, auth.Logger)}
	b.ReportAllocs()
	for b.Loop() {
		w := httptest.NewRecorder()
		s.Handler().ServeHTTP(w, request.request())
		if w.Code != 201 {
			b.Fatal(w.Body)
		}
	}
}

// robotLog has 14 triples, like a typical post of a robot.
const robotLog = `@prefix ex: <https://example.org/robots/ari/> .
@prefix oro: <http://kb.openrobots.org#> .
@prefix prov: <http://www.w3.org/ns/prov#> .
@prefix schema: <http://schema.org/> .
@prefix segb: <http://www.gsi.upm.es/ontologies/segb/ns#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .

ex:listening_1 a oro:ListeningEvent, segb:LoggedActivity, prov:Activity ;
    segb:wasPerformedBy ex:ari ;
    prov:wasAssociatedWith ex:ari ;
    prov:startedAtTime "2026-06-04T11:53:18.739212+00:00"^^xsd:dateTime ;
    prov:endedAtTime "2026-06-04T11:53:19.739212+00:00"^^xsd:dateTime ;
    segb:producedEntityResult ex:message_1 ;
    prov:generated ex:message_1 .

ex:message_1 a schema:Message, prov:Entity, oro:InitialMessage ;
    schema:text "Hello, how are you?"@en ;
    prov:wasGeneratedBy ex:listening_1 .
`
