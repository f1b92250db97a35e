"""Objects of any kind on a server, as plain data."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any, Final

from kubernetes import config
from kubernetes.dynamic import DynamicClient
from kubernetes.dynamic.exceptions import DynamicApiError, ResourceNotFoundError, ResourceNotUniqueError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

_DEFINITION: Final = ("apiextensions.k8s.io/v1", "CustomResourceDefinition")

ESTABLISH_SECONDS: Final = 60


class RefusedError(Exception):
    """The server does not take an object, or does not know its kind; the text is the server's."""


class Cluster:
    """What a user can do with objects on a server. It is not to be shared between threads."""

    def __init__(self, kubeconfig: Path) -> None:
        """Reach the server of a kubeconfig.

        What the client learns about the server it keeps in a file. It stands beside the kubeconfig, because the usual
        place is by address, and the next server may have the same one.
        """
        # The client's package says that it is typed, and has no types here.
        api = config.new_client_from_config(str(kubeconfig))  # type: ignore[no-untyped-call]
        cache = f"{kubeconfig}.discovery"
        self._client: Any = DynamicClient(api, cache_file=cache)  # type: ignore[no-untyped-call]

    def is_namespaced(self, api_version: str, kind: str) -> bool:
        """Whether the objects of a kind are in namespaces.

        Raises:
            RefusedError: the server does not know the kind.
        """
        return bool(self._resource(api_version, kind).namespaced)

    def has_status(self, api_version: str, kind: str) -> bool:
        """Whether the status of a kind is written apart from the rest.

        Raises:
            RefusedError: the server does not know the kind.
        """
        return "status" in self._resource(api_version, kind).subresources

    def create(self, body: dict[str, Any]) -> dict[str, Any]:
        """Create an object, and give it as the server has it.

        Raises:
            RefusedError: the server does not take it.
        """
        return self._send(self._resource_of(body).create, body)

    def write_status(self, body: dict[str, Any]) -> dict[str, Any]:
        """Write the status of an object that was read from the server, and give it as the server has it then.

        Raises:
            RefusedError: the server does not take it.
        """
        return self._send(self._resource_of(body).subresources["status"].replace, body)

    def patch(self, body: dict[str, Any], changes: list[dict[str, Any]]) -> dict[str, Any]:
        """Change an object by a JSON Patch, and give it as the server has it then.

        Raises:
            RefusedError: the server does not take it.
        """
        metadata = body["metadata"]
        try:
            answer = self._resource_of(body).patch(
                body=changes,
                name=metadata["name"],
                namespace=metadata.get("namespace"),
                content_type="application/json-patch+json",
                serialize=False,
            )
        except DynamicApiError as error:
            raise RefusedError(_message(error)) from error
        found: dict[str, Any] = json.loads(answer.data)
        return found

    def delete(self, body: dict[str, Any]) -> None:
        """Delete an object.

        Raises:
            RefusedError: it is not there, or may not be deleted.
        """
        metadata = body["metadata"]
        try:
            self._resource_of(body).delete(name=metadata["name"], namespace=metadata.get("namespace"))
        except DynamicApiError as error:
            raise RefusedError(_message(error)) from error

    def get(self, api_version: str, kind: str, name: str, namespace: str | None = None) -> dict[str, Any]:
        """An object as the server has it.

        Raises:
            RefusedError: it is not there, or may not be read.
        """
        return self._ask(api_version, kind, name=name, namespace=namespace)

    def list(
        self, api_version: str, kind: str, namespace: str | None = None, selector: str | None = None
    ) -> list[dict[str, Any]]:
        """The objects of a kind in a namespace, or in all.

        Raises:
            RefusedError: they may not be read, or the server does not know the kind.
        """
        found = self._ask(api_version, kind, namespace=namespace, label_selector=selector)
        # The server tells these once for the whole list.
        return [{"apiVersion": api_version, "kind": kind, **item} for item in found["items"]]

    def await_established(self, names: Iterable[str]) -> None:
        """Wait until the kinds of CustomResourceDefinitions are served, and forget what was known before.

        Raises:
            TimeoutError: they are not in time.
        """
        deadline = time.monotonic() + ESTABLISH_SECONDS
        for name in names:
            while not _is_established(self.get(*_DEFINITION, name)):
                if time.monotonic() > deadline:
                    raise TimeoutError(f"{name} is not established after {ESTABLISH_SECONDS} s")
                time.sleep(0.05)
        self._client.resources.invalidate_cache()

    def _ask(self, api_version: str, kind: str, **query: str | None) -> dict[str, Any]:
        resource = self._resource(api_version, kind)
        try:
            found: dict[str, Any] = json.loads(resource.get(serialize=False, **query).data)
        except DynamicApiError as error:
            raise RefusedError(_message(error)) from error
        return found

    def _resource_of(self, body: dict[str, Any]) -> Any:  # noqa: ANN401 - the client has no types
        return self._resource(body["apiVersion"], body["kind"])

    def _resource(self, api_version: str, kind: str) -> Any:  # noqa: ANN401 - the client has no types
        try:
            return self._client.resources.get(api_version=api_version, kind=kind)
        except (ResourceNotFoundError, ResourceNotUniqueError) as error:
            raise RefusedError(f"the server does not serve {kind} of {api_version}") from error

    @staticmethod
    def _send(call: Any, body: dict[str, Any]) -> dict[str, Any]:  # noqa: ANN401 - the client has no types
        try:
            answer: dict[str, Any] = json.loads(call(body=body, serialize=False).data)
        except DynamicApiError as error:
            raise RefusedError(_message(error)) from error
        return answer


def _is_established(definition: dict[str, Any]) -> bool:
    # Of a definition that was created a moment ago the server gives a null.
    conditions = definition.get("status", {}).get("conditions") or ()
    return any(entry["type"] == "Established" and entry["status"] == "True" for entry in conditions)


def _message(error: DynamicApiError) -> str:
    """What the server says, without the headers that the client adds to it."""
    try:
        return str(json.loads(error.body or "")["message"])
    except (ValueError, KeyError):
        return f"{error.status} {error.reason}"
