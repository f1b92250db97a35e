"""Failures of the transport and refusals of the API server, made into errors for people."""

from __future__ import annotations

import json
import ssl
from typing import TYPE_CHECKING, Any, Final

from workloadmap_spec.cluster.errors import (
    CertificateError,
    ClusterError,
    ExpiredError,
    ForbiddenError,
    NotFoundError,
    StatusError,
    UnauthorizedError,
    UnreachableError,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

UNAUTHORIZED: Final = 401
FORBIDDEN: Final = 403
NOT_FOUND: Final = 404
METHOD_NOT_ALLOWED: Final = 405
GONE: Final = 410

_CLASSES: Final = {
    UNAUTHORIZED: UnauthorizedError,
    FORBIDDEN: ForbiddenError,
    NOT_FOUND: NotFoundError,
    GONE: ExpiredError,
}

#: How much of a text that is no Status is told.
_MAX_DETAIL: Final = 200


def status_error(status: int, body: bytes | dict[str, Any], what: str, context: str) -> StatusError:
    """The error for a refusal.

    Args:
        status: The code of HTTP.
        body: What came with it, which is a Status (source: apimachinery `pkg/apis/meta/v1/types.go`) if the API
            server itself has refused, and anything if a proxy has.
        what: What was asked for, such as `GET /api/v1/pods`.
        context: The name of the context.
    """
    detail = _detail(body)
    cure = None
    if status == UNAUTHORIZED:
        message = f"the API server does not accept the credentials of the context {context}: {detail}"
        cure = "log in again, or choose another context with --context"
    else:
        message = f"the API server refuses {what}: {detail} ({status})"
    return _CLASSES.get(status, StatusError)(message, cure, status, detail)


def _detail(body: bytes | dict[str, Any]) -> str:
    """The message of a Status, or the beginning of what else came."""
    text = "no reason given"
    if isinstance(body, bytes):
        text = " ".join(body[: _MAX_DETAIL * 4].decode("utf-8", "replace").split())[:_MAX_DETAIL] or text
        try:
            body = json.loads(body)
        except (ValueError, RecursionError):
            return text
    message = body.get("message") if isinstance(body, dict) else None
    return " ".join(message.split()) if isinstance(message, str) and message else text


def transport_error(error: BaseException, server: str, context: str) -> ClusterError:
    """The error for an API server that gives no answer.

    Args:
        error: What urllib3 or the client has raised; the cause that people understand is the innermost.
        server: The address of the API server.
        context: The name of the context.
    """
    chain = list(_chain(error))
    for link in chain:
        if isinstance(link, ssl.SSLCertVerificationError):
            reason = link.verify_message or str(link)
            return CertificateError(
                f"the certificate of {server} is not accepted: {reason.rstrip('.')}",
                f"check certificate-authority-data and server of the context {context}",
            )
    if any(isinstance(link, ssl.SSLError) or type(link).__name__ == "SSLError" for link in chain):
        return CertificateError(
            f"no secure connection to {server}: {_reason(chain)}",
            f"check server, certificates and keys of the context {context}",
        )
    return UnreachableError(
        f"the API server {server} cannot be reached: {_reason(chain)}",
        f"check the network, and that the context {context} is the one that is meant",
    )


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    """An error and what has led to it, the innermost last."""
    seen: set[int] = set()
    while isinstance(error, BaseException) and id(error) not in seen:
        seen.add(id(error))
        yield error
        reason = getattr(error, "reason", None)
        error = reason if isinstance(reason, BaseException) else error.__cause__ or error.__context__


def _reason(chain: list[BaseException]) -> str:
    """Why, in the words of the system where it has any."""
    for link in reversed(chain):
        if isinstance(link, TimeoutError) or type(link).__name__ in {"ReadTimeoutError", "ConnectTimeoutError"}:
            return "there is no answer in time"
        if isinstance(link, ssl.SSLError):
            return link.reason or str(link)
        if isinstance(link, OSError) and link.strerror:
            return link.strerror
    return " ".join(str(chain[-1]).split())
