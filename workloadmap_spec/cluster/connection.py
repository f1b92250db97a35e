"""A connection to an API server: JSON in and out, through the official client, which knows every way to log in.

The client's models are not used: what the server sends is what the data rules and the mappings are about, and making
models of 50,000 pods takes minutes.
"""

from __future__ import annotations

import json
import logging
from contextlib import contextmanager, suppress
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, Self

from workloadmap_spec.cluster.errors import AnswerError, ClusterError, ConfigurationError, MissingClientError
from workloadmap_spec.cluster.failures import status_error, transport_error
from workloadmap_spec.cluster.kubeconfig import find_target

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from workloadmap_spec.cluster.kubeconfig import Target

Query = tuple[tuple[str, str], ...]

#: Seconds until a server must have taken the connection, and must have sent the next part of an answer.
CONNECT_TIMEOUT: Final = 10.0
READ_TIMEOUT: Final = 60.0

#: How often a request is sent again: after a connection that was closed, and where the server says "later" (429).
_RETRIES: Final = 3

#: How many seconds "later" may be.
_MAX_RETRY_AFTER: Final = 30

#: What a line of a watch has at most: an object of etcd has 1.5 MiB, and no server sends as much as this.
_MAX_LINE: Final = 2**26

#: What is read of the answer to a watch at once.
_CHUNK: Final = 2**16

_OK: Final = 200


class Stream:
    """The answer to a watch, as it comes: an iterator over the JSON values of its lines.

    `close` may be called from another thread, and ends the iteration.
    """

    def __init__(self, connection: Connection, response: Any) -> None:  # noqa: ANN401 - the client is no dependency
        """Begin at the beginning."""
        self._connection = connection
        self._response = response
        self._is_closed = False

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """The values, until the server or `close` ends it.

        Raises:
            UnreachableError: the connection has broken, or nothing came for longer than the timeout.
            AnswerError: something else than JSON has come.
        """
        try:
            for line in self._lines():
                if line.strip():
                    yield _decode(line, "a watch")
        finally:
            self._response.close()

    def _lines(self) -> Iterator[bytes]:
        """The lines that are complete."""
        held: list[bytes] = []
        size = 0
        # Only what is there already: to wait for a whole chunk would hold events back.
        while chunk := self._read():
            *lines, rest = chunk.split(b"\n")
            if lines:
                yield b"".join([*held, lines[0]])
                yield from lines[1:]
                held, size = [], 0
            held.append(rest)
            size += len(rest)
            if size > _MAX_LINE:
                raise AnswerError("the API server answers a watch with a line that does not end")

    def _read(self) -> bytes:
        """What has come; nothing at the end."""
        if self._is_closed:
            return b""
        try:
            chunk: bytes = self._response.read1(_CHUNK)
        except Exception as error:
            if self._is_closed:
                return b""
            raise self._connection.failure(error) from error
        return chunk

    def close(self) -> None:
        """End the iteration, also where another thread waits in it."""
        self._is_closed = True
        # It has no socket any more if it has ended.
        with suppress(ValueError, RuntimeError, OSError):
            self._response.shutdown()


class Connection:
    """A connection to an API server; may be shared between threads.

    Attributes:
        context: The name of the context, `in-cluster` for the cluster around us.
        namespace: The namespace that the context names, else `default`.
        server: The address of the API server.
    """

    def __init__(self, client: Any, context: str, namespace: str) -> None:  # noqa: ANN401 - the client is no dependency
        """Keep an `ApiClient`."""
        self._client = client
        self.context = context
        self.namespace = namespace
        self.server: str = client.configuration.host
        self._is_closed = False

    def __enter__(self) -> Self:
        """Close at the end."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close."""
        self.close()

    def close(self) -> None:
        """Give the sockets back; nothing more can be asked."""
        self._is_closed = True
        self._client.close()

    def failure(self, error: BaseException) -> ClusterError:
        """The error for people that stands for one of the transport."""
        return transport_error(error, self.server, self.context)

    def get(self, path: str, query: Sequence[tuple[str, str]] = (), accept: str = "application/json") -> dict[str, Any]:
        """The JSON object at a path.

        Args:
            path: Begins with a slash; names in it are escaped already.
            query: Names and values.
            accept: The media types that are taken.

        Raises:
            UnreachableError: There is no answer; `CertificateError` if it is for a certificate.
            StatusError: The server refuses: `UnauthorizedError`, `ForbiddenError`, `NotFoundError`, `ExpiredError`.
            AnswerError: The answer is no JSON object.
        """
        # As Go's transport does it, which makes it a tenth of the bytes.
        headers = {"Accept": accept, "Accept-Encoding": "gzip"}
        response = self._send(path, query, headers, READ_TIMEOUT)
        try:
            body = response.data
        except Exception as error:
            raise self.failure(error) from error
        if response.status != _OK:
            raise status_error(response.status, body, f"GET {path}", self.context)
        return _decode(body, path)

    def stream(self, path: str, query: Sequence[tuple[str, str]], timeout: float) -> Stream:
        """The answer to a watch.

        Args:
            path: As for `get`.
            query: Names and values.
            timeout: How many seconds may pass without anything.

        Raises:
            UnreachableError, StatusError: As for `get`.
        """
        response = self._send(path, query, {"Accept": "application/json"}, timeout)
        if response.status != _OK:
            try:
                body = response.data
            except Exception as error:
                raise self.failure(error) from error
            raise status_error(response.status, body, f"GET {path}", self.context)
        return Stream(self, response)

    def _send(self, path: str, query: Sequence[tuple[str, str]], headers: Mapping[str, str], timeout: float) -> Any:  # noqa: ANN401 - urllib3 is no dependency
        """Send a request; gives urllib3's response before its body was read."""
        if self._is_closed:
            raise ClusterError(f"the connection to {self.server} is closed")
        try:
            request = self._client.param_serialize(
                "GET", path, query_params=list(query), header_params=dict(headers), auth_settings=["BearerToken"]
            )
            return self._client.call_api(*request, _request_timeout=(CONNECT_TIMEOUT, timeout)).response
        except Exception as error:
            # The client raises errors of urllib3, of its own, and of the ways to log in.
            raise self.failure(error) from error


def _decode(body: bytes, what: str) -> dict[str, Any]:
    """The JSON object of a body."""
    try:
        value = json.loads(body)
    except (ValueError, RecursionError) as error:
        message = f"the API server answers {what} with something that is no JSON"
        raise AnswerError(message, "is there a proxy that wants a login?") from error
    if not isinstance(value, dict):
        raise AnswerError(f"the API server answers {what} with JSON that is no object")
    return value


def connect(kubeconfig: str | None = None, context: str | None = None) -> Connection:
    """A connection to the cluster that a kubeconfig names, or to the one around us.

    Nothing is sent yet: whether the server can be reached shows with the first request.

    Args:
        kubeconfig: A file; None for those of KUBECONFIG, else `~/.kube/config`, else the service account of the pod.
        context: A context of it; None for its current one.

    Raises:
        MissingClientError: The Kubernetes client is not installed.
        ConfigurationError: There is no configuration, or it cannot be used; `UnknownContextError` names the contexts.
    """
    client, config = _client_modules()
    target = find_target(kubeconfig, context)
    configuration = client.Configuration()
    configuration.retries = _retries()
    try:
        with _told_failures() as told:
            _load(config, configuration, target)
    except Exception as error:
        # Whatever is wrong with a configuration: the client has no error of its own for most of it.
        message = f"the context {target.context} cannot be used: {_one_line(error)}"
        raise ConfigurationError(message, _CHECK_CONTEXT) from error
    if told:
        message = f"the credentials of the context {target.context} cannot be had: {' '.join(told[-1].split())}"
        raise ConfigurationError(message, "log in again, or check `users` of the kubeconfig")
    if not configuration.verify_ssl:
        # Somebody has asked for it in the kubeconfig, where kubectl says nothing either.
        urllib3 = import_module("urllib3")
        urllib3.disable_warnings(urllib3.exceptions.InsecureRequestWarning)
    api_client = client.ApiClient(configuration)
    api_client.user_agent = "workloadmap"
    if target.impersonate:
        # What the client does not read from a kubeconfig.
        api_client.set_default_header("Impersonate-User", target.impersonate)
    return Connection(api_client, target.context, target.namespace)


_CHECK_CONTEXT: Final = "check its cluster and its user in the kubeconfig"


def _one_line(error: BaseException) -> str:
    """The text of an error in one line."""
    return " ".join(str(error).split()) or type(error).__name__


def _client_modules() -> tuple[Any, Any]:
    """The modules of the client, which is no dependency of this package."""
    try:
        return import_module("kubernetes.client"), import_module("kubernetes.config")
    except ImportError as error:
        raise MissingClientError(
            "the Kubernetes client, which reads from a cluster, is not installed",
            "pip install 'workloadmap-spec[cluster]'",
        ) from error


def _retries() -> Any:  # noqa: ANN401 - urllib3 is no dependency
    """How often a request is sent again; a refusal that stays is given as it is."""
    retry = import_module("urllib3.util.retry").Retry
    # A connection that the server has closed fails once; a server that does not answer is not asked for minutes.
    return retry(
        total=_RETRIES, connect=1, read=1, backoff_factor=0.1, raise_on_status=False, retry_after_max=_MAX_RETRY_AFTER
    )


def _load(config: Any, configuration: Any, target: Target) -> None:  # noqa: ANN401 - the client is no dependency
    """Fill the client's configuration; nothing is written to the files, and no temporary ones outlast us."""
    if not target.files:
        config.load_incluster_config(client_configuration=configuration)
        return
    loader = import_module("kubernetes.config.kube_config")
    # What the client's own separator means in a path cannot be escaped.
    files = loader.ENV_KUBECONFIG_PATH_SEPARATOR.join(map(str, target.files))
    config.load_kube_config(files, target.context, configuration, persist_config=False)


class _Listener(logging.Handler):
    """Keeps what is logged."""

    def __init__(self, told: list[str]) -> None:
        """Keep errors only."""
        super().__init__(logging.ERROR)
        self._told = told

    def emit(self, record: logging.LogRecord) -> None:
        """Keep the text of one record."""
        self._told.append(record.getMessage())


@contextmanager
def _told_failures() -> Iterator[list[str]]:
    """What the client logs to the root logger, where it tells of a plug-in for credentials that has failed."""
    told: list[str] = []
    listener = _Listener(told)
    root = logging.getLogger()
    root.addHandler(listener)
    try:
        yield told
    finally:
        root.removeHandler(listener)
