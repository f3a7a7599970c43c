"""Answers queries for TestRandomQueries, and reads and writes documents for TestRandomDocuments, with pyoxigraph.

It reads a JSON object from each line: "load" holds N-Quads, which replace the data; "ask" holds queries; "read" holds
documents: text, its format, and another format. It writes a line when the data is there, one for each query: its
answer as SPARQL JSON or N-Triples, or "!" and an error, and one for each document: its quads as N-Quads and in the
other format, or "!" and an error.
"""
import json
import os
import resource
import sys

import pyoxigraph as ox

resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30))  # a join of everything with everything ends here
out = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)
print("ready", file=out, flush=True)
store = None


def ask(text):
    try:
        answer = store.query(text)
        graph = isinstance(answer, ox.QueryTriples)
        form = ox.RdfFormat.N_TRIPLES if graph else ox.QueryResultsFormat.JSON
        return json.dumps(answer.serialize(format=form).decode()) if graph else answer.serialize(format=form).decode()
    except Exception as e:
        return "!" + " ".join(str(e).split())[:300]


formats = {
    "Turtle": ox.RdfFormat.TURTLE, "N-Triples": ox.RdfFormat.N_TRIPLES, "TriG": ox.RdfFormat.TRIG, "N-Quads": ox.RdfFormat.N_QUADS,
    "RDF/XML": ox.RdfFormat.RDF_XML, "JSON-LD": ox.RdfFormat.JSON_LD,
}


def read(text, form, other):
    try:
        quads = list(ox.parse(input=text.encode(), format=formats[form], lenient=False))
        return json.dumps([ox.serialize(quads, format=f).decode() for f in (ox.RdfFormat.N_QUADS, formats[other])])
    except Exception as e:
        return "!" + " ".join(str(e).split())[:300]


for line in sys.stdin:
    asked = json.loads(line)
    if "load" in asked:
        store = ox.Store()
        store.load(input=asked["load"].encode(), format=ox.RdfFormat.N_QUADS)
        print("ready", file=out, flush=True)
    for text in asked.get("ask", []):
        print(ask(text), file=out, flush=True)
    for document in asked.get("read", []):
        print(read(*document), file=out)
    out.flush()
