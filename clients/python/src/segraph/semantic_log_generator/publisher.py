"""Publishes graphs through a queue, and Turtle at once."""
from __future__ import annotations

import base64
import contextlib
import fcntl
import itertools
import json
import logging
import os
import shutil
import threading
import time
import urllib.parse
import uuid
import weakref
from pathlib import Path
from typing import Any, Dict, Iterator, List, Tuple

from .._process import EVENT_BYTES, Process
from .._terms import Clock
from ._http import Session, headers, tls
from ._rdf import LINE_TRIPLES, News, nodes, parts, turtle, valid

log = logging.getLogger("segraph")

LINE_BYTES = 200 << 10


class Refused(RuntimeError):
    """The service refuses a document, and would again."""

    settled = True  # the document need not be sent again; other errors get this too, once it is in queue_file


class Outlet(Process):
    """A queue of documents. All publishers with the same settings share one, since programs may make a publisher for
    each graph."""

    known: Dict[Tuple[str, str | None, str, bool], "Outlet"] = {}
    making = threading.Lock()
    _also = ("publisher of ",)  # those without a token, as before the service asked for one

    @classmethod
    def get(cls, *settings: Any) -> "Outlet":
        with cls.making:
            if settings not in cls.known:
                cls.known[settings] = cls(*settings)
            return cls.known[settings]

    def __init__(self, url: str, token: str | None, folder: str, verify: bool) -> None:
        super().__init__(url, self._also[0] + user_of(token or ""), token, folder, 200, "256MB", "group", tls(verify), None)
        self._numbers = itertools.count(1)
        self.news: Dict[int, News] = {}  # by id of the graph, since rdflib's graphs with one name are equal
        self._start()

    def _reset(self) -> None:
        super()._reset()
        self.lock = threading.Condition(threading.Lock())  # guards what follows and news; a fork may have copied a locked one
        self.posting = 0  # calls that are posting long parts

    def put(self, document: Any, user: str | None) -> bool:
        """Queues a document, unless it is too long for a line. It reports whether it did."""
        line = {"key": "%s-%d" % (self.boot, next(self._numbers)), "graph": document}
        if user:
            line["user"] = user
        text = json.dumps(line, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
        if len(text) > EVENT_BYTES:
            return False
        self._append(text)
        return True

    def _own_line(self, text: str, properties: Dict[str, Any]) -> bytes | None:
        if not text:
            return None  # the package that this replaces has no such states
        key = "%s-%d" % (self.boot, next(self._numbers))
        node = {"id": "urn:segraph:publisher/" + key, "type": ["LoggedActivity", "sc:Incident"], "label": text,
                "startedAtTime": Clock().stamp(time.time_ns())}
        return json.dumps({"key": key, "graph": {"@context": "/context.jsonld", "@graph": [node]}}).encode()


def user_of(token: str) -> str:
    """Returns the user that a token names, or "". A renewed token names the same user."""
    try:
        text = token.split(".")[1]
        claims = json.loads(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)))
        return str(claims.get("username") or claims.get("sub") or "")
    except (AttributeError, IndexError, ValueError):
        return ""


class SEGBPublisher:
    """publish_graph queues what is new since the last call, in the folder queue_file + ".d" or one of
    ~/.local/state/segraph, and returns at once: a thread sends it, as segraph.Client describes. publish_turtle waits
    for the service, and if that fails, adds the document to queue_file. Publishers with the same settings, apart from
    default_user and timeout_seconds, share the queue and what is new: a triple is sent once, for the user of the first call."""

    def __init__(self, *, base_url: str, token: str | None = None, default_user: str | None = None,
                 timeout_seconds: float = 20.0, verify_tls: bool = True, queue_file: str | None = None) -> None:
        if not isinstance(base_url, str) or not base_url.strip():
            raise ValueError("base_url must be a str that is not empty")
        if timeout_seconds <= 0:
            raise ValueError("timeout_seconds must be over 0")
        self.base_url = base_url.rstrip("/")
        self.endpoint = self.base_url + "/ttl"
        self.token, self.default_user = token or os.environ.get("SEGRAPH_TOKEN"), default_user
        self.timeout_seconds, self.verify_tls = timeout_seconds, verify_tls
        self.queue_file = Path(queue_file).expanduser() if queue_file else None
        self._outlet: Outlet | None = None

    def publish_graph(self, graph: Any, *, user: str | None = None) -> Dict[str, Any]:
        """Queues the triples that are new, and returns how many. A value, or nodes that hang together by blank nodes, with
        more than 250 KiB or 4,000 triples is too long for the queue, and goes by publish_turtle. A blank node becomes another one in each call."""
        outlet = self._outlet = self._outlet or Outlet.get(*self._settings())
        with outlet.lock:
            if id(graph) not in outlet.news:
                outlet.news[id(graph)] = News(weakref.proxy(graph))
                weakref.finalize(graph, outlet.news.pop, id(graph)).atexit = False
            news = outlet.news[id(graph)]
            new = news.take()
            lines = [new]  # not queued yet
            long = []  # too long for the queue
            try:
                bad = [triple for triple in new if not valid(triple)]
                if bad:
                    log.warning("the service will refuse %d triples: an IRI, language or position is not valid in %s", len(bad), bad[0])
                lines = [part for some in (filter(valid, new), bad) for part in parts(some, LINE_BYTES)]
                while lines:
                    if len(lines[0]) > LINE_TRIPLES or not outlet.put(nodes(lines[0]), user or self.default_user):
                        long.append(lines[0])
                    lines.pop(0)
            except BaseException:
                for part in long + lines:
                    news.put_back(part)
                raise
            outlet.posting += 1
        try:
            while long:
                self.publish_turtle(turtle(long[0]), user=user)
                long.pop(0)
        except BaseException as e:
            with outlet.lock:
                for part in long[getattr(e, "settled", False):]:
                    news.put_back(part)
            raise
        finally:
            with outlet.lock:
                outlet.posting -= 1
                outlet.lock.notify_all()
        return {"message": "queued", "log_id": None, "queued": len(new)}

    def publish_turtle(self, ttl_content: str, *, user: str | None = None) -> Dict[str, Any]:
        """Posts a document and returns the answer. It raises OSError without one, RuntimeError if it is an error, and
        ValueError for arguments, token or URL."""
        if not isinstance(ttl_content, str) or not ttl_content.strip():
            raise ValueError("ttl_content must be a str that is not empty")
        document = {"ttl_content": ttl_content, "user": user or self.default_user}
        key = uuid.uuid4().hex
        try:
            return self._post(self.endpoint, document, key)
        except Refused:
            raise
        except (OSError, RuntimeError, ValueError) as e:
            if self.queue_file is not None:
                self.queue_file.parent.mkdir(parents=True, exist_ok=True)
                with self._files(), open(self.queue_file, "a+b", opener=private) as f:
                    f.seek(-min(1, f.seek(0, os.SEEK_END)), os.SEEK_END)
                    torn = f.read() not in (b"", b"\n")  # by a full disk
                    f.write(b"\n" * torn + json.dumps({**document, "key": key}).encode() + b"\n")
                setattr(e, "settled", True)
            raise

    def delete_all_ttls(self, *, user: str | None = None) -> Dict[str, Any]:
        """Removes the published graph, after what is queued or being posted. All triples of a graph are then new."""
        outlet = self._shared()
        with outlet.lock if outlet else contextlib.nullcontext():
            if outlet and not outlet.lock.wait_for(lambda: not outlet.posting, self.timeout_seconds):
                raise RuntimeError("a long part of a graph is still being posted")
            if outlet and not outlet.flush(self.timeout_seconds):
                raise RuntimeError("the queue cannot be sent: %s" % outlet.status()["last_error"])
            answer = self._post(self.base_url + "/ttl/delete_all", {"user": user or self.default_user})
            for news in list(outlet.news.values()) if outlet else ():
                news.forget()
        return answer

    def flush_queue(self) -> List[Dict[str, Any]]:
        """Waits for the queue, posts the documents of queue_file, and returns their answers. What fails stays, but for
        what the service refuses."""
        outlet = self._shared()
        if outlet is not None:
            outlet.flush(self.timeout_seconds)
        if self.queue_file is None or not self.queue_file.exists():
            return []
        answers, left = [], []
        with self._files():
            if not self.queue_file.exists():
                return []
            lines = filter(str.strip, self.queue_file.read_text("utf-8").split("\n"))
            for line in lines:
                try:
                    document = json.loads(line)
                    key = document.pop("key", None)
                except (AttributeError, TypeError, ValueError):
                    log.warning("a line of %s is no document, and is dropped", self.queue_file)
                    continue
                try:
                    answers.append(self._post(self.endpoint, document, key))
                except Refused as e:
                    log.warning("a document was refused: %s", e)
                except OSError:  # no answer: others would wait for one as long, and the lock is held; they are first next time
                    left += [*lines, line]
                except (RuntimeError, ValueError):
                    left.append(line)
            if left:
                new = self.queue_file.with_name(self.queue_file.name + ".new")
                with open(new, "w", encoding="utf-8", opener=private) as f:
                    f.write("\n".join(left) + "\n")
                shutil.copymode(self.queue_file, new)
                os.replace(new, self.queue_file)
            else:
                self.queue_file.unlink()
        return answers

    @contextlib.contextmanager
    def _files(self) -> Iterator[None]:
        """Guards queue_file from other publishers and processes. The lock is of a file beside it, since it is replaced."""
        lock = os.open("%s.lock" % self.queue_file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield
        finally:
            fcntl.flock(lock, fcntl.LOCK_UN)  # a child that was forked meanwhile has it too
            os.close(lock)

    def _settings(self) -> Tuple[str, str | None, str, bool]:
        """Returns the arguments of the publisher's Outlet."""
        state = os.environ.get("XDG_STATE_HOME") or "~/.local/state"
        folder = "%s.d" % self.queue_file if self.queue_file else os.path.join(
            state, "segraph", "publisher-" + urllib.parse.quote(self.base_url, safe=""))
        return self.base_url, self.token, folder, self.verify_tls

    def _shared(self) -> Outlet | None:
        """Returns the outlet, if this publisher or another one with its settings has made it."""
        return self._outlet or Outlet.known.get(self._settings())

    def _post(self, url: str, document: Any, key: str | None = None) -> Dict[str, Any]:
        known = {"Idempotency-Key": key} if key else {}
        answer = Session().post(url, json=document, headers={**headers(self.token), **known},
                                timeout=self.timeout_seconds, verify=self.verify_tls)
        if answer.status_code >= 300:
            error = Refused if answer.status_code in (400, 413, 422) else RuntimeError
            raise error("HTTP %d: %s" % (answer.status_code, answer.text))
        try:
            found: Dict[str, Any] = answer.json()
            return found
        except ValueError:
            return {"status_code": answer.status_code, **({"body": answer.text} if answer.content else {})}


def private(path: str, flags: int) -> int:
    """Opens a file that only this user may read, if it is new."""
    return os.open(path, flags, 0o600)


def _fork() -> None:
    """Renews a lock that another thread may have held."""
    Outlet.making = threading.Lock()


os.register_at_fork(after_in_child=_fork)
