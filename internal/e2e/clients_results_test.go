package e2e

// clientResults holds the results that TestSPARQLClients expects: a client, its action,
// and the result.
var clientResults = map[string]string{
	"Java": `
Jena rsparql | SELECT | s,text http://e/m1,Hello http://e/m1,¡Hola!
Jena rsparql | ASK | Ask => Yes
Jena rsparql | CONSTRUCT | 2
Jena rsparql | DESCRIBE | 13
Jena RDFConnection | SELECT | Hello@en ¡Hola!@es-419
Jena RDFConnection | ASK | true
Jena RDFConnection | CONSTRUCT | 2
Jena RDFConnection | DESCRIBE | 13
Jena RDFConnection | fetch() | 13
Jena RDFConnection | fetch(contexts) | 0
Jena RDFConnection | fetch(unknown) | org.apache.jena.atlas.web.HttpException: 404 - Not Found
Jena RDFConnection | update | refused, with the reason
Jena RDFConnection | put | refused, with the reason
RDF4J SPARQLRepository | SELECT | ["Hello"@en, "¡Hola!"@es-419]
RDF4J SPARQLRepository | ASK | true
RDF4J SPARQLRepository | CONSTRUCT | 2
RDF4J SPARQLRepository | DESCRIBE | 13
RDF4J SPARQLRepository | getStatements() | 13
RDF4J SPARQLRepository | getContextIDs() | []
RDF4J SPARQLRepository | size() | 13
RDF4J SPARQLRepository | isEmpty() | false
RDF4J SPARQLRepository | update | refused, with the reason
`,
	"JavaScript": `
@comunica/query-sparql | SELECT as sparql | Hello,¡Hola!
@comunica/query-sparql | ASK as sparql | true
@comunica/query-sparql | CONSTRUCT as sparql | 2
@comunica/query-sparql | SELECT by the service description | Hello,¡Hola!
@comunica/query-sparql | ASK by the service description | true
@comunica/query-sparql | CONSTRUCT by the service description | 2
@comunica/query-sparql | SELECT over /events | Hello,¡Hola!
@comunica/query-sparql | ASK over /events | true
@comunica/query-sparql | CONSTRUCT over /events | 2
@comunica/query-sparql | SELECT over the default graph | Hello,¡Hola!
@comunica/query-sparql | ASK over the default graph | true
@comunica/query-sparql | CONSTRUCT over the default graph | 2
@comunica/query-sparql | update | refused: Invalid SPARQL endpoint response from API/query (HTTP status 400): empty response
fetch-sparql-endpoint | SELECT by GET | Hello,¡Hola!
fetch-sparql-endpoint | ASK by GET | true
fetch-sparql-endpoint | CONSTRUCT by GET | 2
fetch-sparql-endpoint | DESCRIBE by GET | 13
fetch-sparql-endpoint | SELECT by POST | Hello,¡Hola!
fetch-sparql-endpoint | ASK by POST | true
fetch-sparql-endpoint | CONSTRUCT by POST | 2
fetch-sparql-endpoint | DESCRIBE by POST | 13
fetch-sparql-endpoint | update | refused: Invalid SPARQL endpoint response from API/query (HTTP status 400): empty response
sparql-http-client | SELECT by get | Hello,¡Hola!
sparql-http-client | ASK by get | true
sparql-http-client | CONSTRUCT by get | 2
sparql-http-client | SELECT by postUrlencoded | Hello,¡Hola!
sparql-http-client | ASK by postUrlencoded | true
sparql-http-client | CONSTRUCT by postUrlencoded | 2
sparql-http-client | SELECT by postDirect | Hello,¡Hola!
sparql-http-client | ASK by postDirect | true
sparql-http-client | CONSTRUCT by postDirect | 2
sparql-http-client | SELECT as a stream | 2
sparql-http-client | CONSTRUCT as a stream | 2
sparql-http-client | get the default graph | 13
sparql-http-client | get the graph of contexts | 0
sparql-http-client | SimpleClient | 2
sparql-http-client | update | refused, with the reason
`,
	"Python": `
rdflib | SELECT by GET | ['"Hello"@en', '"¡Hola!"@es-419']
rdflib | ASK by GET | True
rdflib | CONSTRUCT by GET | 2
rdflib | DESCRIBE by GET | 13
rdflib | SELECT by POST | ['"Hello"@en', '"¡Hola!"@es-419']
rdflib | ASK by POST | True
rdflib | CONSTRUCT by POST | 2
rdflib | DESCRIBE by POST | 13
rdflib | SELECT by POST_FORM | ['"Hello"@en', '"¡Hola!"@es-419']
rdflib | ASK by POST_FORM | True
rdflib | CONSTRUCT by POST_FORM | 2
rdflib | DESCRIBE by POST_FORM | 13
rdflib | triples() | 2
rdflib | len() | 13
rdflib | SELECT as json | 2
rdflib | SELECT as xml | 2
rdflib | SELECT as csv | 2
rdflib | SELECT as tsv | 2
rdflib | SERVICE | 2
rdflib | parse /events | 13
rdflib | parse the default graph | 13
rdflib | parse the service description | SPARQL11Query, SPARQLQuery, urn:segraph:contexts, version-1.0, version-1.1, version-1.2, version-1.2-basic
SPARQLWrapper | SELECT | 2
SPARQLWrapper | ASK | true
SPARQLWrapper | CONSTRUCT | 2
SPARQLWrapper | DESCRIBE | 13
SPARQLWrapper | SELECT as json | dict
SPARQLWrapper | SELECT as csv | bytes
SPARQLWrapper | SELECT as tsv | bytes
SPARQLWrapper | SELECT as xml | Document
SPARQLWrapper | CONSTRUCT as turtle | bytes
SPARQLWrapper | CONSTRUCT as n3 | bytes
SPARQLWrapper | CONSTRUCT as rdf+xml | 2
SPARQLWrapper | CONSTRUCT as json-ld | 2
SPARQLWrapper | SELECT by POST | 2
SPARQLWrapper | update | refused, with the reason
SPARQLWrapper | update by POST directly | refused, with the reason
pyoxigraph | parse /events as text/turtle | the same 13 triples
pyoxigraph | parse /events as application/n-triples | the same 13 triples
pyoxigraph | parse /events as application/rdf+xml | the same 13 triples
pyoxigraph | parse /events as application/ld+json | the same 13 triples
pyoxigraph | parse /events as application/trig | the same 13 triples
pyoxigraph | parse /events as application/n-quads | the same 13 triples
pyoxigraph | parse /rdf-graph-store?default as text/turtle | the same 13 triples
pyoxigraph | parse /rdf-graph-store?default as application/n-triples | the same 13 triples
pyoxigraph | parse /rdf-graph-store?default as application/rdf+xml | the same 13 triples
pyoxigraph | parse /rdf-graph-store?default as application/ld+json | the same 13 triples
pyoxigraph | parse /rdf-graph-store?default as application/trig | the same 13 triples
pyoxigraph | parse /rdf-graph-store?default as application/n-quads | the same 13 triples
pyoxigraph | parse /query?query as text/turtle | the same 13 triples
pyoxigraph | parse /query?query as application/n-triples | the same 13 triples
pyoxigraph | parse /query?query as application/rdf+xml | the same 13 triples
pyoxigraph | parse /query?query as application/ld+json | the same 13 triples
pyoxigraph | parse /query?query as application/trig | the same 13 triples
pyoxigraph | parse /query?query as application/n-quads | the same 13 triples
pyoxigraph | parse /query as text/turtle | the same 32 triples
pyoxigraph | parse /query as application/n-triples | the same 32 triples
pyoxigraph | parse /query as application/rdf+xml | the same 32 triples
pyoxigraph | parse /query as application/ld+json | the same 32 triples
pyoxigraph | parse /query as application/trig | the same 32 triples
pyoxigraph | parse /query as application/n-quads | the same 32 triples
`,
}
