"""A queue of lines in files.

A folder has numbered slots, and each process owns one, by a lock on its file "lock", which holds the id of the robot
whose lines these are. A slot has segments of about 4 MB, named by their number. Each line of a segment is

    CRC32 TIME PAYLOAD

with the checksum of the rest in 8 hexadecimal digits, the time in ns since 1970, and one line of JSON. The file "sent"
has the number of the first segment that is not completely sent, and the offset of its first unsent line.
"""
from __future__ import annotations

import errno
import fcntl
import os
import threading
import zlib
from typing import Iterator, List, Tuple

SEGMENT = 4 << 20  # bytes


class Segment:
    """A file of lines. events and size count what is not sent yet, and all bytes."""

    __slots__ = ("number", "path", "size", "events")

    def __init__(self, number: int, path: str, size: int = 0, events: int = 0) -> None:
        self.number, self.path, self.size, self.events = number, path, size, events


def own_slot(folder: str, *robots: str) -> Tuple[str, int]:
    """Locks the first free slot of a folder, making one if all are taken. It returns its path and the lock."""
    number = 0
    while True:
        path = os.path.join(folder, str(number))
        lock = lock_slot(path, *robots)
        if lock is not None:
            return path, lock
        number += 1


def lock_slot(path: str, *robots: str) -> int | None:
    """Locks a slot, for the first of the robots, or any if there is none. It returns None if another process, or another
    client of this one, owns it, or if it has lines of other robots than these, which must be sent with their tokens."""
    os.makedirs(path, mode=0o700, exist_ok=True)
    lock = os.open(os.path.join(path, "lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        known, owner = [robot.encode("utf-8", "replace") for robot in robots], os.pread(lock, 1 << 16, 0)
        if known and owner != known[0]:
            if owner and owner not in known and has_lines(path):
                os.close(lock)
                return None
            os.ftruncate(lock, 0)
            os.pwrite(lock, known[0], 0)
        return lock
    except BlockingIOError:
        os.close(lock)
        return None
    except BaseException:
        os.close(lock)
        raise


def has_lines(path: str) -> bool:
    return any(name.endswith(".log") for name in os.listdir(path))


def abandoned(folder: str, *robots: str) -> Iterator[Tuple[str, int]]:
    """Locks the slots with unsent lines of some robots that no process owns, one after another."""
    for name in sorted(os.listdir(folder)):
        path = os.path.join(folder, name)
        if name.isdigit() and has_lines(path):
            lock = lock_slot(path, *robots)
            if lock is not None:
                yield path, lock


class Queue:
    """The queue in a locked slot. Any thread may append, and one may read and acknowledge.

    limit is the most bytes on disk. durable is "each" to sync each line before append returns, or "none" to leave it to
    the system. lost counts the lines that could not be written, were dropped or are damaged.
    """

    def __init__(self, path: str, slot_lock: int, limit: int = 256 << 20, durable: str = "group") -> None:
        self.path, self.limit, self.durable = path, limit, durable
        self.segment_size = max(1, min(SEGMENT, limit // 8))
        self.lost = 0
        self.lock = threading.Lock()  # guards what follows
        self._file = -1  # of the last segment
        self._full: List[int] = []  # files of full segments that are not synced yet
        self._unnamed = False  # the folder has a file that is not synced
        self._doomed: List[str] = []  # segments to remove once their loss is reported
        self._reading = False  # lines of the first segment are being sent
        self._slot_lock = slot_lock
        self._segments = self._load()
        self._offset = self._load_position()  # of the first unsent line in the first segment

    def _load(self) -> List[Segment]:
        """Lists the segments, and cuts off a torn last line."""
        found = []
        for name in os.listdir(self.path):
            if name.endswith(".log"):
                found.append(Segment(int(name[:-4]), os.path.join(self.path, name)))
        found.sort(key=lambda s: s.number)
        for s in list(found):
            data = content(s.path, 0, -1)
            if data is None:  # read counts the loss
                s.size, s.events = max(1, os.path.getsize(s.path)), 1
                if s is found[-1]:
                    found.append(Segment(s.number + 1, self._name(s.number + 1)))
                continue
            s.size = len(data)
            while s is found[-1] and s.size:
                start = data.rfind(b"\n", 0, s.size - 1) + 1
                if payload(data[start : s.size]) is not None:
                    break
                s.size = start
            os.truncate(s.path, s.size)
            s.events = data.count(b"\n", 0, s.size)
        return found

    def _load_position(self) -> int:
        """Reads the file "sent", and removes what is sent. It returns the offset in the first segment."""
        try:
            with open(os.path.join(self.path, "sent"), encoding="ascii") as f:
                number, offset = map(int, f.read().split())
        except (OSError, ValueError):  # nothing is sent, or a power cut: sending again changes nothing
            return 0
        while self._segments and self._segments[0].number < number:
            remove(self._segments.pop(0).path)
        if not self._segments:
            self._segments.append(Segment(number + 1, self._name(number + 1)))
            return 0
        first = self._segments[0]
        if first.number != number:
            return 0
        if offset > first.size:  # a power cut: it would hide lines that are appended now
            self._save(number, 0)
            return 0
        first.events -= (content(first.path, 0, offset) or b"").count(b"\n")
        return offset

    def _name(self, number: int) -> str:
        return os.path.join(self.path, "%08d.log" % number)

    def append(self, line: bytes, now: int, counts: bool = True) -> bool:
        """Writes a payload at the time now, in ns. It reports whether it did; if not, a line that counts is lost."""
        data = b"%d %b\n" % (now, line)
        data = b"%08x %b" % (zlib.crc32(data), data)
        with self.lock:
            try:
                if self._file < 0 or self._segments[-1].size >= self.segment_size:
                    self._open()
                last = self._segments[-1]
                if os.write(self._file, data) != len(data):
                    raise OSError("the disk is full")
                if self.durable == "each":
                    os.fdatasync(self._file)
            except OSError:
                self.lost += counts
                self._cut()
                return False
            last.size += len(data)
            last.events += 1
            return True

    def _cut(self) -> None:
        """Removes a line that was written in part."""
        try:
            if self._file >= 0:
                os.ftruncate(self._file, self._segments[-1].size)
        except OSError:
            pass

    def _open(self) -> None:
        """Opens the last segment, or a new one if that is full. Over the limit, it drops the oldest."""
        new = not self._segments or self._segments[-1].size >= self.segment_size
        number = self._segments[-1].number + new if self._segments else 1
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC
        try:
            file = os.open(self._name(number), flags, 0o600)
        except FileNotFoundError:  # somebody removed the folder
            lock = lock_slot(self.path, os.pread(self._slot_lock, 1 << 16, 0).decode("utf-8", "replace"))
            if lock is None:
                raise
            os.close(self._slot_lock)
            self._slot_lock = lock
            file = os.open(self._name(number), flags, 0o600)
        self._unnamed = True
        if self.durable == "each":
            self._sync_folder()
        if self._file >= 0 and self.durable != "none":
            self._full.append(self._file)
        elif self._file >= 0:
            os.close(self._file)
        self._file = file
        if new:
            self._segments.append(Segment(number, self._name(number)))
        while len(self._segments) > 2 and sum(s.size for s in self._segments) + self.segment_size > self.limit:
            oldest = self._segments.pop(1 if self._reading else 0)
            self._offset = self._offset if self._reading else 0
            self.lost += oldest.events
            self._doomed.append(oldest.path)

    def reported(self, lost: int) -> None:
        """Says that a line about lost lines is in the queue. Until then, what is dropped stays on disk."""
        with self.lock:
            self.lost -= lost
            doomed, self._doomed = self._doomed, []
        for path in doomed:
            remove(path)

    def sync(self) -> None:
        """Writes everything through to the disk. One thread may call it."""
        last = self._file
        if self._unnamed:
            self._sync_folder()
        while self._full:
            os.fdatasync(self._full[0])
            os.close(self._full.pop(0))
        if last >= 0 and last == self._file:
            os.fdatasync(last)

    def _sync_folder(self) -> None:
        self._unnamed = False
        try:
            folder = os.open(self.path, os.O_RDONLY)
        except FileNotFoundError:
            return
        try:
            os.fsync(folder)
        finally:
            os.close(folder)

    def read(self, lines: int, size: int) -> Tuple[List[bytes], int, int]:
        """Returns unsent payloads, at most so many lines and bytes but at least one line; how many lines those are with
        damaged ones; and their length. Until they are acknowledged, their segment is not dropped."""
        with self.lock:
            while len(self._segments) > 1 and self._offset >= self._segments[0].size:
                remove(self._segments.pop(0).path)
                self._offset = 0
            if not self._segments or self._offset >= self._segments[0].size:
                return [], 0, 0
            self._reading = True
            first, left, events = self._segments[0], self._segments[0].size - self._offset, self._segments[0].events
        data = content(first.path, self._offset, min(left, size))
        if data is not None and b"\n" not in data and len(data) < left:
            data = content(first.path, self._offset, left)
        if not data:  # it is gone or shorter, or the disk fails
            with self.lock:
                if first is self._segments[-1]:  # the next lines would be there, too
                    if self._file >= 0:
                        self._full.append(self._file)
                    self._file = -1
                    self._segments.append(Segment(first.number + 1, self._name(first.number + 1)))
            return [], events, left
        found, n, at = [], 0, 0
        while n < lines and at < len(data):
            end = data.find(b"\n", at) + 1
            if not end:
                break
            line = payload(data[at:end])
            if line is not None:
                found.append(line)
            n, at = n + 1, end
        return found, n, at or len(data)  # an end without a line break is damaged

    def acknowledge(self, lines: int, length: int, damaged: int = 0) -> None:
        """Says that the lines that read has returned are sent or refused, but for damaged ones."""
        with self.lock:
            first = self._segments[0]
            self._offset += length
            first.events -= lines
            self.lost += damaged
            self._reading = False
        self._save(first.number, self._offset)

    def _save(self, number: int, offset: int) -> None:
        path = os.path.join(self.path, "sent")
        try:
            with open(path + ".new", "w", encoding="ascii") as f:
                f.write("%d %d\n" % (number, offset))
            os.replace(path + ".new", path)
        except OSError:  # the disk is full: after a restart these lines are sent again, which changes nothing
            pass

    def end(self) -> Tuple[int, int]:
        """Returns the position after the last line."""
        with self.lock:
            return (self._segments[-1].number, self._segments[-1].size) if self._segments else (0, 0)

    def passed(self, end: Tuple[int, int]) -> bool:
        """Reports whether everything before a position is sent, refused or dropped."""
        with self.lock:
            if not self._segments:
                return True
            first = self._segments[0]
            at = (first.number, self._offset)
            if len(self._segments) > 1 and self._offset >= first.size:
                at = (self._segments[1].number, 0)
            return at >= end

    def count(self) -> Tuple[int, int]:
        """Returns the numbers of unsent lines and of their bytes."""
        with self.lock:
            return sum(s.events for s in self._segments), max(0, sum(s.size for s in self._segments) - self._offset)

    def oldest(self) -> float | None:
        """Returns when the first unsent line was written, in seconds since 1970, or None."""
        try:
            with open(self._segments[0].path, "rb") as f:
                f.seek(self._offset)
                return int(f.readline().split(b" ", 2)[1]) / 1e9
        except (IndexError, OSError, ValueError):
            return None

    def close(self) -> None:
        """Syncs and gives up the slot. Without unsent lines, the slot has no segments afterwards."""
        try:
            if self.durable != "none":
                self.sync()
            if self._segments and not self.count()[0]:
                self._save(self._segments[-1].number + 1, 0)
                for s in self._segments:
                    remove(s.path)
        finally:
            self.abandon()

    def abandon(self) -> None:
        """Closes the files, as a forked child does, whose parent keeps the slot."""
        for file in [*self._full, self._file, self._slot_lock]:
            if file >= 0:
                os.close(file)
        self._full, self._file, self._slot_lock = [], -1, -1


def payload(line: bytes) -> bytes | None:
    """Returns the payload of a line, or None if its checksum is wrong."""
    try:
        crc, rest = line.split(b" ", 1)
        return rest[rest.index(b" ") + 1 : -1] if line[-1:] == b"\n" and int(crc, 16) == zlib.crc32(rest) else None
    except ValueError:
        return None


def content(path: str, start: int, size: int) -> bytes | None:
    """Reads a part of a file, or all from start with -1. It returns None if the file is gone, or the disk fails."""
    try:
        with open(path, "rb") as f:
            f.seek(start)
            return f.read(size)
    except OSError as e:
        if e.errno not in (errno.ENOENT, errno.EIO):
            raise
        return None


def remove(path: str) -> None:
    try:
        os.remove(path)
    except OSError:
        pass
