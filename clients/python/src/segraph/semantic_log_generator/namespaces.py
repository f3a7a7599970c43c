"""The vocabularies that SEGB uses."""
from ._rdf import FOAF, OWL, PROV, RDF, RDFS, XSD, Namespace

__all__ = ["AMOR", "AMOR_EXP", "DEFAULT_PREFIXES", "EMOML", "FOAF", "MLS", "OA", "ONYX", "ORO", "OWL", "PROV", "RDF",
           "RDFS", "SCHEMA", "SEGB", "SOSA", "XSD"]

SEGB = Namespace("http://www.gsi.upm.es/ontologies/segb/ns#")
AMOR = Namespace("http://www.gsi.upm.es/ontologies/amor/ns#")
AMOR_EXP = Namespace("http://www.gsi.upm.es/ontologies/amor/experiments/ns#")
MLS = Namespace("http://www.w3.org/ns/mls#")
ORO = Namespace("http://kb.openrobots.org#")
ONYX = Namespace("http://www.gsi.upm.es/ontologies/onyx/ns#")
EMOML = Namespace("http://www.gsi.upm.es/ontologies/onyx/vocabularies/emotionml/ns#")
OA = Namespace("http://www.w3.org/ns/oa#")
SCHEMA = Namespace("http://schema.org/")
SOSA = Namespace("http://www.w3.org/ns/sosa/")

DEFAULT_PREFIXES = {
    "rdf": RDF, "rdfs": RDFS, "owl": OWL, "xsd": XSD, "prov": PROV, "foaf": FOAF, "schema": SCHEMA, "sosa": SOSA,
    "oa": OA, "segb": SEGB, "amor": AMOR, "mls": MLS, "oro": ORO, "onyx": ONYX, "emoml": EMOML,
}
