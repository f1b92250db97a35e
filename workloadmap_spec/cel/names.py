"""Which variables an expression names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workloadmap_spec.cel.tree import TYPE_NAMES, Binary, Has, Ident, Index, Literal, Macro, Node, Select, children

if TYPE_CHECKING:
    from collections.abc import Iterator


def roots_used(tree: Node) -> frozenset[str]:
    """The variables that an expression names, without those of its macros."""
    return frozenset(node.name for node in _free(tree, frozenset()) if isinstance(node, Ident))


def members_used(tree: Node, root: str) -> frozenset[str]:
    """The names x that an expression reads as `root.x`, `root["x"]` or `has(root.x)`."""
    found = set()
    for node in _free(tree, frozenset()):
        match node:
            case Select(operand=Ident(name=name), field=field) | Has(operand=Ident(name=name), field=field):
                if name == root:
                    found.add(field)
            case Index(operand=Ident(name=name), key=Literal(value=str(field))) if name == root:
                found.add(field)
            case _:
                pass
    return frozenset(found)


def members_guarded(tree: Node, root: str) -> frozenset[str]:
    """The names x for which an expression contains `has(root.x)`."""
    return frozenset(
        node.field
        for node in _free(tree, frozenset())
        if isinstance(node, Has) and isinstance(node.operand, Ident) and node.operand.name == root
    )


def _free(node: Node, bound: frozenset[str]) -> Iterator[Node]:
    """Every node of a tree, without the names that a macro binds and those that stand for types."""
    if isinstance(node, Ident):
        if node.name not in bound:
            yield node
        return
    if isinstance(node, Macro):
        yield from _free(node.range, bound)
        yield from _free(node.body, bound | {node.variable})
        return
    if isinstance(node, Select | Has | Index) and isinstance(node.operand, Ident) and node.operand.name in bound:
        if isinstance(node, Index):
            yield from _free(node.key, bound)
        return
    yield node
    for child in children(node):
        if isinstance(node, Binary) and isinstance(child, Ident) and child.name in TYPE_NAMES:
            continue
        yield from _free(child, bound)
