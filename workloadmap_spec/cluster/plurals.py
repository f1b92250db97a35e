"""The plural of a kind, by which its resource is named in paths and permissions, where no cluster tells it."""

from __future__ import annotations

from typing import Final

#: Kinds whose plural is not the guessed one, by group and kind: what their CustomResourceDefinition says
#: (kubernetes-sigs/agent-sandbox, `k8s/crds/agents.x-k8s.io_sandboxes.yaml`).
EXCEPTIONS: Final = {("agents.x-k8s.io", "Sandbox"): "sandboxes"}


def guess_plural(kind: str) -> str:
    """The plural by Kubernetes' own rule (source: apimachinery `pkg/api/meta/restmapper.go`,
    `UnsafeGuessKindToResource`): lower case; an `s` gets `es`, a `y` becomes `ies`, all else gets `s`.
    """  # noqa: D205 - the source belongs to the sentence
    singular = kind.lower()
    if singular.endswith("endpoints"):
        return singular
    if singular.endswith("s"):
        return f"{singular}es"
    return f"{singular[:-1]}ies" if singular.endswith("y") else f"{singular}s"


def plural_of(group: str, kind: str) -> str:
    """The plural of a kind of a group."""
    return EXCEPTIONS.get((group, kind)) or guess_plural(kind)
