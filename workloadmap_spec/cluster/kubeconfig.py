"""The kubeconfig: which files there are, which contexts they have, and which of these is meant.

The rules are those of kubectl (source: k8s.io/client-go `tools/clientcmd/loader.go`, `ClientConfigLoadingRules.Load`,
and `config.go`): a file that is named is the only one; else those of KUBECONFIG that exist, else `~/.kube/config`. Of
several files the first that sets a value wins.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from workloadmap_spec.cluster.errors import ConfigurationError, UnknownContextError

#: Where a pod finds what it needs (source: k8s.io/client-go `rest/config.go`, `InClusterConfig`, and
#: `tools/clientcmd/client_config.go`, `inClusterClientConfig`).
SERVICE_ACCOUNT: Final = Path("/var/run/secrets/kubernetes.io/serviceaccount")

_DEFAULT_NAMESPACE: Final = "default"
_DEFAULT_FILE: Final = "~/.kube/config"


@dataclass(frozen=True, slots=True)
class Target:
    """Which cluster is meant: a context of some files, or the cluster around us if there are no files."""

    #: The files, the first of them first in line; none inside a cluster.
    files: tuple[Path, ...]
    context: str
    namespace: str
    #: As whom we ask, if not as ourselves (`as` of the user).
    impersonate: str | None = None


def find_target(kubeconfig: str | None, context: str | None) -> Target:
    """Which cluster is meant.

    Args:
        kubeconfig: a file; None for those of KUBECONFIG or the usual one.
        context: a context of it; None for its current one.

    Raises:
        ConfigurationError: there is no configuration, or it is no kubeconfig.
        UnknownContextError: there is no such context.

    """
    files = _files(kubeconfig)
    if not files and context is None and _is_inside():
        return Target((), "in-cluster", _own_namespace())
    if not files:
        raise _no_configuration()
    contexts: dict[str, dict[str, Any]] = {}
    users: dict[object, dict[str, Any]] = {}
    current: str | None = None
    for file in files:
        document = _load(file)
        for known_name, entry in _entries(document, "context", file):
            contexts.setdefault(known_name, entry)
        for known_name, entry in _entries(document, "user", file):
            users.setdefault(known_name, entry)
        told = document.get("current-context")
        current = current or (told if isinstance(told, str) and told else None)
    name = context or current
    known = tuple(sorted(contexts))
    if name is None:
        cure = f"name one with --context: {', '.join(known)}" if known else "give another file with --kubeconfig"
        raise ConfigurationError(f"{_named(files)} has no current context", cure)
    if name not in contexts:
        cure = f"it has {', '.join(known)}" if known else "it has none: give another file with --kubeconfig"
        raise UnknownContextError(f"{_named(files)} has no context `{name}`", cure, known)
    namespace = contexts[name].get("namespace")
    impersonate = _impersonated(users.get(contexts[name].get("user"), {}), name)
    return Target(
        files, name, namespace if isinstance(namespace, str) and namespace else _DEFAULT_NAMESPACE, impersonate
    )


def _impersonated(user: dict[str, Any], context: str) -> str | None:
    """As whom a user asks; more than a name is refused, as it would change who asks without a word."""
    more = [name for name in ("as-uid", "as-groups", "as-user-extra") if user.get(name)]
    if more:
        message = f"the user of the context {context} has {' and '.join(more)}, which is not supported"
        raise ConfigurationError(message, "`as` alone is supported: give the user that it names those groups")
    told = user.get("as")
    return told if isinstance(told, str) and told else None


def _files(kubeconfig: str | None) -> tuple[Path, ...]:
    """The files of the configuration that exist."""
    if kubeconfig is not None:
        file = Path(kubeconfig).expanduser()
        if not file.is_file():
            raise ConfigurationError(f"the kubeconfig {kubeconfig} does not exist", "check the path")
        return (file,)
    told = os.environ.get("KUBECONFIG") or _DEFAULT_FILE
    paths = dict.fromkeys(Path(part).expanduser() for part in told.split(os.pathsep) if part)
    return tuple(path for path in paths if path.is_file())


def _no_configuration() -> ConfigurationError:
    """The error for nothing that says where a cluster is."""
    told = os.environ.get("KUBECONFIG")
    where = f"no file of KUBECONFIG ({told}) exists" if told else f"there is no {_DEFAULT_FILE}"
    return ConfigurationError(
        f"nothing says how to reach a cluster: {where}", "give a kubeconfig with --kubeconfig, or set KUBECONFIG"
    )


def _is_inside() -> bool:
    """Whether we run in a pod that has a service account."""
    return bool(
        os.environ.get("KUBERNETES_SERVICE_HOST")
        and os.environ.get("KUBERNETES_SERVICE_PORT")
        and (SERVICE_ACCOUNT / "token").is_file()
    )


def _own_namespace() -> str:
    """The namespace of the pod that we run in."""
    try:
        return (SERVICE_ACCOUNT / "namespace").read_text(encoding="utf-8").strip() or _DEFAULT_NAMESPACE
    except OSError:
        return _DEFAULT_NAMESPACE


def _load(file: Path) -> dict[str, Any]:
    """What a file holds."""
    import yaml  # noqa: PLC0415 - only where there is a cluster

    try:
        document = yaml.safe_load(file.read_bytes())
    except OSError as error:
        message = f"the kubeconfig {file} cannot be read: {error.strerror or error}"
        raise ConfigurationError(message, "check its permissions") from error
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        what = " ".join(str(error).split())
        raise ConfigurationError(f"the kubeconfig {file} is not YAML: {what}") from error
    if document is None:
        return {}
    if not isinstance(document, dict):
        raise ConfigurationError(f"the kubeconfig {file} is no map")
    return document


def _entries(document: dict[str, Any], what: str, file: Path) -> list[tuple[str, dict[str, Any]]]:
    """The contexts of a file by name, or the users."""
    entries = document.get(f"{what}s") or []
    if not isinstance(entries, list):
        raise ConfigurationError(f"`{what}s` of the kubeconfig {file} is no list")
    found = []
    for entry in entries:
        name = entry.get("name") if isinstance(entry, dict) else None
        value = entry.get(what) if isinstance(entry, dict) else None
        if not isinstance(name, str) or not isinstance(value, dict | None):
            raise ConfigurationError(f"an entry of `{what}s` of the kubeconfig {file} needs `name` and a map `{what}`")
        found.append((name, value or {}))
    return found


def _named(files: tuple[Path, ...]) -> str:
    """The files in a message."""
    return f"the kubeconfig {os.pathsep.join(map(str, files))}"
