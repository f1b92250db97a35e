"""Prices of resources, from a file that people write: per resource and hour, and by the labels of a node.

    currency: EUR
    prices:
    - nodeLabels: {node.kubernetes.io/instance-type: gpu-8}
      perHour: {cpu: 0.03, memory: 0.004, nvidia.com/gpu: 2.10}
    - perHour: {cpu: 0.025, memory: 0.0035}

The first entry decides whose labels a node has; one without `nodeLabels` fits every node. A price is for one unit: a
core, a device, and for what is counted in bytes a GiB. `{price: 0.9, per: 500Gi}` names another unit.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final

from workloadmap_spec.documents import load_path
from workloadmap_spec.errors import EvaluationError, InputError, Location
from workloadmap_spec.quantities import Quantity, parse

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from workloadmap_spec.documents import Document

#: Resources of Kubernetes that are counted in bytes (core/v1: `ResourceName`), and how the names of others begin.
_BYTES: Final = ("ephemeral-storage", "memory", "storage")
_BYTES_PREFIX: Final = "hugepages-"
_GIB: Final = parse("1Gi")
_ONE: Final = parse("1")
#: A price as it may be written; its length is bounded, as it is carried through every sum.
_PRICE: Final = re.compile(r"[0-9]{1,20}(?:\.[0-9]{1,20})?(?:[eE][-+]?[0-9]{1,2})?")


@dataclass(frozen=True, slots=True)
class Price:
    """The price of one resource for an hour: so much for so many."""

    amount: Fraction
    per: Quantity

    def of(self, quantity: Quantity) -> Fraction:
        """What an amount of the resource costs for an hour, exactly."""
        return self.amount * Fraction(quantity.nano, self.per.nano)


@dataclass(frozen=True, slots=True)
class Tariff:
    """The prices on nodes with certain labels; without labels, on all."""

    labels: Mapping[str, str]
    prices: Mapping[str, Price]

    def fits(self, labels: Mapping[str, Any]) -> bool:
        """Whether a node with these labels has these prices."""
        return all(labels.get(name) == value for name, value in self.labels.items())


@dataclass(frozen=True, slots=True)
class Prices:
    """All prices, in the order in which they are tried."""

    tariffs: tuple[Tariff, ...]
    currency: str | None = None

    @property
    def ask_for_nodes(self) -> bool:
        """Whether the node of a pod decides on its price."""
        return any(tariff.labels for tariff in self.tariffs)

    def find(self, labels: Mapping[str, Any]) -> Tariff | None:
        """The prices on a node with these labels."""
        return next((tariff for tariff in self.tariffs if tariff.fits(labels)), None)


def load_prices(path: str | Path) -> Prices:
    """Read a file of prices.

    Raises:
        InputError: It cannot be read, or holds something else; the location names the line.

    """
    documents = list(load_path(path))
    if len(documents) != 1:
        raise InputError(f"a file of prices holds one document, and this has {len(documents)}", Location(str(path)))
    return _prices(documents[0])


def _prices(document: Document) -> Prices:
    """The prices in a document."""
    value = _members(document, document.value, "", ("currency", "prices"), "a file of prices")
    currency = value.get("currency")
    if currency is not None and not (isinstance(currency, str) and currency.strip()):
        raise _wrong(document, "/currency", "`currency` is a word such as EUR")
    entries = value.get("prices")
    if not isinstance(entries, list) or not entries:
        raise _wrong(document, "/prices", "`prices` is a list of entries with `perHour`, and maybe `nodeLabels`")
    tariffs = [_tariff(document, entry, f"/prices/{index}") for index, entry in enumerate(entries)]
    for index, tariff in enumerate(tariffs[:-1]):
        if not tariff.labels:
            cure = "an entry without `nodeLabels` fits every node: put it last"
            raise _wrong(document, f"/prices/{index + 1}", "the entry before this one leaves nothing for it", cure)
    return Prices(tuple(tariffs), currency)


def _tariff(document: Document, entry: object, at: str) -> Tariff:
    """One entry of `prices`."""
    value = _members(document, entry, at, ("nodeLabels", "perHour"), "an entry of `prices`")
    labels = value.get("nodeLabels", {})
    if not isinstance(labels, dict) or not all(isinstance(text, str) for text in labels.values()):
        raise _wrong(
            document, f"{at}/nodeLabels", "`nodeLabels` is a map of labels and their values, which are strings"
        )
    prices = value.get("perHour")
    if not isinstance(prices, dict) or not prices:
        raise _wrong(document, f"{at}/perHour", "`perHour` is a map of resources and their prices")
    return Tariff(
        labels,
        {name: _price(document, name, price, f"{at}/perHour/{_escape(name)}") for name, price in prices.items()},
    )


def _price(document: Document, resource: str, value: object, at: str) -> Price:
    """The price of a resource."""
    per = _GIB if resource in _BYTES or resource.startswith(_BYTES_PREFIX) else _ONE
    if isinstance(value, dict):
        value = _members(document, value, at, ("per", "price"), "a price")
        if "per" in value:
            per = _quantity(document, value["per"], f"{at}/per")
        at, value = f"{at}/price", value.get("price")
    return Price(_amount(document, value, at), per)


def _quantity(document: Document, value: Any, at: str) -> Quantity:  # noqa: ANN401 - JSON
    """What a price is for."""
    try:
        per = parse(value)
    except EvaluationError as error:
        raise _wrong(document, at, error.message, error.cure) from error
    if per.nano <= 0:
        raise _wrong(document, at, "a price is for more than 0 of a resource")
    return per


def _amount(document: Document, value: object, at: str) -> Fraction:
    """A price: a number, or a text of one, which keeps all of its digits."""
    text = value if isinstance(value, str) else repr(value)
    if isinstance(value, bool) or not isinstance(value, str | int | float) or not _PRICE.fullmatch(text):
        raise _wrong(document, at, "a price is a number of 0 or more, such as 0.031")
    return Fraction(text)


def _members(document: Document, value: object, at: str, known: Iterable[str], what: str) -> dict[str, Any]:
    """A map that has no members but the known ones."""
    names = ", ".join(f"`{name}`" for name in known)
    if not isinstance(value, dict):
        raise _wrong(document, at, f"{what} is a map of {names}")
    for name in value:
        if name not in known:
            place = document.key_location(f"{at}/{_escape(name)}")
            raise InputError(f"{what} has no member `{name}`", place, f"it has {names}")
    return value


def _wrong(document: Document, at: str, message: str, cure: str | None = None) -> InputError:
    """The error for a place in the file."""
    return InputError(message, document.location(at), cure)


def _escape(token: str) -> str:
    """A token of a JSON Pointer (RFC 6901)."""
    return token.replace("~", "~0").replace("/", "~1")
