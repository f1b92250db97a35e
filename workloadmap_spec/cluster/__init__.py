"""Workloads live from a Kubernetes cluster, as the documents that `Catalog.read_all` reads.

It needs the optional Kubernetes client (`pip install 'workloadmap-spec[cluster]'`), which is imported when somebody
connects, and the verbs get, list and watch; nothing is ever written.

- `connection`: `connect` gives a `Connection` to an API server.
- `view`: `look` gives a `Cluster`: a connection, the mappings, and the kinds that are in both.
- `kinds`: `Kinds`, where a name is looked up as kubectl does it, and `ServedKind`.
- `fetching`: `fetch_workloads` and `fetch_one` give documents: workloads, their pods, and what they refer to.
- `watch`: `watch` gives changes, and keeps a `Mirror` of the objects.
- `roles`: `cluster_role` says which permissions all this needs.
- `errors`: what can go wrong.
"""

from __future__ import annotations
