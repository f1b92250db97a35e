"""The limits of the specification (clause S16), each with what it prevents."""

from __future__ import annotations

from typing import Final

#: The largest integer that every JSON library keeps exactly (S2.2).
MAX_COUNT: Final = 2**53 - 1
#: Deeper documents overflow the stack of some engines (S2.5).
MAX_DEPTH: Final = 100
#: Nothing that an API server stores comes near; more is an attack or a mistake (S16.1).
MAX_DOCUMENT_BYTES: Final = 8 * 1024 * 1024
#: A mapping is a few pages; more would make loading slow (S16.1).
MAX_MAPPING_BYTES: Final = 1024 * 1024
#: Nested components are read recursively (S16.1).
MAX_COMPONENT_DEPTH: Final = 8
#: Embedded workloads are read recursively, and may embed themselves (S16.1).
MAX_EMBED_DEPTH: Final = 4
#: Bounds the work that one mapping may ask for (S16.1).
MAX_COMPONENTS: Final = 64
#: Bounds the size of a map whose object holds a very long list (S16.1).
MAX_INSTANCES: Final = 1000
#: A million replicas would make a million groups (S16.1).
MAX_GROUPS: Final = 10_000
#: Values inside what an expression makes, shared ones counted each time: stops doubling through variables.
MAX_MADE: Final = 100_000
