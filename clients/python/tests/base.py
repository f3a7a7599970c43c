"""What the tests share."""
import logging
import os
import shutil
import sys
import tempfile
import unittest
from unittest import mock

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.environ.get("SEGRAPH_CLIENT") or os.path.join(os.path.dirname(HERE), "src")  # or an installed one
for path in (HERE, SOURCE):
    if path not in sys.path:
        sys.path.insert(0, path)

from segraph import Client, _sender  # noqa: E402
from service import Service  # noqa: E402

logging.getLogger("segraph").setLevel(logging.CRITICAL)


class Case(unittest.TestCase):
    """A test with a service, a folder, and waits that are a hundred times shorter."""

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="segraph-")
        self.addCleanup(shutil.rmtree, self.folder, True)
        self.service = Service()
        self.addCleanup(self.service.close)
        for name, seconds in ("FIRST_WAIT", 0.001), ("LONGEST_WAIT", 0.05), ("DENIED_WAIT", 0.2), ("SILENCE", 0.5):
            patch = mock.patch.object(_sender, name, seconds)
            patch.start()
            self.addCleanup(patch.stop)

    def client(self, **settings):
        settings = {"url": self.service.url, "robot": "iris", "base": "https://museum.example/",
                    "queue": os.path.join(self.folder, "queue"), **settings}
        client = Client(**settings)
        self.addCleanup(client.close, 0.1)
        return client

    def sent(self, client):
        self.assertTrue(client.flush(20), client.status())
        return self.service.texts()
