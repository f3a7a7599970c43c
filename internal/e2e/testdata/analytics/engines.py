"""Answers queries for TestOtherEngines with an engine of Python, in this process.

Its arguments are the engine (pyoxigraph or maplib), a Turtle file and a folder to keep a store in. It reads a JSON
object with "query" from each line, and writes one: the milliseconds until the last row was read, and with "rows" asked
for, the answer as SPARQL JSON or N-Triples. A line comes first when the data is loaded.
"""
import json
import os
import resource
import sys
import time


class Oxigraph:
    def __init__(self, data, folder):
        import pyoxigraph
        self.ox = pyoxigraph
        loaded = os.path.exists(folder)
        self.store = pyoxigraph.Store(folder)
        if not loaded:
            self.store.bulk_load(path=data, format=pyoxigraph.RdfFormat.TURTLE)
            self.store.optimize()

    def run(self, text):
        answer = self.store.query(text)
        if not isinstance(answer, self.ox.QueryBoolean):
            for _ in answer:
                pass

    def rows(self, text):
        answer = self.store.query(text)
        graph = isinstance(answer, self.ox.QueryTriples)
        return answer.serialize(format=self.ox.RdfFormat.N_TRIPLES if graph else self.ox.QueryResultsFormat.JSON).decode()


class Maplib:
    def __init__(self, data, folder):
        import maplib
        self.model = maplib.Model()
        self.model.read(data, parallel=True)

    def run(self, text):
        begin = time.perf_counter()
        frames = self.model.query(text)
        self.frame = (time.perf_counter() - begin) * 1000
        for frame in frames if isinstance(frames, list) else [frames]:
            frame.rows()

    def rows(self, text):
        return self.model.query(text, return_json=True)


def main():
    resource.setrlimit(resource.RLIMIT_AS, (12 << 30, 12 << 30))  # a join of everything with everything ends here
    engine = {"pyoxigraph": Oxigraph, "maplib": Maplib}[sys.argv[1]](*sys.argv[2:])
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what an engine prints is no answer
    print("{}", file=out, flush=True)
    for line in sys.stdin:
        asked = json.loads(line)
        try:
            begin = time.perf_counter()
            answer = {"rows": engine.rows(asked["query"])} if asked["rows"] else engine.run(asked["query"])
            answer = {**(answer or {}), "ms": (time.perf_counter() - begin) * 1000, "frame": getattr(engine, "frame", 0)}
        except BaseException as e:  # maplib raises a panic, which is no Exception
            answer = {"error": f"{type(e).__name__}: {e}"[:300]}
        print(json.dumps(answer), file=out, flush=True)


main()
