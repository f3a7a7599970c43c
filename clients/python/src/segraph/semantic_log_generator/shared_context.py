"""Asks the service for the IRI of a shared event."""
from __future__ import annotations

import logging
import os
from typing import Any, Mapping

from ._http import Session, headers
from .types import SharedEventRequest

logger = logging.getLogger(__name__)


class HTTPSharedContextResolver:
    """Asks POST /shared-context/resolve, and waits for the answer. On an error it raises if raise_on_error is set;
    otherwise it returns None, so that the logger makes an IRI itself, and counts that in fallbacks."""

    def __init__(self, *, base_url: str, token: str | None = None, timeout_seconds: float = 5.0,
                 verify_tls: bool = True, raise_on_error: bool = False,
                 endpoint_path: str = "/shared-context/resolve", session: Any = None) -> None:
        if not base_url or not isinstance(base_url, str):
            raise ValueError("base_url must be a str that is not empty")
        self.base_url, self.token, self.timeout_seconds = base_url.rstrip("/"), token, timeout_seconds
        self.verify_tls, self.raise_on_error, self.endpoint_path = verify_tls, raise_on_error, endpoint_path
        self.session = Session() if session is None else session
        self.fallbacks = 0

    def __call__(self, request: SharedEventRequest) -> str | None:
        question = {
            "event_kind": request.event_kind, "observed_at": request.observed_at.isoformat(),
            "subject_uri": None if request.subject is None else str(request.subject),
            "modality": request.modality, "text": request.text,
        }
        url = self.base_url + self.endpoint_path
        try:
            answer = self.session.post(url, json=question, headers=headers(self.token), timeout=self.timeout_seconds,
                                       verify=self.verify_tls)
            answer.raise_for_status()
            iri = answer.json().get("shared_context_uri")
            if not iri:
                raise ValueError("the answer has no shared_context_uri")
            return str(iri)
        except (AttributeError, OSError, ValueError) as e:  # the first, for JSON that is no object
            if self.raise_on_error:
                raise
            self.fallbacks += 1
            logger.warning("%s does not answer, so the IRI of the event is made here: %s", url, e)
            return None

    def close(self) -> None:
        self.session.close()


def build_http_shared_context_resolver_from_env(
        *, env: Mapping[str, str] | None = None) -> HTTPSharedContextResolver | None:
    """Makes a resolver from SEGB_API_URL, SEGB_API_TOKEN and SEGB_SHARED_CONTEXT_{TIMEOUT_SECONDS,VERIFY_TLS,
    RAISE_ON_ERROR}. Without a URL, it returns None."""
    env = os.environ if env is None else env
    if not env.get("SEGB_API_URL"):
        return None

    def flag(name: str, usual: bool) -> bool:
        word = env.get("SEGB_SHARED_CONTEXT_" + name, "").strip().lower()
        return word not in ("0", "false", "no", "n", "off") and (usual or word in ("1", "true", "yes", "y", "on"))

    timeout = 5.0
    text = env.get("SEGB_SHARED_CONTEXT_TIMEOUT_SECONDS")
    try:
        if text and float(text) > 0:
            timeout = float(text)
        elif text:
            raise ValueError(text)
    except ValueError:
        logger.warning("SEGB_SHARED_CONTEXT_TIMEOUT_SECONDS must be a number over 0, not %r: 5 s are used", text)
    return HTTPSharedContextResolver(
        base_url=env["SEGB_API_URL"], token=env.get("SEGB_API_TOKEN"), timeout_seconds=timeout,
        verify_tls=flag("VERIFY_TLS", True), raise_on_error=flag("RAISE_ON_ERROR", False))
