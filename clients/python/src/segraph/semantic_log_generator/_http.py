"""The little of the package requests that is needed."""
from __future__ import annotations

import http.client
import json as codec
import ssl
import urllib.request
from typing import Any, Mapping

from .._sender import Token, read_token


class Response:
    def __init__(self, status: int, content: bytes) -> None:
        self.status_code, self.content = status, content
        self.text = content.decode("utf-8", "replace")

    def json(self) -> Any:
        return codec.loads(self.content)

    def raise_for_status(self) -> None:
        if self.status_code >= 300:
            raise OSError("HTTP %d: %s" % (self.status_code, self.text))


class AnyAnswer(urllib.request.HTTPErrorProcessor):
    def http_response(self, request: Any, response: Any) -> Any:
        """Returns errors as answers, and redirects too: another server would get the token."""
        return response

    https_response = http_response


class Session:
    def post(self, url: str, *, json: Any, headers: Mapping[str, str], timeout: float, verify: bool) -> Response:
        """Posts JSON. Without an answer it raises OSError."""
        request = urllib.request.Request(url, codec.dumps(json).encode(), dict(headers), method="POST")
        opener = urllib.request.build_opener(AnyAnswer, urllib.request.HTTPSHandler(context=tls(verify)))
        try:
            with opener.open(request, timeout=timeout) as answer:
                return Response(answer.status, answer.read())
        except http.client.HTTPException as e:
            raise OSError("%s: %s" % (type(e).__name__, e)) from e

    def close(self) -> None:
        pass


def tls(verify: bool) -> ssl.SSLContext | None:
    """Returns a context without verification, or None for the usual one."""
    if verify:
        return None
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return context


def headers(token: Token) -> Mapping[str, str]:
    text = read_token(token)
    return {"Content-Type": "application/json", **({"Authorization": "Bearer " + text} if text else {})}
