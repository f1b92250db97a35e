"""Watching: lists that are kept up to date, with a thread for each, and changes told together.

What a watch is, and when a list must be read again, is Kubernetes' own (source: kubernetes.io, API concepts, "Efficient
detection of changes", and k8s.io/client-go `tools/cache/reflector.go`): a list gives a resource version, a watch goes
on from it, bookmarks move it on, and where a version is forgotten (410) the list is read again.
"""

from __future__ import annotations

from dataclasses import dataclass
from queue import Empty, SimpleQueue
from threading import Event, Lock, Thread
from time import monotonic
from typing import TYPE_CHECKING, Any, Final, Self

from workloadmap_spec.cluster.errors import ClusterError, ExpiredError, StatusError, UnauthorizedError
from workloadmap_spec.cluster.failures import FORBIDDEN, METHOD_NOT_ALLOWED, NOT_FOUND, status_error
from workloadmap_spec.cluster.listing import complete, list_objects, skipped
from workloadmap_spec.cluster.mirror import Change, Mirror, Source

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from workloadmap_spec.cluster.connection import Stream
    from workloadmap_spec.cluster.discovery import Resource, Skipped
    from workloadmap_spec.cluster.kinds import ServedKind
    from workloadmap_spec.cluster.view import Cluster

#: Refusals that last: the kind is left out from then on.
_LASTING: Final = frozenset({FORBIDDEN, NOT_FOUND, METHOD_NOT_ALLOWED})

#: How long a watch must last, if nothing comes, not to count as broken.
_LEAST_SECONDS: Final = 1.0

#: How much longer than asked a server may take to end a watch.
_GRACE: Final = 15.0

#: How long `close` waits for a thread that is reading a list; it ends with the process in any case.
_JOIN_SECONDS: Final = 1.0

#: How often somebody who waits looks whether an interrupt has come, which some systems do not tell otherwise.
_GLANCE: Final = 1.0


@dataclass(frozen=True, slots=True)
class Pace:
    """How patient a watch is; in seconds, but for `failures`."""

    #: For how long changes are collected before they are told together.
    quiet: float = 0.2
    #: Before a broken watch is begun again: at first, and at most. It doubles in between.
    first_pause: float = 0.5
    longest_pause: float = 30.0
    #: How many failures without anything in between end everything.
    failures: int = 8
    #: How long the server is asked to keep a watch open.
    open: int = 290
    #: After which referenced objects are fetched again.
    refresh: float = 30.0


@dataclass(frozen=True, slots=True)
class _News:
    """What a thread has to tell of its source: exactly one of the members is there."""

    source: Source
    listed: list[dict[str, Any]] | None = None
    event: tuple[str, dict[str, Any]] | None = None
    refused: Skipped | None = None
    trouble: ClusterError | None = None
    failed: ClusterError | None = None


def watch(  # noqa: PLR0913 - the facts of a request
    cluster: Cluster,
    kinds: Sequence[ServedKind],
    namespace: str | None = None,
    selector: str | None = None,
    *,
    tell: Callable[[Resource, ClusterError], None] | None = None,
    pace: Pace | None = None,
) -> Watch:
    """Watch the workloads of some kinds, and their pods.

    The watch is an iterator over lists of changes. The first list has every object that is there, and may be empty; a
    later one has what has changed within a moment, each object once. Before a list is given, `mirror` is brought up to
    date with it. What workloads refer to is fetched, and not watched.

    Args:
        cluster: What `look` gives.
        kinds: The kinds, from `cluster.kinds`.
        namespace: One namespace; None for all.
        selector: A label selector for the workloads.
        tell: Hears, in the thread that iterates, that a watch is broken and is begun again.
        pace: How patient it is.

    Returns:
        The watch, which is a context manager, too. It ends with `close`, with an error, and with an interrupt, which
        passes through to the caller.
    """
    return Watch(cluster, kinds, (namespace, selector), tell, pace or Pace())


class Watch:
    """See `watch`."""

    def __init__(
        self,
        cluster: Cluster,
        kinds: Sequence[ServedKind],
        asked: tuple[str | None, str | None],
        tell: Callable[[Resource, ClusterError], None] | None,
        pace: Pace,
    ) -> None:
        """Begin nothing yet."""
        self._namespace, selector = asked
        self._cluster = cluster
        self._tell = tell
        self._pace = pace
        sources = [Source(kind.resource, selector, is_workloads=True) for kind in kinds]
        pods = cluster.kinds.discovery.find("v1", "Pod")
        if pods is not None and Source(pods, None, is_workloads=True) not in sources:
            sources.append(Source(pods, None, is_workloads=False))
        self._sources = tuple(dict.fromkeys(sources))
        #: The objects as they are now.
        self.mirror: Final = Mirror(cluster, self._sources, pace.refresh)
        self._news: SimpleQueue[_News] = SimpleQueue()
        self._stopped = Event()
        self._lock = Lock()
        self._streams: dict[Source, Stream] = {}
        self._threads: list[Thread] = []
        self._changes = self._iterate()

    def __enter__(self) -> Self:
        """Close at the end."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close."""
        self.close()

    def __iter__(self) -> Iterator[list[Change]]:
        """The one iterator that there is."""
        return self._changes

    def __next__(self) -> list[Change]:
        """The next changes, as soon as there are any.

        Raises:
            StopIteration: It was closed.
            UnreachableError, UnauthorizedError, AnswerError: The server has not answered for too long.
        """
        return next(self._changes)

    def close(self) -> None:
        """End all watches."""
        self._stopped.set()
        with self._lock:
            for stream in self._streams.values():
                stream.close()
        for thread in self._threads:
            thread.join(_JOIN_SECONDS)

    # The thread that iterates

    def _iterate(self) -> Iterator[list[Change]]:
        """The changes, collected."""
        try:
            self._begin()
            waiting = set(self._sources)
            while waiting and not self._stopped.is_set():
                news = self._next(_GLANCE)
                if news is not None and self._take(news):
                    waiting.discard(news.source)
            if not self._stopped.is_set():
                yield self.mirror.settle()
            while not self._stopped.is_set():
                if self._collect() and (changes := self.mirror.settle()):
                    yield changes
        finally:
            self.close()

    def _begin(self) -> None:
        """Start a thread for each source."""
        for source in self._sources:
            name = f"watch {source.resource.name}"
            self._threads.append(Thread(target=self._follow, args=(source,), name=name, daemon=True))
        for thread in self._threads:
            thread.start()

    def _next(self, timeout: float) -> _News | None:
        """What comes next, if something comes in time."""
        try:
            return self._news.get(timeout=max(timeout, 0.0))
        except Empty:
            return None

    def _collect(self) -> bool:
        """Wait for news and take what comes within a moment of it; tells whether objects are concerned."""
        news = self._next(_GLANCE)
        end = monotonic() + self._pace.quiet
        is_change = False
        while news is not None:
            is_change |= self._take(news)
            left = end - monotonic()
            news = self._next(left) if left > 0 else None
        return is_change

    def _take(self, news: _News) -> bool:
        """Bring the mirror up to date; tells whether the news are of objects."""
        if news.failed is not None:
            raise news.failed
        if news.trouble is not None:
            if self._tell is not None:
                self._tell(news.source.resource, news.trouble)
            return False
        if news.refused is not None:
            self.mirror.refuse(news.source, news.refused)
        elif news.listed is not None:
            self.mirror.replace(news.source, news.listed)
        elif news.event is not None:
            what, item = news.event
            if what == "DELETED":
                self.mirror.remove(news.source, item)
            else:
                self.mirror.put(news.source, item)
        return True

    # The thread of a source

    def _follow(self, source: Source) -> None:
        """List and watch one source until the end."""
        state = _State(self._pace)
        while not self._stopped.is_set():
            try:
                if not state.version:
                    listed = list_objects(
                        self._cluster.connection, source.resource, self._inside(source), source.selector
                    )
                    state.version = listed.resource_version
                    self._news.put(_News(source, listed=listed.items))
                    state.has_listed = True
                self._watch(source, state)
            except ExpiredError as error:
                # Once is usual, after a long sleep; again and again without an event in between is not.
                state.version = ""
                if state.failures:
                    self._fail(source, state, error)
                state.failures += 1
            except ClusterError as error:
                if isinstance(error, StatusError) and self._lasts(error, state):
                    verb = "watch" if state.version else "list"
                    self._news.put(_News(source, refused=skipped(source.resource, error, verb, self._inside(source))))
                    return
                state.failures += 1
                self._fail(source, state, error)
            except Exception as error:  # noqa: BLE001 - a thread that dies in silence would leave the others waiting
                self._news.put(_News(source, failed=ClusterError(f"{type(error).__name__}: {error}")))
                return

    def _fail(self, source: Source, state: _State, error: ClusterError) -> None:
        """Tell of a failure, and wait; the last one ends everything."""
        if not state.has_listed or state.failures >= self._pace.failures:
            self._news.put(_News(source, failed=error))
            self._stopped.wait()
            return
        self._news.put(_News(source, trouble=error))
        self._stopped.wait(state.next_pause())

    def _lasts(self, error: StatusError, state: _State) -> bool:
        """Whether a refusal is for good: in the beginning each is, but for one that every kind will meet."""
        return error.status in _LASTING or not (state.has_listed or isinstance(error, UnauthorizedError))

    def _inside(self, source: Source) -> str | None:
        """The namespace of a source, where it has any."""
        return self._namespace if source.resource.namespaced else None

    def _watch(self, source: Source, state: _State) -> None:
        """One watch, from the version of the state to its end."""
        began = monotonic()
        query = [
            ("watch", "1"),
            ("allowWatchBookmarks", "true"),
            ("resourceVersion", state.version),
            ("timeoutSeconds", str(self._pace.open)),
        ]
        if source.selector:
            query.append(("labelSelector", source.selector))
        path = source.resource.path(self._inside(source))
        stream = self._cluster.connection.stream(path, query, self._pace.open + _GRACE)
        with self._lock:
            self._streams[source] = stream
            if self._stopped.is_set():
                stream.close()
        has_come = False
        try:
            for event in stream:
                has_come = True
                self._event(source, state, event)
        finally:
            with self._lock:
                self._streams.pop(source, None)
        if has_come or monotonic() - began >= _LEAST_SECONDS:
            state.succeed()
        else:
            self._stopped.wait(state.next_pause())

    def _event(self, source: Source, state: _State, event: dict[str, Any]) -> None:
        """One event of a watch."""
        what, item = event.get("type"), event.get("object")
        item = item if isinstance(item, dict) else {}
        if what == "ERROR":
            code = item.get("code")
            name = f"to watch {source.resource.name}"
            raise status_error(code if isinstance(code, int) else 0, item, name, self._cluster.connection.context)
        metadata = item.get("metadata")
        version = metadata.get("resourceVersion") if isinstance(metadata, dict) else None
        if isinstance(version, str) and version:
            state.version = version
        state.succeed()
        if what in ("ADDED", "MODIFIED", "DELETED"):
            self._news.put(_News(source, event=(what, complete(item, source.resource))))


class _State:
    """Where the thread of a source is."""

    def __init__(self, pace: Pace) -> None:
        """Begin with a list."""
        self._pace = pace
        #: The resource version to go on from; empty if the list must be read.
        self.version = ""
        self.has_listed = False
        self.failures = 0
        self._pause = pace.first_pause

    def succeed(self) -> None:
        """Something has come."""
        self.failures = 0
        self._pause = self._pace.first_pause

    def next_pause(self) -> float:
        """How long to wait this time; the next time it is twice as long."""
        pause, self._pause = self._pause, min(2 * self._pause, self._pace.longest_pause)
        return pause
