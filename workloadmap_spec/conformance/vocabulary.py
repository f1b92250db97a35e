"""The closed vocabularies of the suite: profiles, features and error classes, from the files in `conformance/`."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from workloadmap_spec.files import conformance_path

if TYPE_CHECKING:
    from collections.abc import Mapping

#: The version of the line protocol.
PROTOCOL: Final = 1


@dataclass(frozen=True, slots=True)
class Profile:
    """A part of the specification that a reader can claim."""

    id: str
    title: str
    #: Profiles without which this one cannot be claimed; of a tuple inside, one is enough.
    needs: tuple[tuple[str, ...], ...]
    #: Members of a map that are compared for readers that claim this profile only.
    members: frozenset[str]


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """What a reader may claim, and the error classes."""

    profiles: Mapping[str, Profile]
    features: Mapping[str, str]
    errors: frozenset[str]


@cache
def vocabulary() -> Vocabulary:
    """Read the three files.

    Raises:
        DataFileError: One of them is not there.
    """
    profiles = [
        Profile(
            entry["id"],
            entry["title"],
            tuple((need,) if isinstance(need, str) else tuple(need) for need in entry.get("needs", ())),
            frozenset(entry.get("members", ())),
        )
        for entry in _read("profiles.json")["profiles"]
    ]
    features = {entry["id"]: entry["profile"] for entry in _read("features.json")["features"]}
    errors = frozenset(entry["class"] for entry in _read("errors.json")["errors"])
    return Vocabulary({profile.id: profile for profile in profiles}, features, errors)


def _read(name: str) -> dict[str, Any]:
    """One of the files."""
    document: dict[str, Any] = json.loads(conformance_path(name).read_text(encoding="utf-8"))
    return document


def claim_problem(profiles: list[str], features: list[str]) -> str | None:
    """What is wrong with what a reader claims; None if nothing is."""
    known = vocabulary()
    for profile in profiles:
        if profile not in known.profiles:
            return f"there is no profile `{profile}`; there are {', '.join(known.profiles)}"
        for need in known.profiles[profile].needs:
            if not set(need) & set(profiles):
                return f"the profile {profile} is claimed without {' or '.join(need)}"
    for feature in features:
        if feature not in known.features:
            return f"there is no feature `{feature}`; there are {', '.join(known.features)}"
        if known.features[feature] not in profiles:
            return f"the feature {feature} is claimed without the profile {known.features[feature]}"
    return None if profiles else "no profile is claimed"
