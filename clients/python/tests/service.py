"""A small service for tests: it takes POST /batch as segraph does, keeps lines in memory, and fails on demand."""
import gzip
import http.server
import json
import re
import socket
import threading
import time


class Service:
    """lines has the stored lines in order. script has what the next requests get: None for a normal answer, or a
    function of the handler and the lines. refuse returns a problem for a line, or None."""

    def __init__(self, port=0):
        self.lines, self.keys, self.requests, self.script = [], {}, [], []
        self.refuse = lambda line: None
        self.others, self.other = [], lambda path, body: (200, b"{}")  # requests to other paths, and their answers
        self.other_keys = []
        self.tokens, self.connections, self.storing = [], [], threading.Lock()
        service = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def setup(self):
                service.connections.append(self.request)
                super().setup()

            def log_message(self, *args):
                pass

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                if self.headers.get("Content-Encoding") == "gzip":
                    body = gzip.decompress(body)
                lines = body.rstrip(b"\n").split(b"\n")
                if self.path != "/batch":
                    service.others.append((self.path, json.loads(body)))
                    service.other_keys.append(self.headers.get("Idempotency-Key"))
                    return self.answer(*service.other(self.path, json.loads(body)), "application/json")
                service.requests.append(len(lines))
                service.tokens.append(self.headers.get("Authorization"))
                act = service.script.pop(0) if service.script else None
                if act is not None:
                    act(self, lines)
                else:
                    with service.storing:  # a robot that was killed and the next one may send the same
                        stored = b"".join(service.store(line) for line in lines)
                    self.answer(200, stored, "application/x-ndjson")

            def answer(self, status, body, kind="application/problem+json", **headers):
                self.send_response(status)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(body)))
                for name, value in headers.items():
                    self.send_header(name.replace("_", "-"), value)
                self.end_headers()
                self.wfile.write(body)

        class Server(http.server.ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, request, address):
                pass

        self.server = Server(("127.0.0.1", port), Handler)
        self.url = "http://127.0.0.1:%d" % self.server.server_address[1]
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True)
        self.thread.start()

    def store(self, line):
        event = json.loads(line.decode("utf-8"))
        if event["key"] in self.keys:
            known, answer = self.keys[event["key"]]
            if known != line:
                answer = {"status": 422, "detail": "the key was used with other bytes"}
        else:
            answer = self.refuse(event) or wrong_ids(event["graph"])
            if answer is None:
                answer = {"status": 201, "log_id": str(len(self.lines)), "triples": 1, "added": 1}
                self.lines.append(event)
            if answer["status"] == 201:
                self.keys[event["key"]] = line, answer
        return json.dumps(answer).encode() + b"\n"

    def texts(self):
        """The texts of all stored messages, in order."""
        found = []
        for line in self.lines:
            for node in nodes(line):
                if "text" in node:
                    found.append(node["text"])
        return found

    def close(self):
        self.server.shutdown()
        self.server.server_close()
        for connection in self.connections:
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
        self.thread.join()


def wrong_ids(node):
    """A problem, if a node has an id that is no absolute IRI."""
    if isinstance(node, list):
        return next(filter(None, map(wrong_ids, node)), None)
    if not isinstance(node, dict):
        return None
    for name in "id", "@id":
        if name in node and not re.fullmatch(r"[a-z_]+:[^\s<>\"{}|\\^`#]*(#[^\s<>\"{}|\\^`#]*)?", node[name]):
            return {"status": 400, "detail": "%r is not an absolute IRI" % node[name]}
    return next(filter(None, map(wrong_ids, node.values())), None)


def nodes(line):
    graph = line["graph"]
    return graph["@graph"] if "@graph" in graph else [graph]


def fail(status, detail="no", **headers):
    """An act that answers with a problem."""
    problem = json.dumps({"status": status, "detail": detail}).encode()
    return lambda handler, lines: handler.answer(status, problem, **headers)


def page(status):
    """An act that answers as a proxy would."""
    return lambda handler, lines: handler.answer(status, b"<html>no</html>", "text/html")


def wait_for(condition, seconds=20):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True
