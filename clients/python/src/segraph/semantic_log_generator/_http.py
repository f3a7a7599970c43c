"""The little of the package requests that is needed."""
from __future__ import annotations

import json as codec
import ssl
import urllib.error
import urllib.request
from typing import Any, Mapping


class Response:
    def __init__(self, status: int, content: bytes) -> None:
        self.status_code, self.content = status, content
        self.text = content.decode("utf-8", "replace")

    def json(self) -> Any:
        return codec.loads(self.content)

    def raise_for_status(self) -> None:
        if self.status_code >= 400:
            raise OSError("HTTP %d: %s" % (self.status_code, self.text))


class Session:
    def post(self, url: str, *, json: Any, headers: Mapping[str, str], timeout: float, verify: bool) -> Response:
        """Posts JSON. Without an answer it raises OSError."""
        request = urllib.request.Request(url, codec.dumps(json).encode(), dict(headers), method="POST")
        try:
            with urllib.request.urlopen(request, timeout=timeout, context=tls(verify)) as answer:
                return Response(answer.status, answer.read())
        except urllib.error.HTTPError as e:
            with e:
                return Response(e.code, e.read())

    def close(self) -> None:
        pass


def tls(verify: bool) -> ssl.SSLContext | None:
    """Returns a context without verification, or None for the usual one."""
    if verify:
        return None
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return context


def headers(token: str | None) -> Mapping[str, str]:
    return {"Content-Type": "application/json", **({"Authorization": "Bearer " + token} if token else {})}
