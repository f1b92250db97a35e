"""Describe a distributed Kubernetes workload once and read it everywhere: the reference reader of WorkloadMap.

>>> from workloadmap_spec import Catalog
>>> pod = {"apiVersion": "v1", "kind": "Pod", "spec": {"containers": [{"name": "main"}]}}
>>> Catalog.builtin().read(pod).to_dict()["totals"]["pods"]
1
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from workloadmap_spec.catalog import Catalog, Reading
    from workloadmap_spec.documents import Document
    from workloadmap_spec.errors import WorkloadMapError
    from workloadmap_spec.read import WorkloadMap

__all__ = ["Catalog", "Document", "Reading", "WorkloadMap", "WorkloadMapError"]
__version__ = "0.1.0"

_HOMES = {
    "Catalog": "catalog",
    "Document": "documents",
    "Reading": "catalog",
    "WorkloadMap": "read",
    "WorkloadMapError": "errors",
}


def __getattr__(name: str) -> object:
    """Import a public name when it is first asked for, so that `import workloadmap_spec` costs nothing."""
    if name in _HOMES:
        from importlib import import_module  # noqa: PLC0415 - only when a name is asked for

        return getattr(import_module(f"workloadmap_spec.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'workloadmap_spec' has no attribute {name!r}")
