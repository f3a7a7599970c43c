"""What a client has in each process: its queue, and the threads that sync and send it."""
from __future__ import annotations

import atexit
import logging
import os
import re
import secrets
import ssl
import threading
import time
import urllib.parse
import weakref
from typing import Any, Callable, Dict, Tuple

from ._queue import Queue, own_slot
from ._sender import Sender, Token, keep_refused

log = logging.getLogger("segraph")

SYNC_EVERY = 0.2  # seconds that lines wait for the disk and the network, so that many go together
EVENT_BYTES = 250 << 10  # of a line; the service takes 256 KiB
NEWS_EVERY = 60.0  # seconds between incidents about refused lines
STATUS_EVERY = 600.0  # seconds between states that say what became of the events
AT_EXIT = 2.0  # seconds that the end of the process may wait for the network


class Process:
    """The part of a client that is renewed after a fork."""

    _also: Tuple[str, ...] = ()  # other robots whose lines it sends, once their processes have ended

    def __init__(self, url: str | None, robot: str | None, token: Token, queue: str | None, batch: int,
                 max_queue: int | str, durable: str, tls: str | ssl.SSLContext | None,
                 on_drop: Callable[[int], None] | None) -> None:
        self.url = url or os.environ.get("SEGRAPH_URL") or "http://localhost:5000"
        self.robot_id = robot or os.environ.get("SEGRAPH_ROBOT") or ""
        if not self.robot_id:
            raise ValueError("robot or SEGRAPH_ROBOT must be the robot's id")
        state = os.environ.get("XDG_STATE_HOME") or os.path.expanduser("~/.local/state")
        folder = queue or os.environ.get("SEGRAPH_QUEUE") or os.path.join(
            state, "segraph", urllib.parse.quote(self.robot_id, safe=""))
        if durable not in ("group", "each", "none"):
            raise ValueError('durable must be "group", "each" or "none", not %r' % (durable,))
        if not 1 <= batch <= 1000:
            raise ValueError("batch must be from 1 to 1000, not %r" % (batch,))
        self.folder = os.path.abspath(os.path.expanduser(folder))
        self._limit, self._durable, self._on_drop = size(max_queue), durable, on_drop
        self._sending = (self.folder, self.url, token or os.environ.get("SEGRAPH_TOKEN"), tls, batch)
        self._dropped, self._closed, self._left = 0, False, 0
        self._reset()
        _clients.add(self)

    def _reset(self) -> None:
        self.boot = secrets.token_hex(6)  # of this process, in all ids
        self._guard = threading.Lock()
        self._dirty, self._hurry = threading.Event(), threading.Event()
        self._last_news, self._reason, self._told = float("-inf"), "", 0  # of incidents about refused lines
        self._last_status, self._last_sent = time.monotonic(), 0
        self._queue: Queue | None = None

    def _start(self) -> None:
        """Takes a queue and starts the threads."""
        path, lock = own_slot(self.folder, self.robot_id, *self._also)
        try:
            queue = Queue(path, lock, self._limit, self._durable)
            folder, url, token, tls, batch = self._sending
            self._sender = Sender(queue, folder, (self.robot_id, *self._also), url, token, tls, batch, self._note_refused)
        except BaseException:
            os.close(lock)
            raise
        self._queue = queue
        self._syncer = threading.Thread(target=self._sync, name="segraph-sync", daemon=True)
        self._syncer.start()
        self._sender.start()

    def _append(self, line: bytes) -> None:
        """Queues a line. It never raises."""
        queue = self._queue or self._restart()
        if queue is None:
            self._dropped += 1
            self._say_lost(1)
            return
        if len(line) > EVENT_BYTES:
            answer = {"detail": "the event has %d bytes, more than %d" % (len(line), EVENT_BYTES)}
            keep_refused(queue.path, line, answer)
            self._sender.refused += 1
            self._note_refused("an event is too large")
        else:
            queue.append(line, time.time_ns())
        if not self._dirty.is_set():
            self._dirty.set()

    def _restart(self) -> Queue | None:
        """Starts in a forked child, at its first call. Without a queue, as after close, lines are dropped."""
        with self._guard:
            if self._queue is None and not self._closed:
                try:
                    self._start()
                except OSError as e:
                    log.error("the queue cannot be opened: %s", e)
            elif self._closed:
                log.warning("an event came after close and is dropped")
            return self._queue

    def _say_lost(self, lost: int) -> None:
        log.warning("%d events were lost", lost)
        if self._on_drop is not None:
            try:
                self._on_drop(lost)
            except Exception:
                log.exception("on_drop failed")

    def _note_refused(self, reason: str) -> None:
        self._reason = reason
        self._dirty.set()

    def _report(self, queue: Queue, last: bool = False) -> None:
        """Queues incidents that say how many lines were lost, if there is room for it, and refused, and the status. One
        about refused lines may be refused itself, so that there is one a minute, and a last one."""
        with self._guard:
            lost, now = queue.lost, time.monotonic()
            total = self._dropped + lost  # which also covers incidents that were dropped
            text = "%d events were lost: the queue or the disk was full" % total
            told = lost > 0 and self._tell(queue, text, lost=total)
            if told:
                self._dropped += lost  # here, or the next incident could have a smaller total than this one
                queue.reported(lost)
            refused = self._sender.refused - self._told
            if refused and (last or now - self._last_news >= NEWS_EVERY):
                self._last_news, self._told = now, self._sender.refused
                self._tell(queue, "%d events were refused: %s" % (refused, self._reason), refused=refused)
            status = self.status()
            if now - self._last_status >= STATUS_EVERY and status["sent"] > self._last_sent + 1:
                self._last_status, self._last_sent = now, status["sent"]
                counts = ("queued", "sent", "dropped", "refused")
                self._tell(queue, "", **{"log_" + name: status[name] for name in counts})
        if told:
            self._introduce()
            self._say_lost(lost)

    def _tell(self, queue: Queue, text: str, **properties: Any) -> bool:
        """Queues an incident, or without a text, the status. It reports whether there was room."""
        line = self._own_line(text, properties)
        return line is not None and queue.append(line, time.time_ns(), counts=False)

    def _introduce(self) -> None:
        """Logs again what is logged once only, since the oldest lines are lost first."""

    def _own_line(self, text: str, properties: Dict[str, Any]) -> bytes | None:
        raise NotImplementedError

    def _sync(self) -> None:
        """Syncs what was written in the last moment together, and wakes the sender."""
        queue, sender = self._queue, self._sender
        assert queue is not None
        while not sender.stopped.is_set():
            self._dirty.wait(NEWS_EVERY)
            self._hurry.wait(SYNC_EVERY)
            self._dirty.clear()
            self._hurry.clear()
            self._report(queue)
            if self._durable != "none":
                try:
                    queue.sync()
                except OSError as e:
                    log.error("the queue cannot be synced: %s", e)
            sender.wake.set()

    def flush(self, timeout: float | None = None) -> bool:
        """Waits until all that was logged before is stored or refused. It reports whether that took at most timeout
        seconds. In asyncio, run it in an executor."""
        queue = self._queue
        if queue is None:
            return True
        end = queue.end()
        self._hurry.set()
        self._dirty.set()
        with self._sender.progress:
            return self._sender.progress.wait_for(lambda: queue.passed(end), timeout)

    def status(self) -> Dict[str, Any]:
        """Returns how many events and bytes are queued, when the oldest of them was logged (seconds since 1970, or
        None), how many were sent, dropped and refused since the start, and the last error, or None if sending works."""
        queue = self._queue
        forked = queue is None and not self._closed  # and has logged nothing: the sender is the parent's
        sender = None if forked else self._sender
        queued, size = queue.count() if queue else (self._left, 0)
        return {"queued": queued, "bytes": size, "oldest": queue.oldest() if queue else None,
                "sent": sender.sent if sender else 0, "dropped": self._dropped + (queue.lost if queue else 0),
                "refused": sender.refused if sender else 0, "last_error": sender.last_error if sender else None}

    def close(self, timeout: float = 5) -> None:
        """Sends what it can in that many seconds, and ends. What is left is sent at the next start. Later calls are
        dropped and counted."""
        if self._queue is None or self._closed:
            self._closed = True
            return
        self._report(self._queue, last=True)
        self.flush(timeout)
        with self._guard:
            queue, self._queue, self._closed = self._queue, None, True
            if queue is None:  # another thread closed it
                return
            self._left = queue.count()[0]
        self._sender.stop()
        self._hurry.set()
        self._dirty.set()
        self._syncer.join()
        self._sender.join(1)
        if self._sender.is_alive():  # it waits for an answer; it is a daemon, and what it sends is sent again
            queue.sync()
        self._sender.leave()

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def _after_fork(self) -> None:
        """Leaves the queue, the connection and the threads to the parent."""
        queue = self._queue
        self._reset()
        if queue is not None:
            queue.abandon()
            connection = self._sender._connection
            if connection is not None and connection.sock is not None:
                os.close(connection.sock.detach())


_clients: "weakref.WeakSet[Process]" = weakref.WeakSet()


def _fork() -> None:
    for client in list(_clients):
        client._after_fork()


def _exit() -> None:
    for client in list(_clients):
        client.close(AT_EXIT)


os.register_at_fork(after_in_child=_fork)
atexit.register(_exit)


def size(text: int | str) -> int:
    """Reads a number of bytes such as 4194304, "256MB" or "1GB"."""
    found = re.fullmatch(r"(\d+)\s*([KMG]?)B?", str(text).strip().upper())
    if not found or int(found[1]) < 1:
        raise ValueError('max_queue must be a number of bytes such as "256MB", not %r' % (text,))
    return int(found[1]) << {"": 0, "K": 10, "M": 20, "G": 30}[found[2]]
