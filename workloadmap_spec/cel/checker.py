"""The rules of the portable profile that a tree can break (P02 to P20).

A rule that exists because engines type-check looks at the type that they infer (P06, P07, P09b), one about values at
what we know (`inference.py`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from workloadmap_spec.cel import calls, operators
from workloadmap_spec.cel.findings import Finding, nearest
from workloadmap_spec.cel.guards import (
    NO_FACTS,
    Facts,
    keyed,
    of_elements,
    place,
    present,
    sized,
    when_false,
    when_true,
)
from workloadmap_spec.cel.inference import ANY, Inferred, article, number_of
from workloadmap_spec.cel.paths import path_of
from workloadmap_spec.cel.tree import (
    MACROS,
    TYPE_NAMES,
    Binary,
    Call,
    Has,
    Ident,
    Index,
    ListLiteral,
    Literal,
    Macro,
    MapLiteral,
    Node,
    Select,
    Ternary,
    Unary,
    field_offset,
)
from workloadmap_spec.cel.types import (
    BOOL,
    DOUBLE,
    DYN,
    INT,
    NONE,
    NULL,
    STRING,
    Type,
    element_of,
    join,
    list_of,
    map_of,
)

if TYPE_CHECKING:
    from workloadmap_spec.cel.scope import Scope


_LITERALS: Final = {type(None): NULL, bool: BOOL, int: INT, float: DOUBLE, str: STRING}
#: Constants as other languages write them.
_CONSTANTS: Final = {"True": "true", "TRUE": "true", "False": "false", "FALSE": "false"}
_NULLS: Final = frozenset({"None", "nil", "NULL", "Null", "undefined"})
_TIMES: Final = frozenset({"timestamp", "duration"})


def check(tree: Node, text: str, scope: Scope, want: str | None = None, facts: Facts = NO_FACTS) -> list[Finding]:
    """What is wrong with an expression, in the order of its text.

    `want="bool"` is for conditions, which give true or false. Warnings are about values that may not be there; a path
    expression gets none, because it is null-safe. `facts` is what holds wherever the expression is evaluated.
    """
    checker = Checker(text, scope, null_safe=path_of(tree) is not None)
    result = checker.infer(tree, facts, free=True)
    if all(finding.level == "warning" for finding in checker.findings):
        checker.refuse_times(tree, result)
        if want == "bool":
            checker.condition(tree, result, "a condition gives true or false, and this gives")
    return sorted(set(checker.findings), key=lambda finding: (finding.offset, finding.length, finding.rule))


class Checker:
    """One walk over one tree."""

    def __init__(self, text: str, scope: Scope, *, null_safe: bool) -> None:
        """Start with the variables of a scope."""
        self.text = text
        self.variables = {name: Inferred(DYN, known) for name, known in scope.variables.items()}
        self.null_safe = null_safe
        self.findings: list[Finding] = []
        #: Variables of the macros around the current part.
        self.bound: dict[str, Inferred] = {}
        #: Predicates of macros around the current part (P11).
        self.predicates = 0
        #: Places that were warned about once.
        self.warned: set[str] = set()

    # Findings.

    def error(self, rule: str, node: Node, message: str, cure: str | None = None) -> Inferred:
        """Note an error about a part; its type is unknown from here on, so that one mistake gives one error."""
        return self.error_at(rule, node.offset, node.length, message, cure)

    def error_at(self, rule: str, offset: int, length: int, message: str, cure: str | None = None) -> Inferred:
        """Note an error at a place."""
        self.findings.append(Finding(rule, "error", message, offset, length, cure))
        return ANY

    def warn(self, rule: str, node: Node, message: str, cure: str) -> None:
        """Note a warning about a part, once for each place that it reads."""
        where = f"{rule} {place(node)}"
        if where not in self.warned and not self.null_safe:
            self.warned.add(where)
            self.findings.append(Finding(rule, "warning", message, node.offset, node.length, cure))

    def source(self, node: Node, *, tight: bool = False) -> str:
        """A part as its author wrote it; `tight` adds the parentheses that an operand needs."""
        written = self.text[node.offset : node.offset + node.length]
        return f"({written})" if tight and isinstance(node, Unary | Binary | Ternary) else written

    def refuse_times(self, node: Node, inferred: Inferred) -> None:
        """Refuse a timestamp or duration where a JSON value is needed (P17)."""
        if inferred.engine.kind in _TIMES:
            message = f"a {inferred.engine.kind} can be compared and computed with, and is no value of JSON"
            self.error("P17", node, message, "use the text it is made from, or compare it")

    def condition(self, node: Node, inferred: Inferred, expectation: str) -> None:
        """Refuse what cannot be true or false where a condition is needed (P08)."""
        kind = inferred.known.kind
        if kind in {"bool", "dyn"}:
            return
        written = self.source(node, tight=True)
        comparison = {"string": f'{written} != ""', "int": f"{written} != 0", "double": f"{written} > 0.0"}.get(kind)
        if kind in {"list", "map"}:
            comparison = f"size({self.source(node)}) > 0"
        cure = f"write {comparison}" if comparison is not None else None
        self.error("P08", node, f"{expectation} {article(inferred.known)}", cure)

    # The walk.

    def infer(  # noqa: C901, PLR0911 - one case for each kind of node
        self,
        node: Node,
        facts: Facts,
        *,
        free: bool = False,
    ) -> Inferred:
        """The type of a part, after noting what is wrong with it; `free` tells that `dyn()` is allowed here (P06)."""
        match node:
            case Literal():
                known = _LITERALS[type(node.value)]
                return Inferred(known, known)
            case Ident():
                return self.ident(node)
            case Select():
                return self.select(node, facts)
            case Index():
                return self.index(node, facts)
            case Has():
                return self.has(node, facts)
            case Macro():
                return self.macro(node, facts)
            case Call():
                return calls.infer(self, node, facts, free=free)
            case Unary():
                return operators.unary(self, node, facts)
            case Binary():
                return operators.binary(self, node, facts)
            case Ternary():
                return self.ternary(node, facts)
            case ListLiteral():
                return self.list_literal(node, facts)
            case MapLiteral():
                return self.map_literal(node, facts)

    # Names and places.

    def ident(self, node: Ident) -> Inferred:
        """A name that stands alone."""
        inferred = self.lookup(node)
        if inferred.known.closed:
            cure = f"write {node.name}.NAME, or has({node.name}.NAME) to test for it"
            return self.error("P18", node, f"`{node.name}` is read by the names in it", cure)
        return inferred

    def lookup(self, node: Ident) -> Inferred:
        """The type of a variable (P18)."""
        name = node.name
        found = self.bound.get(name) or self.variables.get(name)
        if found is not None:
            return found
        if name in TYPE_NAMES:
            message = f"the type `{name}` is not a value"
            return self.error("P19", node, message, f"a type is only compared: type(x) == {name}")
        if name in _CONSTANTS:
            return self.error("P18", node, f"`{name}` is not declared", f"write {_CONSTANTS[name]}")
        if name in _NULLS:
            return self.error("P18", node, f"`{name}` is not declared", "test for a value with has(a.b)")
        known = {*self.bound, *self.variables}
        cure = self.suggest(name, known)
        # In YAML a text is easily written as a name: role: leader.
        if self.text.strip() == name and nearest(name, known) is None:
            cure += f"""; a text is written '"{name}"'"""
        return self.error("P18", node, f"`{name}` is not declared", cure)

    def suggest(self, name: str, known: set[str], prefix: str = "") -> str:
        """A cure for a name that is not declared."""
        similar = nearest(name, known)
        if similar is not None:
            return f"did you mean {prefix}{similar}?"
        if not known:
            return "nothing is declared here"
        return "the variables are " + ", ".join(f"{prefix}{one}" for one in sorted(known))

    def operand(self, node: Node, facts: Facts) -> Inferred:
        """The type of what a field is selected from: here `variables` may stand."""
        return self.lookup(node) if isinstance(node, Ident) else self.infer(node, facts)

    def select(self, node: Select, facts: Facts) -> Inferred:
        """`operand.field`."""
        operand = self.operand(node.operand, facts)
        if operand is ANY:
            return ANY
        if operand.known.kind not in {"map", "dyn"}:
            at, length = field_offset(node), len(node.field)
            return self.error_at("P15", at, length, f"only maps have fields, and this is {article(operand.known)}")
        return self.field(node, operand, node.field, facts)

    def field(self, node: Select | Index, operand: Inferred, field: str, facts: Facts) -> Inferred:
        """The type of a field, with a warning if it may be missing (P20)."""
        known = operand.known
        engine = element_of(operand.engine) if operand.engine.kind == "map" else DYN
        member = (known.members or {}).get(field)
        if member is not None:
            return Inferred(engine, member)
        if known.closed:
            return self.undeclared(node, node.operand, field, known)
        element = element_of(known) if known.kind == "map" else DYN
        if not known.optional:
            return Inferred(engine, element)
        if present(node) in facts:
            return Inferred(engine, element._replace(optional=True))
        self.warn_missing(node)
        return Inferred(engine, element)

    def warn_missing(self, node: Select | Index) -> None:
        """Warn that a field may be missing (P20)."""
        written = self.source(node)
        if isinstance(node, Select):
            guard = f"has({written}) ? {written} : DEFAULT" if _is_chain(node) else "test for it with has()"
        else:
            index, container = self.source(node.key), self.source(node.operand)
            guard = f'{index} in {container} ? {written} : ""'
        message = f"`{written}` may be missing, and then the expression fails"
        self.warn("P20", node, message, f"declare a variable with a default, or guard it: {guard}")

    def undeclared(self, node: Node, root: Node, field: str, known: Type) -> Inferred:
        """The error for a name that is not in `variables` (P18)."""
        prefix = f"{self.source(root)}."
        cure = self.suggest(field, set(known.members or {}), prefix)
        if isinstance(node, Select):
            return self.error_at("P18", field_offset(node), len(field), f"`{prefix}{field}` is not declared", cure)
        return self.error("P18", node, f"`{prefix}{field}` is not declared", cure)

    def index(self, node: Index, facts: Facts) -> Inferred:
        """`operand[index]` (P15)."""
        operand = self.operand(node.operand, facts)
        index = self.infer(node.key, facts)
        if operand is ANY or index is ANY or not self.indexable(node, operand, index):
            return ANY
        if isinstance(node.key, Literal) and isinstance(node.key.value, str):
            return self.field(node, operand, node.key.value, facts)
        if operand.known.closed:
            written = self.source(node.operand)
            return self.error("P18", node.operand, f"`{written}` is read by the names in it", f"write {written}.NAME")
        self.warn_index(node, operand, index, facts)
        return Inferred(element_of(operand.engine), element_of(operand.known))

    def indexable(self, node: Index, operand: Inferred, index: Inferred) -> bool:
        """Whether an operand has elements, and they have such an index; an error is noted if not (P15)."""
        container, kind = operand.known.kind, index.known.kind
        if container not in {"list", "map", "dyn"}:
            message = f"only lists and maps have elements, and this is {article(operand.known)}"
            self.error("P15", node.operand, message)
        elif kind not in {"int", "string", "dyn"}:
            message = f"an index is an int for a list and a string for a map, not {article(index.known)}"
            self.error("P15", node.key, message)
        elif (container, kind) in {("list", "string"), ("map", "int")}:
            wanted = "an int" if container == "list" else "a string"
            message = f"the index of a {container} is {wanted}, not {article(index.known)}"
            self.error("P15", node.key, message)
        elif (number_of(node.key) or 0) < 0:
            written = self.source(node.operand, tight=True)
            cure = f"the last element is {written}[size({self.source(node.operand)}) - 1]"
            self.error("P15", node.key, "an index is not negative", cure)
        else:
            return True
        return False

    def warn_index(self, node: Index, operand: Inferred, index: Inferred, facts: Facts) -> None:
        """Warn about an index that may be out of range (P15)."""
        number = number_of(node.key)
        if isinstance(node.operand, ListLiteral) and number is not None and number < len(node.operand.elements):
            return
        if present(node) in facts or sized(node.operand) in facts:
            return
        written, container = self.source(node), self.source(node.operand)
        message = f"`{written}` may be missing, and then the expression fails"
        if operand.known.kind == "map" or index.known.kind == "string":
            guard = f"{self.source(node.key)} in {container} ? {written} : DEFAULT"
        else:
            least = self.source(node.key) if number is not None else "0"
            guard = f"size({container}) > {least} ? {written} : DEFAULT"
        self.warn("P15", node, message, f"guard it: {guard}")

    def has(self, node: Has, facts: Facts) -> Inferred:
        """`has(operand.field)` (P03)."""
        parent = node.operand
        result = Inferred(BOOL, BOOL)
        inner: Node = parent
        while isinstance(inner, Select):
            inner = inner.operand
        if not isinstance(inner, Ident):
            written = self.source(parent)
            cure = f'test for a key: "{node.field}" in {written}'
            if isinstance(inner, Index):
                cure += ", or declare the inner value as a variable"
            self.error("P03", inner, "has() takes a chain of fields from a variable", cure)
            return result
        with_warnings, self.null_safe = self.null_safe, True
        operand = self.operand(parent, facts)
        self.null_safe = with_warnings
        known = operand.known
        if known.kind not in {"map", "dyn"}:
            self.error("P03", parent, f"only maps have fields, and this is {article(known)}")
        elif known.closed:
            if node.field not in (known.members or {}):
                at = node.offset + node.length
                self.undeclared_in_has(node, at, known)
        elif isinstance(parent, Select) and not self.is_there(parent, known, facts):
            written = self.source(parent)
            cure = f"guard it: has({written}) && {self.source(node)}"
            self.warn("P03", parent, f"`{written}` may be missing, and then the test fails", cure)
        return result

    def is_there(self, parent: Select, known: Type, facts: Facts) -> bool:
        """Whether the parent of a field in has() is known to be a map, declared, or guarded."""
        if known.kind == "map" or present(parent) in facts:
            return True
        root = parent.operand
        return isinstance(root, Ident) and root.name not in self.bound and self.lookup(root).known.closed

    def undeclared_in_has(self, node: Has, end: int, known: Type) -> None:
        """The error for `has(variables.x)` where x is not declared."""
        prefix = f"{self.source(node.operand)}."
        at = self.text.rfind(node.field, node.offset, end)
        cure = self.suggest(node.field, set(known.members or {}), prefix)
        self.error_at("P18", at, len(node.field), f"`{prefix}{node.field}` is not declared", cure)

    # Macros.

    def macro(self, node: Macro, facts: Facts) -> Inferred:
        """`range.macro(variable, body)` (P02, P08, P10, P11)."""
        predicate = MACROS[node.macro]
        source = self.range(node, self.infer(node.range, facts))
        self.macro_variable(node)
        kind = source.known.kind
        element = ANY
        if source is not ANY:
            element = Inferred(
                element_of(source.engine) if source.engine.kind == "list" else DYN,
                element_of(source.known) if kind == "list" else STRING if kind == "map" else DYN,
            )
        hidden = self.bound.get(node.variable)
        self.bound[node.variable] = element
        self.predicates += predicate
        inner = facts | of_elements(node, facts)
        if kind == "map":
            inner |= {keyed(node)}
        body = self.infer(node.body, inner, free=not predicate)
        self.predicates -= predicate
        if hidden is None:
            del self.bound[node.variable]
        else:
            self.bound[node.variable] = hidden
        if predicate:
            self.condition(node.body, body, f"`{node.macro}` takes a condition, and this is")
        if node.macro == "map":
            self.refuse_times(node.body, body)
            return Inferred(list_of(body.engine), list_of(body.known))
        if node.macro == "filter":
            return Inferred(list_of(element.engine), list_of(element.known))
        return Inferred(BOOL, BOOL)

    def range(self, node: Macro, source: Inferred) -> Inferred:
        """What a macro ranges over: a list, or for a test a map (P10)."""
        over = node.range
        if isinstance(over, ListLiteral) and not over.elements:
            return self.error("P10", over, "there is nothing to visit in an empty list", "leave the macro out")
        if isinstance(over, MapLiteral):
            message = "a macro does not range over a map that the expression writes"
            return self.error("P10", over, message, 'write the keys as a list: ["a", "b"]')
        kind = source.known.kind
        if kind == "map" and node.macro in {"map", "filter"}:
            message = f"`{node.macro}` over a map gives its keys in an order that differs from engine to engine"
            cure = "let the reader visit it with forEach, or test it with all, exists or exists_one"
            return self.error("P10", over, message, cure)
        if kind not in {"list", "map", "dyn"}:
            return self.error("P10", over, f"`{node.macro}` ranges over a list, and this is {article(source.known)}")
        return source

    def macro_variable(self, node: Macro) -> None:
        """The name that a macro gives to an element (P02)."""
        name, at = node.variable, node.variable_at
        if name.startswith("__"):
            self.error_at("P02", at, len(name), "names that begin with `__` belong to the engines", "choose another")
        elif name in {*self.variables, *self.bound, "refs", *TYPE_NAMES, *calls.FUNCTIONS}:
            what = "a type" if name in TYPE_NAMES else "a function" if name in calls.FUNCTIONS else "a variable"
            message = f"`{name}` is the name of {what} already"
            self.error_at("P02", at, len(name), message, "choose another name for the element")

    # Conditionals and literals.

    def ternary(self, node: Ternary, facts: Facts) -> Inferred:
        """`condition ? then : otherwise` (P07, P08)."""
        condition = self.infer(node.condition, facts)
        self.condition(node.condition, condition, "`?` takes a condition, and this is")
        then = self.infer(node.then, facts | when_true(node.condition), free=True)
        otherwise = self.infer(node.otherwise, facts | when_false(node.condition), free=True)
        engine = join(then.engine, otherwise.engine, loose=True)
        if engine is None:
            message = f"one branch is {article(then.engine)}, the other {article(otherwise.engine)}"
            cure = f"wrap both: {self.wrapped(node.then)} : {self.wrapped(node.otherwise)}"
            return self.error("P07", node, message, cure)
        return Inferred(engine, join(then.known, otherwise.known, loose=True) or DYN)

    def list_literal(self, node: ListLiteral, facts: Facts) -> Inferred:
        """`[elements]` (P06)."""
        elements = [self.element(element, facts) for element in node.elements]
        return self.collection(list(node.elements), elements, "list")

    def map_literal(self, node: MapLiteral, facts: Facts) -> Inferred:
        """`{key: value}` (P06)."""
        keys: set[str] = set()
        for key, _ in node.entries:
            if not (isinstance(key, Literal) and isinstance(key.value, str)):
                cure = f'write "{key.name}"' if isinstance(key, Ident) else None
                self.error("P06", key, "the key of a map is a string literal", cure)
            elif key.value in keys:
                self.error("P06", key, f"the key {self.source(key)} stands in this map twice", "leave one out")
            else:
                keys.add(key.value)
        values = [self.element(value, facts) for _, value in node.entries]
        return self.collection([value for _, value in node.entries], values, "map")

    def wrapped(self, node: Node) -> str:
        """A part in `dyn()`, for a cure."""
        written = self.source(node)
        return written if isinstance(node, Call) and node.function == "dyn" else f"dyn({written})"

    def element(self, node: Node, facts: Facts) -> Inferred:
        """An element of a list or a value of a map."""
        inferred = self.infer(node, facts, free=True)
        self.refuse_times(node, inferred)
        return inferred

    def collection(self, parts: list[Node], inferred: list[Inferred], kind: str) -> Inferred:
        """The type of a literal, whose elements have one type (P06)."""
        make = list_of if kind == "list" else map_of
        engine, known = NONE, NONE
        for part, one in zip(parts, inferred, strict=True):
            if one is ANY:
                return ANY
            joined = join(engine, one.engine)
            if joined is None:
                what = "elements of a list" if kind == "list" else "values of a map"
                message = f"the {what} have one type, and here are {article(engine)} and {article(one.engine)}"
                cure = f"wrap each of them: {self.wrapped(parts[0])}, {self.wrapped(part)}"
                return self.error("P06", part, message, cure)
            engine, known = joined, join(known, one.known, loose=True) or DYN
        return Inferred(make(engine), make(known))


def _is_chain(node: Node) -> bool:
    """Whether has() could take this."""
    while isinstance(node, Select):
        node = node.operand
    return isinstance(node, Ident)
