"""RDF terms and graphs: those of rdflib, or small ones if it is missing."""
from __future__ import annotations

import json
from typing import Any, Callable, Dict, Iterable, Iterator, List, Tuple

Triple = Tuple[Any, Any, Any]


class SimpleURIRef(str):
    def n3(self) -> str:
        return "<%s>" % self


class SimpleNamespace(str):
    def __getitem__(self, name: Any) -> Any:
        return URIRef(self + name)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return URIRef(self + name)


class SimpleLiteral(str):
    """A literal. Its text is that of rdflib for the same value."""

    datatype: str | None
    language: str | None

    def __new__(cls, value: Any, lang: str | None = None, datatype: str | None = None) -> "SimpleLiteral":
        self = super().__new__(cls, str(value).lower() if isinstance(value, bool) else value)
        self.datatype, self.language = datatype, lang.lower() if lang else None
        return self

    def _key(self) -> Tuple[str, str | None, str | None]:
        return str(self), self.datatype, self.language

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SimpleLiteral) and self._key() == other._key()

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(self._key())

    def n3(self) -> str:
        text = json.dumps(str(self), ensure_ascii=False)
        return text + ("@" + self.language if self.language else "^^<%s>" % self.datatype if self.datatype else "")


class SimpleGraph:
    """A set of triples in the order of their addition."""

    def __init__(self) -> None:
        self._objects: Dict[Tuple[Any, Any], Dict[Any, None]] = {}
        self._watchers: List[Callable[[Triple], None]] = []

    def add(self, triple: Triple) -> "SimpleGraph":
        if triple not in self:
            for watch in self._watchers:
                watch(triple)
            self._objects.setdefault(triple[:2], {})[triple[2]] = None
        return self

    def objects(self, subject: Any, predicate: Any) -> Iterator[Any]:
        return iter(list(self._objects.get((subject, predicate), ())))

    def bind(self, prefix: str, namespace: Any) -> None:
        pass

    def __contains__(self, triple: Triple) -> bool:
        return triple[2] in self._objects.get(triple[:2], ())

    def __iter__(self) -> Iterator[Triple]:
        return ((s, p, o) for (s, p), objects in list(self._objects.items()) for o in list(objects))

    def __len__(self) -> int:
        return sum(map(len, self._objects.values()))

    def parse(self, **source: Any) -> None:
        raise ImportError("reading RDF needs rdflib: pip install rdflib")

    def serialize(self, format: str = "turtle") -> str:
        """Writes N-Triples, which are Turtle too."""
        if format not in ("turtle", "ttl", "nt", "ntriples"):
            raise ImportError("%s needs rdflib: pip install rdflib" % format)
        return "".join("%s %s %s .\n" % tuple(term.n3() for term in triple) for triple in self)


BNode: Any
Graph: Any
Literal: Any
Namespace: Any
URIRef: Any
try:
    import rdflib
    from rdflib.store import TripleAddedEvent
except ImportError:
    BNode = type("BNode", (str,), {})
    Graph, Literal, Namespace, URIRef = SimpleGraph, SimpleLiteral, SimpleNamespace, SimpleURIRef
    FOAF: Any = Namespace("http://xmlns.com/foaf/0.1/")
    OWL: Any = Namespace("http://www.w3.org/2002/07/owl#")
    PROV: Any = Namespace("http://www.w3.org/ns/prov#")
    RDF: Any = Namespace("http://www.w3.org/1999/02/22-rdf-syntax-ns#")
    RDFS: Any = Namespace("http://www.w3.org/2000/01/rdf-schema#")
    XSD: Any = Namespace("http://www.w3.org/2001/XMLSchema#")
else:
    BNode, Graph, Literal = rdflib.BNode, rdflib.Graph, rdflib.Literal
    Namespace, URIRef = rdflib.Namespace, rdflib.URIRef
    FOAF, OWL, PROV, RDF, RDFS, XSD = rdflib.FOAF, rdflib.OWL, rdflib.PROV, rdflib.RDF, rdflib.RDFS, rdflib.XSD

TYPE = RDF.type


class News:
    """The triples of a graph that were not taken yet."""

    def __init__(self, graph: Any) -> None:
        self.graph = graph
        self._new: List[Triple] | None = None  # None for all
        if isinstance(graph, SimpleGraph):
            graph._watchers.append(self._note)
        else:
            graph.store.dispatcher.subscribe(TripleAddedEvent, lambda event: self._note(event.triple))

    def _note(self, triple: Triple) -> None:
        """Notes a triple before it is added."""
        if self._new is not None and triple not in self.graph:
            self._new.append(triple)

    def take(self) -> List[Triple]:
        new, self._new = self._new, []
        return list(self.graph) if new is None else [t for t in dict.fromkeys(new) if t in self.graph]

    def forget(self) -> None:
        """Makes all triples new again."""
        self._new = None


def documents(triples: Iterable[Triple], size: int) -> Iterator[List[Dict[str, Any]]]:
    """Writes triples as JSON-LD documents of about so many bytes. All blank nodes are in the first."""
    blank: Dict[str, Dict[str, Any]] = {}
    nodes: Dict[str, Dict[str, Any]] = {}
    for s, p, o in triples:
        part = blank if isinstance(s, BNode) or isinstance(o, BNode) else nodes
        node = part.setdefault(name(s), {"@id": name(s)})
        if p == TYPE and not isinstance(o, Literal):
            node.setdefault("@type", []).append(name(o))
        else:
            node.setdefault(str(p), []).append(term(o))
    document, length = list(blank.values()), 0
    for node in nodes.values():
        length += len(json.dumps(node))
        if document and length > size:
            yield document
            document, length = [], len(json.dumps(node))
        document.append(node)
    if document:
        yield document


def name(resource: Any) -> str:
    return "_:" + resource if isinstance(resource, BNode) else str(resource)


def term(o: Any) -> Dict[str, str]:
    if not isinstance(o, Literal):
        return {"@id": name(o)}
    if o.language:
        return {"@value": str(o), "@language": o.language}
    return {"@value": str(o), "@type": str(o.datatype)} if o.datatype else {"@value": str(o)}
