"""RDF terms and graphs: those of rdflib, or small ones if it is missing."""
from __future__ import annotations

import collections
import json
import re
import time
from typing import Any, Callable, Deque, Dict, Iterable, Iterator, List, Tuple

from .._terms import LANGUAGE

Triple = Tuple[Any, Any, Any]

_absolute = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:[^\x00-\x20<>\"{}|^`\\]*")
LINE_TRIPLES = 4000  # the service takes 4,096


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
        if format not in ("turtle", "ttl", "nt", "ntriples"):
            raise ImportError("%s needs rdflib: pip install rdflib" % format)
        return turtle(self)


BNode: Any
Graph: Any
Literal: Any
Namespace: Any
URIRef: Any
try:
    import rdflib
    from rdflib.store import TripleAddedEvent
except ImportError:
    BNode = type("BNode", (str,), {"n3": lambda self: "_:" + self})
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
        self._all = True  # are new
        self._new: Deque[Tuple[Triple, float]] = collections.deque()  # with the time; its methods are atomic
        if isinstance(graph, SimpleGraph):
            graph._watchers.append(self._note)
        else:
            graph.store.dispatcher.subscribe(TripleAddedEvent, lambda event: self._note(event.triple))

    def _note(self, triple: Triple) -> None:
        """Notes a triple before it is added."""
        if triple not in self.graph:
            self._new.append((triple, time.monotonic()))

    def take(self) -> List[Triple]:
        noted = dict(self._new.popleft() for _ in range(len(self._new)))
        found = dict.fromkeys(self.graph if self._all else filter(self.graph.__contains__, noted))
        self._all, recent = False, time.monotonic() - 60  # other threads may be adding what is not there yet
        self._new.extend((triple, at) for triple, at in noted.items() if triple not in found and at > recent)
        return list(found)

    def put_back(self, triples: List[Triple]) -> None:
        self._new.extend((triple, time.monotonic()) for triple in triples)

    def forget(self) -> None:
        """Makes all triples new again."""
        self._all = True


def parts(triples: Iterable[Triple], size: int) -> Iterator[List[Triple]]:
    """Divides triples into parts whose nodes have about so many bytes. Triples that hang together by blank nodes stay
    together, and so do those of a subject, unless they are too long."""
    triples = list(triples)
    parent: Dict[Any, Any] = {}

    def root(blank: Any) -> Any:
        while parent.setdefault(blank, blank) != blank:
            parent[blank] = blank = parent[parent[blank]]
        return blank

    for s, _, o in triples:
        if isinstance(s, BNode) and isinstance(o, BNode):
            parent[root(s)] = root(o)
    groups: Dict[Any, List[Triple]] = {}
    for triple in triples:
        blank = [term for term in triple if isinstance(term, BNode)]
        groups.setdefault((root(blank[0]),) if blank else triple[0], []).append(triple)
    found: List[Triple] = []
    length = 0
    for key, group in groups.items():
        split = not isinstance(key, tuple) and (measure(group) > size or len(group) > LINE_TRIPLES)
        for part in [[triple] for triple in group] if split else [group]:
            more = measure(part)
            if found and (length + more > size or len(found) + len(part) > LINE_TRIPLES):
                yield found
                found, length = [], 0
            found.extend(part)
            length += more
    if found:
        yield found


def measure(triples: List[Triple]) -> int:
    return sum(len(json.dumps([name(s), str(p), term(o)])) for s, p, o in triples)


def nodes(triples: Iterable[Triple]) -> List[Dict[str, Any]]:
    """Writes triples as a JSON-LD document."""
    found: Dict[str, Dict[str, Any]] = {}
    for s, p, o in triples:
        node = found.setdefault(name(s), {"@id": name(s)})
        if p == TYPE and not isinstance(o, Literal):
            node.setdefault("@type", []).append(name(o))
        else:
            node.setdefault(str(p), []).append(term(o))
    return list(found.values())


def turtle(triples: Iterable[Triple]) -> str:
    """Writes triples as N-Triples, which are Turtle too."""
    return "".join("%s %s %s .\n" % tuple(term.n3() for term in triple) for triple in triples)


def valid(triple: Triple) -> bool:
    """Reports whether the service takes a triple: another one would be refused with all of its line."""
    s, p, o = triple
    if not isinstance(o, Literal):
        good = is_resource(o)
    elif o.language:
        good = LANGUAGE.fullmatch(o.language) is not None
    else:
        good = not o.datatype or o.datatype != RDF.langString and _absolute.fullmatch(o.datatype) is not None
    return good and is_resource(s) and is_resource(p) and not isinstance(p, BNode)


def is_resource(t: Any) -> bool:
    return isinstance(t, BNode) or isinstance(t, str) and not isinstance(t, Literal) and _absolute.fullmatch(t) is not None


def name(resource: Any) -> str:
    return "_:" + resource if isinstance(resource, BNode) else str(resource)


def term(o: Any) -> Dict[str, str]:
    if not isinstance(o, Literal):
        return {"@id": name(o)}
    if o.language:
        return {"@value": str(o), "@language": o.language}
    return {"@value": str(o), "@type": str(o.datatype)} if o.datatype else {"@value": str(o)}
