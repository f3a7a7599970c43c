"""published.py URL FOLDER publishes the scene of scenario.py to a service without data, twice, and compares what it
stores with the logger's graph. It needs rdflib."""
import sys

import base  # noqa: F401  the path of the client
import rdflib
import rdflib.compare
import scenario
from segraph.semantic_log_generator import SEGBPublisher

url, folder = sys.argv[1:]
log = scenario.play("segraph.semantic_log_generator")
log.merge_turtle('<https://x.example/> <https://p.example/> [ <https://q.example/> '
                 '("one" 2 3.50 4e0 true "zw\u00f6lf"@de) ] .')
publisher = SEGBPublisher(base_url=url, queue_file=folder + "/queue")
for queued in len(log.graph), 0:
    answer = log.publish(publisher)
    assert answer["queued"] == queued, answer
assert publisher._outlet.flush(30), publisher._outlet.status()
stored = rdflib.Graph().parse(url + "/events", format="turtle")
assert rdflib.compare.isomorphic(stored, log.graph), "%d triples of %d" % (len(stored), len(log.graph))
print(len(stored), "triples")
