"""Power cuts of the queue: each moment between two calls of the system becomes images of the disk, on which everything
that was not synced is there, gone, or torn."""
import os
import random
import shutil
import sys
import tempfile
import unittest
from unittest import mock

import base  # noqa: F401  the path of the client
from segraph import _queue
from segraph._queue import Queue, own_slot


class Disk:
    """Stands in for the module os in the queue, and notes what changes. Names of files change in order, and are on the
    disk once their folder or the file is synced; what is in a file, once that is."""

    def __init__(self):
        self.acts, self.paths = [], {}

    def __getattr__(self, name):
        return getattr(os, name)

    def open(self, path, flags, *mode):
        new = flags & os.O_CREAT and not os.path.exists(path)
        file = os.open(path, flags, *mode)
        self.paths[file] = path
        if new:
            self.acts.append(("create", path))
        return file

    def write(self, file, data):
        self.acts.append(("write", self.paths[file], os.fstat(file).st_size, bytes(data)))
        return os.write(file, data)

    def fsync(self, file):
        self.acts.append(("names",))
        os.fsync(file)

    def fdatasync(self, file):
        self.acts.append(("sync", self.paths[file]))

    def remove(self, path):
        self.acts.append(("remove", path))
        os.remove(path)

    def replace(self, old, new):
        with open(old, "rb") as f:
            self.acts += [("create", old), ("write", old, 0, f.read()), ("rename", old, new)]
        os.replace(old, new)

    def cut(self, n, choose, folder):
        """Makes an image of the disk after the first n acts, in a folder. choose(low, high) decides what survives."""
        acts = self.acts[:n]
        renames = [i for i, a in enumerate(acts) if a[0] in ("create", "remove", "rename")]
        safe = max([i for i, a in enumerate(acts) if a[0] == "names"], default=-1)
        kept = choose(sum(i <= safe for i in renames), len(renames))
        last = ([-1] + renames)[kept]
        files = {}  # path -> identity; the content belongs to the identity
        synced, writes, identity = {}, {}, {}
        for i, a in enumerate(acts):
            if a[0] == "create":
                identity[a[1]] = i
            elif a[0] == "rename":
                identity[a[2]] = identity.pop(a[1])
            elif a[0] == "write":
                writes.setdefault(identity[a[1]], []).append((i, a[2], a[3]))
            elif a[0] == "sync":
                synced[identity[a[1]]] = i
            if i <= last and a[0] == "create":
                files[a[1]] = i
            elif i <= last and a[0] == "remove":
                files.pop(a[1], None)
            elif i <= last and a[0] == "rename":
                files[a[2]] = files.pop(a[1])
        for path, file in files.items():
            content = bytearray()
            for i, at, data in writes.get(file, []):
                if i > synced.get(file, -1):
                    data = data[: choose(0, len(data))]
                    if not data:
                        continue
                content[len(content):] = bytes(max(0, at - len(content)))
                content[at : at + len(data)] = data
            with open(os.path.join(folder, os.path.basename(path)), "wb") as f:
                f.write(content)


class TestPowerCuts(unittest.TestCase):
    def check(self, durable, seed):
        folder = tempfile.mkdtemp(prefix="segraph-", dir="/dev/shm" if os.path.isdir("/dev/shm") else None)
        self.addCleanup(shutil.rmtree, folder, True)
        rng, disk = random.Random(seed), Disk()
        lines, sent, moments = [], 0, []  # moments: acts so far, lines that must be there, lines that were sent

        def note():
            safe = {"each": len(lines), "group": synced, "none": 0}[durable]
            moments.append((len(disk.acts), safe, sent))

        synced = 0
        path, lock = own_slot(os.path.join(folder, "q"))
        with mock.patch.object(_queue, "os", disk):
            queue = Queue(path, lock, limit=4000, durable=durable)  # segments of 500 bytes
            for n in range(70):
                lines.append(b'{"n":%d,"text":"%s"}' % (n, b"x" * rng.randrange(60)))
                self.assertTrue(queue.append(lines[-1], 10**18 + n))
                note()
                if rng.random() < 0.25:
                    queue.sync()
                    synced = len(lines)
                    note()
                if rng.random() < 0.2:
                    found, count, length = queue.read(rng.randrange(1, 9), 1 << 20)
                    if length:
                        queue.acknowledge(count, length)
                        sent += len(found)
                        note()
            self.assertEqual(queue.lost, 0)
            queue.abandon()
        images = 0
        for n in range(len(disk.acts) + 1):
            before = [m for m in moments if m[0] <= n]
            safe, gone = (max(m[1] for m in before), before[-1][2]) if before else (0, 0)
            after = next((m[2] for m in moments if m[0] >= n), sent)
            for choose in (lambda low, high: low), (lambda low, high: high), rng.randint, rng.randint:
                image = os.path.join(folder, "image")
                shutil.rmtree(image, True)
                os.makedirs(image)
                disk.cut(n, choose, image)
                self.restart(image, lines, safe, max(gone, after))
                images += 1
        return images

    def restart(self, image, lines, safe, sent):
        """After two starts on an image, every durable line that was not sent is there, each once and in order."""
        after = b'{"n":"%s"}' % (b"x" * 1000)
        for start in range(2):
            queue = Queue(image, os.open(os.path.join(image, "lock"), os.O_RDWR | os.O_CREAT), durable="none")
            if start == 0:
                self.assertTrue(queue.append(after, 1))
                queue.abandon()
        found = []
        while True:
            got, count, length = queue.read(1000, 1 << 20)
            if not length:
                break
            found += got
            queue.acknowledge(count, length, count - len(got))
        queue.abandon()
        self.assertEqual(found.pop(), after)
        places = [lines.index(line) for line in found]
        self.assertEqual(places, sorted(set(places)), "out of order, or twice")
        self.assertEqual(sorted(set(range(sent, safe)) - set(places)), [], "lost")

    def test_what_is_synced_is_there_and_nothing_twice(self):
        seed = sys.version_info.minor  # each Python tries another history
        images = sum(self.check(durable, seed) for durable in ("group", "each", "none"))
        self.assertGreater(images, 1500)


if __name__ == "__main__":
    unittest.main()
