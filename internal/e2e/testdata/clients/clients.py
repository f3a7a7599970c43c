"""Runs rdflib, SPARQLWrapper and pyoxigraph against the service at the URL in the first argument.

For each thing it does it writes a line: client, version, what was done, and the result, separated by tabs.
"""
import importlib.metadata
import sys
import urllib.request
import warnings

import pyoxigraph
import rdflib
import SPARQLWrapper
from rdflib.plugins.stores.sparqlstore import SPARQLStore

warnings.simplefilter("ignore")  # rdflib announces what it will rename
api = sys.argv[1]
endpoint, graphs = api + "/query", api + "/rdf-graph-store"
SELECT = "SELECT ?s ?text { ?s <http://e/text> ?text } ORDER BY ?text"
ASK = "ASK { <http://e/m1> <http://e/text> 'Hello'@en }"
CONSTRUCT = "CONSTRUCT WHERE { ?s <http://e/text> ?text }"
DESCRIBE = "DESCRIBE <http://e/m1>"
UPDATE = "CLEAR ALL"


def say(client, what, do):
    try:
        result = do()
    except Exception as e:
        result = "%s: %s" % (type(e).__name__, e)
    print(client, importlib.metadata.version(client), what, " ".join(str(result).split()), sep="\t", flush=True)


def refused(do):
    try:
        do()
    except Exception as e:
        text = str(e) + str(getattr(e, "read", bytes)())
        return "refused, with the reason" if "POST /ttl adds triples" in text else "refused: " + text
    return "not refused"


for method in ["GET", "POST", "POST_FORM"]:
    store = rdflib.Graph(store=SPARQLStore(endpoint, method=method))
    say("rdflib", "SELECT by " + method, lambda: [row.text.n3() for row in store.query(SELECT)])
    say("rdflib", "ASK by " + method, lambda: store.query(ASK).askAnswer)
    say("rdflib", "CONSTRUCT by " + method, lambda: len(store.query(CONSTRUCT).graph))
    say("rdflib", "DESCRIBE by " + method, lambda: len(store.query(DESCRIBE).graph))
store = rdflib.Graph(store=SPARQLStore(endpoint))
say("rdflib", "triples()", lambda: len(list(store.triples((None, rdflib.URIRef("http://e/text"), None)))))
say("rdflib", "len()", lambda: len(store))
for form in ["json", "xml", "csv", "tsv"]:
    say("rdflib", "SELECT as " + form, lambda: len(rdflib.Graph(store=SPARQLStore(endpoint, returnFormat=form)).query(SELECT)))
say("rdflib", "SERVICE", lambda: len(rdflib.Graph().query("SELECT * { SERVICE <%s> { ?s <http://e/text> ?t } }" % endpoint)))
say("rdflib", "parse /events", lambda: len(rdflib.Graph().parse(api + "/events")))
say("rdflib", "parse the default graph", lambda: len(rdflib.Graph().parse(graphs + "?default")))
sd = rdflib.Namespace("http://www.w3.org/ns/sparql-service-description#")


def description():
    graph = rdflib.Graph().parse(endpoint)
    service = graph.value(predicate=rdflib.RDF.type, object=sd.Service, any=False)
    dataset = graph.value(service, sd.defaultDataset, any=False)
    named = [str(name) for graph_in_it in graph.objects(dataset, sd.namedGraph) for name in graph.objects(graph_in_it, sd.name)]
    supported = [*graph.objects(service, sd.supportedLanguage), *graph.objects(service, sd.supportedVersion)]
    return ", ".join(sorted(named + [iri.split("#")[1] for iri in supported]))


say("rdflib", "parse the service description", description)


def wrapped(query, **more):
    w = SPARQLWrapper.SPARQLWrapper(endpoint, **more)
    w.setQuery(query)
    return w


say("SPARQLWrapper", "SELECT", lambda: len(wrapped(SELECT).query().convert().getElementsByTagName("result")))
say("SPARQLWrapper", "ASK", lambda: wrapped(ASK).query().convert().getElementsByTagName("boolean")[0].firstChild.data)
say("SPARQLWrapper", "CONSTRUCT", lambda: len(wrapped(CONSTRUCT).query().convert()))
say("SPARQLWrapper", "DESCRIBE", lambda: len(wrapped(DESCRIBE).query().convert()))
for form in [SPARQLWrapper.JSON, SPARQLWrapper.CSV, SPARQLWrapper.TSV, SPARQLWrapper.XML]:
    say("SPARQLWrapper", "SELECT as " + form, lambda: type(wrapped(SELECT, returnFormat=form).query().convert()).__name__)
for form in [SPARQLWrapper.TURTLE, SPARQLWrapper.N3, SPARQLWrapper.RDFXML, SPARQLWrapper.JSONLD]:
    say("SPARQLWrapper", "CONSTRUCT as " + form, lambda: len(g) if hasattr(g := wrapped(CONSTRUCT, returnFormat=form).query().convert(), "parse") else type(g).__name__)
w = wrapped(SELECT)
w.setMethod(SPARQLWrapper.POST)
say("SPARQLWrapper", "SELECT by POST", lambda: len(w.query().convert().getElementsByTagName("result")))
w = wrapped(UPDATE)
w.setMethod(SPARQLWrapper.POST)
say("SPARQLWrapper", "update", lambda: refused(w.query))
d = wrapped(UPDATE)
d.setMethod(SPARQLWrapper.POST)
d.setRequestMethod(SPARQLWrapper.POSTDIRECTLY)
say("SPARQLWrapper", "update by POST directly", lambda: refused(d.query))


def parsed(path, media):
    """Parses an export in pyoxigraph's strict mode and returns its canonical form."""
    request = urllib.request.Request(api + path, headers={"Accept": media})
    with urllib.request.urlopen(request) as answer:
        form = pyoxigraph.RdfFormat.from_media_type(answer.headers["Content-Type"])
        assert media.startswith(form.media_type.split(";")[0]), form
        found = pyoxigraph.Dataset(pyoxigraph.parse(answer.read(), format=form, lenient=False))
    found.canonicalize(pyoxigraph.CanonicalizationAlgorithm.UNSTABLE)
    return found


construct = "/query?query=CONSTRUCT+WHERE+%7B+%3Fs+%3Fp+%3Fo+%7D"
want = parsed("/events", "application/n-triples")
for path in ["/events", "/rdf-graph-store?default", construct, "/query"]:
    for media in ["text/turtle", "application/n-triples", "application/rdf+xml", "application/ld+json", "application/trig", "application/n-quads"]:
        same = parsed("/query", "application/n-triples") if path == "/query" else want
        say("pyoxigraph", "parse %s as %s" % (path.split("=")[0], media), lambda: "the same %d triples" % len(same) if parsed(path, media) == same else "another graph")
