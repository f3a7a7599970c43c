"""The thread that sends the queue to POST /batch of the service."""
from __future__ import annotations

import email.utils
import http.client
import json
import logging
import os
import random
import re
import socket
import ssl
import threading
import time
import urllib.parse
import zlib
from typing import Any, Callable, Dict, List, Tuple, Union

from ._queue import Queue, abandoned

log = logging.getLogger("segraph")

Token = Union[str, "os.PathLike[str]", Callable[[], str], None]

FIRST_WAIT, LONGEST_WAIT = 0.1, 60.0  # seconds between attempts
DENIED_WAIT = 60.0  # after 401, 403, and answers of something that is no segraph
SILENCE = 30.0  # seconds without an answer until the request is repeated
BATCH_BYTES = 1 << 20
# Answers 500, or a proxy's 413, until lines are halved, and until a line is refused: an hour or two.
BROKEN, BROKEN_LINE = 10, 120
REFUSED_BYTES = 16 << 20  # of refused.jsonl; the one before it is kept


class Sender(threading.Thread):
    """Sends the lines of a queue, in order, until stop is set. on_refused is called with each reason."""

    def __init__(self, queue: Queue, folder: str, robots: Tuple[str, ...], url: str, token: Token, tls: str | ssl.SSLContext | None,
                 batch: int, on_refused: Callable[[str], None]) -> None:
        super().__init__(name="segraph-sender", daemon=True)
        self.own, self.folder, self.robots, self.token, self.batch, self.on_refused = queue, folder, robots, token, batch, on_refused
        self.address = urllib.parse.urlsplit(url)
        if self.address.scheme not in ("http", "https") or not self.address.hostname:
            raise ValueError("url must begin with http:// or https:// and have a host, not %r" % url)
        self.port = self.address.port or (443 if self.address.scheme == "https" else 80)  # http.client reads ::1 as the host ":" and the port 1
        self.tls: ssl.SSLContext | None = None
        if self.address.scheme == "https":
            self.tls = tls if isinstance(tls, ssl.SSLContext) else ssl.create_default_context(cafile=tls)
        self.wake, self.stopped = threading.Event(), threading.Event()
        self.progress = threading.Condition()
        self.sent = self.refused = 0
        self.last_error: str | None = None
        self._connection: http.client.HTTPConnection | None = None
        self._failures, self._most = 0, batch  # lines at once
        self._users = 2  # of the queue: this thread and the client

    def run(self) -> None:
        while not self.stopped.is_set():
            try:
                if not self._send_some(self.own):
                    self._adopt()
                    self.wake.wait(5)
                    self.wake.clear()
            except Exception as e:  # such as a queue that cannot be read
                self._wait("%s: %s" % (type(e).__name__, e))
        self._disconnect()
        self.leave()

    def stop(self) -> None:
        self.stopped.set()
        self.wake.set()

    def leave(self) -> None:
        """Closes the queue once this thread has ended and the client has synced."""
        with self.progress:
            self._users -= 1
            last = not self._users
        if last:
            self.own.close()

    def _adopt(self) -> None:
        """Sends what processes that ended left in the folder."""
        for path, lock in abandoned(self.folder, *self.robots):
            try:
                queue = Queue(path, lock)
            except BaseException:
                os.close(lock)
                raise
            try:
                while not self.stopped.is_set() and self._send_some(queue):
                    pass
            finally:
                with self.own.lock:
                    self.own.lost += queue.lost
                queue.close()

    def _send_some(self, queue: Queue) -> bool:
        """Sends the next lines of a queue. It reports whether there were any."""
        lines, n, length = queue.read(self._most, BATCH_BYTES)
        if not length or not self._deliver(queue, lines):
            return bool(length)
        queue.acknowledge(n, length, damaged=n - len(lines))
        with self.progress:
            self.progress.notify_all()
        return True

    def _deliver(self, queue: Queue, lines: List[bytes]) -> bool:
        """Sends lines until each is stored or refused. It returns False if the thread must stop before."""
        broken = 0
        while lines:
            if self.stopped.is_set():
                return False
            try:
                status, headers, body = self._post(b"\n".join(lines))
                if status == 200:
                    answers = json.loads(b"[" + b",".join(body.rstrip(b"\n").split(b"\n")) + b"]")
                    if len(answers) != len(lines):
                        raise ValueError("the answer has %d lines, not %d" % (len(answers), len(lines)))
            except (OSError, ValueError, http.client.HTTPException) as e:
                self._wait("%s: %s" % (type(e).__name__, e))
                if isinstance(e, socket.timeout) and len(lines) > 1:  # the network is slow
                    return self._halve(queue, lines)
                continue
            if status == 200:
                self._most = min(2 * self._most, self.batch)
                lines = self._settle(queue, lines, answers)
                problem = next((answer for answer in answers if answer.get("status") == 500), None)
            else:
                problem = read_problem(headers, body)
            broken += problem is not None and 500 in (status, problem.get("status")) or status == 413
            if broken >= (BROKEN if len(lines) > 1 else BROKEN_LINE) and lines:  # one of them may be what fails
                status, problem = 422, problem or {}
            if status == 200:
                continue
            if status in (400, 422) and problem is not None or status == 413 and (problem is not None or len(lines) > 1):
                if len(lines) == 1:
                    self._refuse(queue, lines[0], problem or {})
                    return True
                return self._halve(queue, lines)
            reason = "%d %s" % (status, (problem or {}).get("detail") or "from something that is no segraph service")
            passing = status in (408, 425, 429) or status >= 500
            self._wait(reason, *(retry_after(headers), None) if passing else (DENIED_WAIT, 1))
            if status == 408 and len(lines) > 1:
                return self._halve(queue, lines)
        return True

    def _halve(self, queue: Queue, lines: List[bytes]) -> bool:
        self._most = half = len(lines) // 2
        return self._deliver(queue, lines[:half]) and self._deliver(queue, lines[half:])

    def _settle(self, queue: Queue, lines: List[bytes], answers: List[Dict[str, Any]]) -> List[bytes]:
        """Notes what became of each line. It returns those to send again."""
        again, error, wait = [], "", 0.0
        for line, answer in zip(lines, answers):
            status = answer.get("status", 500)
            if status == 201:
                self.sent += 1
            elif status >= 500 or status in (408, 425, 429):
                again.append(line)
                error, wait = "%d %s" % (status, answer.get("detail")), max(wait, float(answer.get("retry_after") or 0))
            else:
                plain = self._refuse(queue, line, answer)
                again += [plain] if plain else []
        if error:
            self._wait(error, wait)
        else:
            self._failures, self.last_error = 0, None
        return again

    def _refuse(self, queue: Queue, line: bytes, answer: Dict[str, Any]) -> bytes | None:
        """Keeps a refused line with the reason. If the observation alone is at fault, it returns the line without."""
        keep_refused(queue.path, line, answer)
        self.refused += 1
        reason = "%s %s" % (answer.get("status"), answer.get("detail"))
        log.warning("a line was refused: %s", reason)
        event = json.loads(line)
        self.on_refused(reason)
        member = ((answer.get("errors") or [{}])[0].get("loc") or [])[1:2]
        if member not in (["observation"], ["about"]) or "observation" not in event:
            return None
        del event["observation"], event["about"]
        event["key"] += "-plain"
        return json.dumps(event, ensure_ascii=False, separators=(",", ":")).encode()

    def _wait(self, reason: str, least: float = 0, most: float | None = None) -> None:
        """Waits before another attempt: from FIRST_WAIT, doubling up to most, with jitter, and at least so many seconds
        more."""
        if reason.split(":")[0] != (self.last_error or "").split(":")[0]:
            log.warning("sending failed, and will be repeated: %s", reason)
        self.last_error = reason
        self._disconnect()
        most = min(LONGEST_WAIT if most is None else most, FIRST_WAIT * 2 ** min(self._failures, 20))
        self._failures += 1
        self.stopped.wait(least + random.uniform(0, most))

    def _post(self, body: bytes) -> Tuple[int, http.client.HTTPMessage, bytes]:
        gzip = zlib.compressobj(6, zlib.DEFLATED, 31)
        body = gzip.compress(body) + gzip.flush()
        headers = {"Content-Type": "application/x-ndjson", "Content-Encoding": "gzip", "User-Agent": "segraph-python"}
        token = read_token(self.token)
        if token:
            headers["Authorization"] = "Bearer " + token
        for attempt in (1, 2):
            old = self._connection
            connection = self._connection = old or self._connect()
            try:
                connection.request("POST", self.address.path.rstrip("/") + "/batch", body, headers)
                answer = connection.getresponse()
                return answer.status, answer.headers, answer.read()
            except (ConnectionError, http.client.BadStatusLine):  # an idle connection that the service has closed
                self._disconnect()
                if old is None or attempt == 2:
                    raise
        raise AssertionError

    def _connect(self) -> http.client.HTTPConnection:
        host = self.address.hostname or ""
        if self.tls is not None:
            return http.client.HTTPSConnection(host, self.port, timeout=SILENCE, context=self.tls)
        return http.client.HTTPConnection(host, self.port, timeout=SILENCE)

    def _disconnect(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None


def read_token(token: Token) -> str:
    """Returns a token. That of a file or a function is read each time, since it may have been replaced. It raises OSError
    and ValueError, without the token."""
    text = token() if callable(token) else token
    if text is not None and not isinstance(text, str):
        with open(text, encoding="ascii") as f:
            text = f.read()
    text = (text or "").strip()
    if not re.fullmatch("[!-~]*", text):
        raise ValueError("the token has other characters than visible ones of ASCII")
    return text


def read_problem(headers: http.client.HTTPMessage, body: bytes) -> Dict[str, Any] | None:
    """Returns a problem document, or None if the answer is something else, such as a proxy's page."""
    try:
        problem = json.loads(body) if headers.get_content_type() == "application/problem+json" else None
        return problem if isinstance(problem, dict) else None
    except ValueError:
        return None


def retry_after(headers: http.client.HTTPMessage) -> float:
    """Returns how many seconds the service wants, at most ten minutes."""
    text = headers.get("Retry-After", "")
    date = None if text.strip().isdigit() else email.utils.parsedate_tz(text)
    wait = email.utils.mktime_tz(date) - time.time() if date else float(text) if text.strip().isdigit() else 0
    return max(0.0, min(wait, 600.0))


def keep_refused(folder: str, line: bytes, answer: Dict[str, Any]) -> None:
    path = os.path.join(folder, "refused.jsonl")
    entry = b'{"answer":%b,"line":%b}\n' % (json.dumps(answer).encode(), line)
    try:
        if os.path.exists(path) and os.path.getsize(path) + len(entry) > REFUSED_BYTES:
            os.replace(path, os.path.join(folder, "refused.old.jsonl"))
        with open(path, "ab") as f:
            f.write(entry)
    except OSError as e:
        log.error("a refused line could not be kept: %s", e)
