"""What Schemathesis needs to know besides the OpenAPI document: texts in languages, and what OpenAPI can't say."""

import itertools
import os
import sys

import schemathesis
from hypothesis import strategies as st
from schemathesis.core.failures import AcceptedNegativeData
from schemathesis.openapi.checks import EnsureResourceAvailability, RejectedPositiveData

# Texts by media type. A schema names theirs as contentMediaType.
TEXTS = {
    "application/sparql-query": [
        "ASK {}",
        "SELECT * { ?s ?p ?o } LIMIT 3",
        "SELECT (COUNT(*) AS ?n) { GRAPH ?g { ?s ?p ?o } }",
        "CONSTRUCT WHERE { ?s ?p ?o } LIMIT 3",
        "DESCRIBE <https://example.org/robots/ari>",
    ],
    "text/turtle": ["<urn:s> <urn:p> 1 .", "[] a <urn:Robot> ; <urn:says> ('¿Qué?' \"no\"@en) ."],
    "application/n-triples": ["<urn:s> <urn:p> _:b .\n"],
    "application/n-quads": ["<urn:s> <urn:p> <urn:o>", '<urn:s> <urn:p> "x"@en <urn:g> .'],
    "application/ld+json": ['{"@id": "urn:s", "urn:p": [1.5, {"@list": ["x"]}]}'],
    "application/rdf+xml": [
        '<r:RDF xmlns:r="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:e="urn:e:">'
        '<e:Robot r:about="urn:s"><e:says>x</e:says></e:Robot></r:RDF>'
    ],
    "application/x-ndjson": [
        '{"key": "ari-1", "graph": {"@id": "urn:s", "urn:p": 1}, "observation": {"event_kind": "wave", "observed_at": 0},'
        ' "about": "urn:s"}\n{"key": "ari-2", "graph": {"@id": "urn:s", "urn:p": 2}}\n'
    ],
    "application/x-pem-file": [
        f"-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEA{key}=\n-----END PUBLIC KEY-----\n"
        for key in [
            "iojj3XQJ8ZX9UtstPLpdcspnCb8dlBIb83SIAbQPb1w",
            "gTl3Dqh9F19Wo1Rmw0x+zMuNipG07jeiXfYPW4/Js5Q",
            "7UkoxijRwsbq6QM4kFmVYSlZJzpcY/k2NsFGFKyHN9E",
            "ypOsFwUYcHHWe4PH/w7+gQjo7EUwV113JoeTM9vavnw",
            "bnoc3Smwt4/ROvTFWY/v9O8qlxZuPKby5Pv8zYBQW/E",
            "iodf/x6zhFFXes1a/uQFRWVo3XyJ4JCGOgVXvHr0nxc",
            "6kpsY+KcUgq+9VB7Ey7F+ZVHdq6+vnuSQh7qaRRG0iw",
            "E5j2LG0aRXxRumpLXz29L2n8qTIWIY3ImX5Ba9F9k8o",
            "/RckOFqgx1tk+3jNYC+h2ZH96/drE8WO1wLqyDXp9hg",
            "Q6cucUQBdi32a2jCbfvfJoKq7J8kdOykYT5CSg+6/Tw",
            "Zr5+Myx6RTMyvZ0Kf32wVfXF7xoGraZtmLOftoEMRzo",
            "C1E62bSSQBXKCQLtB5BE06xdvsIwbwaUjBDajrbjny0",
        ]
    ],
}

for media, texts in TEXTS.items():
    schemathesis.openapi.format(media, st.sampled_from(texts))

# Schemathesis would make JSON and XML of its own.
for media in ["application/ld+json", "application/rdf+xml"]:
    schemathesis.openapi.media_type(media, st.sampled_from([text.encode() for text in TEXTS[media]]))

PACK = "application/vnd.segraph.pack"
schemathesis.openapi.media_type(PACK, st.binary(max_size=64))

LINES = ["application/x-ndjson", "application/jsonl", "application/json-lines"]
PLAIN = ["application/sparql-query", "text/turtle", "application/n-triples", PACK, *LINES]


@schemathesis.serializer(*PLAIN)
def serialize(context, value):
    return value if isinstance(value, bytes) else str(value).encode()


@schemathesis.hook
def before_load_schema(context, raw_schema):
    def visit(node):
        if isinstance(node, dict):
            if node.get("contentMediaType") in TEXTS:
                node["format"] = node["contentMediaType"]
            node = node.values()
        if not isinstance(node, str | int | float | None):
            for child in node:
                visit(child)

    visit(raw_schema)
    if "stateful" in sys.argv:  # it would take X-Request-ID for the id of a resource, which nothing makes
        for path in raw_schema["paths"].values():
            for operation in path.values():
                operation["parameters"] = [p for p in operation.get("parameters", []) if p["name"] != "X-Request-ID"]


# Refusals of requests that fit the document: the status, what the problem document says, and why the document can't
# say it.
REFUSED = [
    (400, "choose one graph:", "exactly one of two parameters must be given"),
    (422, '"query" is missing; it holds', "GET /query needs it unless there are no parameters at all"),
    (422, "with a json body this path accepts no parameters", "a parameter goes with some media types only"),
    (422, "of must be another robot", "two members must differ"),
    (422, "to must be later", "one member must be greater than another"),
    (422, "the username has", "lengths in JSON Schema count characters, and this one bytes"),
    (422, "say what must be kept", "exactly one of several members must be given"),
    (422, "of which from is earlier", "one member must be greater than another"),
    (422, "must end in the future", "a member must be later than now"),
    (422, "has no control characters", "the pattern of IRIs is that of Turtle"),
    (422, "must not name the person", "one member must not contain another"),
    (422, "no triples can be proved for this query", "only some kinds of queries have triples"),
    (422, "the query must be a select whose first column", "only some queries choose logs"),
    (422, "the case has no candidate", "docs/shared-contexts.md: a status of old clients for what is a matter of state"),
    (422, "format", "the kind of a query decides which formats it has"),
]


@schemathesis.hook
def filter_failure(context, failure, case, response):
    if isinstance(failure, AcceptedNegativeData):
        plain = case.media_type in PLAIN and not isinstance(case.body, str)  # any bytes are text
        # Clients send several names of a format, and the first that is known counts.
        several = "format" in (case.query or {}) and isinstance(case.body, dict) and "format" in case.body
        return not plain and not several
    if isinstance(failure, EnsureResourceAvailability):
        return "it was cancelled" not in response.text  # an erasure, by an earlier request of the scenario
    if not isinstance(failure, RejectedPositiveData):
        return True
    detail = response.json().get("detail", "").lower()
    return not any(response.status_code == status and text in detail for status, text, _ in REFUSED)


KEY = "Idempotency-Key"
numbers = itertools.count()


@schemathesis.hook
def before_call(context, case, kwargs):
    """Makes keys unique, as clients do: with another body, a key that was used before is refused."""
    key = (case.headers or {}).get(KEY)
    if key and case.meta and case.meta.generation.mode.is_positive:
        case.headers[KEY] = f"{os.getpid()}-{next(numbers)}"


def deserialize(context, response):
    return response.text


schemathesis.deserializer("text/csv", "text/html")(deserialize)
