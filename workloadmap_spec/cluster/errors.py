"""What can go wrong with a cluster: one class for each kind of failure, with the facts as attributes."""

from __future__ import annotations

from typing import ClassVar

from workloadmap_spec.errors import NoMappingError, WorkloadMapError


class ClusterError(WorkloadMapError):
    """The base: something between us and the cluster.

    The specification knows no clusters, so the text has no error class in brackets.
    """

    error_class: ClassVar[str] = "cluster"

    def __init__(self, message: str, cure: str | None = None) -> None:
        """Keep the parts; there is no place in a file."""
        super().__init__(message, None, cure)

    def __str__(self) -> str:
        """The whole error in one line, and the cure in a second."""
        return f"{self.message}\n  {self.cure}" if self.cure else self.message


class MissingClientError(ClusterError):
    """The Kubernetes client is not installed."""


class ConfigurationError(ClusterError):
    """No configuration says how to reach a cluster, or it cannot be used."""


class UnknownContextError(ConfigurationError, LookupError):
    """The configuration has no such context; `known` has those that it has."""

    def __init__(self, message: str, cure: str, known: tuple[str, ...]) -> None:
        """Keep the contexts, too."""
        super().__init__(message, cure)
        self.known = known


class UnreachableError(ClusterError):
    """The API server cannot be reached, or has ceased to answer."""


class CertificateError(UnreachableError):
    """The certificate of the API server, or the one that is shown to it, is not accepted."""


class AnswerError(ClusterError):
    """The API server answers with something that is not what its API says."""


class StatusError(ClusterError):
    """The API server refuses; `status` is the code of HTTP, and `detail` its own text."""

    def __init__(self, message: str, cure: str | None, status: int, detail: str) -> None:
        """Keep the code and the server's own text, too."""
        super().__init__(message, cure)
        self.status = status
        self.detail = detail


class UnauthorizedError(StatusError):
    """The API server does not know who asks (401)."""


class ForbiddenError(StatusError):
    """Who asks may not (403)."""


class NotFoundError(StatusError, LookupError):
    """There is no such object, or no such kind (404)."""


class ExpiredError(StatusError):
    """What a continue token or a resource version means is forgotten (410): begin again."""


class UnknownKindError(ClusterError, LookupError):
    """The cluster serves no kind of that name."""


class AmbiguousKindError(ClusterError, LookupError):
    """Several kinds have that name; `choices` has a name for each that is its own."""

    def __init__(self, message: str, cure: str, choices: tuple[str, ...]) -> None:
        """Keep the choices, too."""
        super().__init__(message, cure)
        self.choices = choices


class UnmappedKindError(ClusterError, NoMappingError):
    """The cluster serves the kind, and no mapping reads it."""

    error_class = "no-mapping"
