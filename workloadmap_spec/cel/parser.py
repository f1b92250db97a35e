"""From the text of an expression to its tree. The docstring of a method is its rule of the grammar."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NoReturn, TypeVar

from workloadmap_spec.cel.lexer import END, NAME, OPERATOR, VALUE, Token, broken, outside, tokenize
from workloadmap_spec.cel.limits import MAX_DEPTH, MAX_LITERAL_ELEMENTS, MAX_MACRO_NESTING
from workloadmap_spec.cel.tree import (
    MACROS,
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
)

if TYPE_CHECKING:
    from collections.abc import Callable

_Part = TypeVar("_Part")

#: How tightly binary operators bind.
PRECEDENCE: Final = {
    "||": 1,
    "&&": 2,
    "==": 3,
    "!=": 3,
    "<": 3,
    "<=": 3,
    ">": 3,
    ">=": 3,
    "in": 3,
    "+": 4,
    "-": 4,
    "*": 5,
    "/": 5,
    "%": 5,
}
#: Words that are no names of variables (P01b). As names of fields they are fine.
RESERVED: Final = frozenset(
    {
        *("as", "break", "const", "continue", "else", "for", "function", "if", "import", "let", "loop"),
        *("namespace", "package", "return", "var", "void", "while"),
    },
)
_CONSTANTS: Final = {"true": True, "false": False, "null": None}
#: Words that are no names at all.
KEYWORDS: Final = frozenset({*_CONSTANTS, "in"})
#: Words of other languages, and what is meant.
_WORDS: Final = {"and": "write `&&`", "or": "write `||`", "is": "write `==`", "not": "write `!`"}


def parse(text: str) -> Node:
    """The tree of an expression.

    Raises:
        ExpressionParseError: the text is not CEL.
        ExpressionCheckError: the text is CEL outside the profile: a token (P01) or a size (P16).
    """
    return _Parser(text).parse()


class _Parser:
    """A position in the tokens of one text."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = tokenize(text)
        self.position = 0
        self.token = self.tokens[0]
        #: Where the last token that was taken ends.
        self.end = 0
        #: Brackets and conditionals around the current token: bounds the recursion.
        self.level = 0
        self.macro_level = 0

    # Tokens.

    def advance(self) -> Token:
        """Take the current token."""
        token = self.token
        self.end = token.offset + len(token.text)
        self.position += 1
        self.token = self.tokens[self.position]
        return token

    def at(self, operator: str) -> bool:
        """Tell whether the current token is this operator."""
        return self.token.kind == OPERATOR and self.token.text == operator

    def take(self, operator: str) -> bool:
        """Take the current token if it is this operator."""
        if self.at(operator):
            self.advance()
            return True
        return False

    # Errors.

    def unexpected(self, expected: str) -> NoReturn:
        """Refuse the current token."""
        token = self.token
        if token.kind == END:
            raise broken(self.text, max(len(self.text.rstrip()) - 1, 0), 1, f"the expression ends where {expected}")
        cure = None
        before = self.tokens[self.position - 1] if self.position else None
        if token.kind == NAME:
            cure = _WORDS.get(token.text)
        if cure is None and before is not None and before.kind == NAME:
            cure = _WORDS.get(before.text)
        if before is not None and before.offset + len(before.text) == token.offset:
            if (before.text, token.text) == ("<", ">"):
                cure = "write `!=`"
            elif isinstance(before.value, str) and isinstance(token.value, str):
                cure = "inside a string a quote is written \\' or \\\""
        raise broken(self.text, token.offset, len(token.text), f"{expected}, not {_quote(token)}", cure)

    def close(self, operator: str, opening: Token, *, many: bool = True) -> None:
        """Take the bracket that closes `opening`, around one value or many."""
        if self.at(operator):
            self.advance()
            return
        if self.token.kind == END:
            message = f"the `{opening.text}` in column {opening.offset + 1} is not closed"
            raise broken(self.text, opening.offset, 1, message, f"close it with `{operator}`")
        if not many and self.at(","):
            raise broken(self.text, self.token.offset, 1, "parentheses hold one value", "write [a, b] for a list")
        expected = f"an operator, `,` or `{operator}`" if many else f"an operator or `{operator}`"
        self.unexpected(f"{expected} is expected")

    # Nodes.

    def made(self, node: Node) -> Node:
        """The node, if it is not too deep."""
        if node.depth > MAX_DEPTH:
            raise self.too_deep(node.offset, node.length)
        return node

    def too_deep(self, offset: int, length: int) -> Exception:
        """The error for a tree of too many levels."""
        message = f"an expression is at most {MAX_DEPTH} levels deep, and this is deeper"
        return outside(self.text, offset, length, "P16", message, "declare a part of it as a variable")

    def deeper(self, opening: Token) -> None:
        """Enter a bracket or a conditional; the depth of the tree cannot be less than the number of these."""
        self.level += 1
        if self.level > MAX_DEPTH:
            raise self.too_deep(opening.offset, len(opening.text))

    # Grammar.

    def parse(self) -> Node:
        """`text = expression`."""
        if self.token.kind == END:
            raise broken(self.text, 0, 1, "the expression is empty")
        tree = self.expression()
        if self.token.kind != END:
            self.trailing()
        return tree

    def trailing(self) -> NoReturn:
        """Refuse what follows a whole expression."""
        token = self.token
        if token.kind == OPERATOR and token.text in ")]}":
            raise broken(self.text, token.offset, 1, f"there is no bracket that this `{token.text}` closes")
        self.unexpected("an operator or the end is expected" if token.kind == OPERATOR else "an operator is expected")

    def message_literal(self) -> NoReturn:
        """Refuse `Name{field: value}`."""
        message = "a map is written alone: message types are not in the profile"
        raise outside(self.text, self.token.offset, 1, "P02", message, 'write {"name": value}')

    def expression(self) -> Node:
        """`expression = or ["?" or ":" expression]`."""
        start = self.token.offset
        condition = self.binary(1)
        if not self.at("?"):
            return condition
        mark = self.advance()
        if self.at("."):
            message = "the optional syntax `?.` is not CEL"
            cure = 'guard it: has(a.b) ? a.b : "default"'
            raise broken(self.text, mark.offset, 2, message, cure, "P01")
        self.deeper(mark)
        then = self.binary(1)
        if self.at("?"):
            message = "a conditional inside the first branch of another needs parentheses"
            raise broken(self.text, self.token.offset, 1, message, "write a ? (b ? c : d) : e", "P07")
        if self.token.kind == END:
            message = f"the `?` in column {mark.offset + 1} has no `:`"
            raise broken(self.text, mark.offset, 1, message, "write condition ? value : otherwise")
        if not self.take(":"):
            self.unexpected("an operator or `:` is expected")
        otherwise = self.expression()
        self.level -= 1
        depth = 1 + max(condition.depth, then.depth, otherwise.depth)
        return self.made(Ternary(start, self.end - start, depth, condition, then, otherwise))

    def binary(self, minimum: int) -> Node:
        """Take operators that bind at least as tightly as `minimum`, each from left to right.

        `or = and {"||" and}`,
        `and = relation {"&&" relation}`,
        `relation = sum {("==" | "!=" | "<" | "<=" | ">" | ">=" | "in") sum}`,
        `sum = product {("+" | "-") product}`,
        `product = unary {("*" | "/" | "%") unary}`.
        """
        start = self.token.offset
        left = self.unary()
        while True:
            token = self.token
            if token.kind != OPERATOR and token.text != "in":
                return left
            precedence = PRECEDENCE.get(token.text, 0)
            if precedence < minimum or precedence == 0:
                return left
            self.advance()
            right = self.binary(precedence + 1)
            depth = 1 + max(left.depth, right.depth)
            left = self.made(Binary(start, self.end - start, depth, token.offset, token.text, left, right))

    def unary(self) -> Node:
        """`unary = member | "!" {"!"} member | "-" {"-"} member`."""
        first = self.token
        if first.kind != OPERATOR or first.text not in "!-":
            return self.member()
        signs = []
        while self.at(first.text):
            signs.append(self.advance())
            if first.text == "-" and len(signs) > 1:
                message = "a sign is written once"
                raise outside(self.text, first.offset, self.end - first.offset, "P01", message, "write -(-x)")
            if len(signs) > MAX_DEPTH:
                raise self.too_deep(first.offset, self.end - first.offset)
        if self.at("!") or self.at("-"):
            cure = f"write {first.text}({self.token.text}x)"
            raise broken(self.text, self.token.offset, 1, f"`{self.token.text}` cannot follow `{first.text}`", cure)
        node = self.member()
        for sign in reversed(signs):
            node = self.made(Unary(sign.offset, self.end - sign.offset, node.depth + 1, sign.text, node))
        return node

    def member(self) -> Node:
        """`member = primary {"." field ["(" [arguments] ")"] | "[" expression "]"}`."""
        start = self.token.offset
        node = self.primary()
        while self.token.kind == OPERATOR:
            if self.at("."):
                self.advance()
                node = self.selection(node, start)
            elif self.at("["):
                node = self.index(node, start)
            else:
                if self.at("{") and isinstance(node, Ident | Select):
                    self.message_literal()
                break
        return node

    def selection(self, node: Node, start: int) -> Node:
        """`"." field ["(" [arguments] ")"]`, where a field is a name other than `true`, `false`, `null` and `in`."""
        token = self.token
        if token.kind != NAME:
            self.not_a_field(token)
        if token.text in KEYWORDS:
            message = f"`{token.text}` cannot be selected with a dot"
            cure = f'write {self.text[start : self.end - 1]}["{token.text}"]'
            raise broken(self.text, token.offset, len(token.text), message, cure, "P01b")
        self.advance()
        if self.at("("):
            return self.call(token, node, start)
        return self.made(Select(start, self.end - start, node.depth + 1, node, token.text))

    def not_a_field(self, token: Token) -> NoReturn:
        """Refuse what follows a dot and is no name."""
        if token.kind == VALUE:
            cure = f"write [{token.text}] without the dot"
            raise broken(self.text, token.offset, len(token.text), "a field is selected by a name", cure)
        if token.text == "?":
            cure = 'guard it: has(a.b) ? a.b : "default"'
            raise outside(self.text, token.offset - 1, 2, "P01", "optional syntax is not in the profile", cure)
        self.unexpected("the name of a field is expected after `.`")

    def index(self, node: Node, start: int) -> Node:
        """`"[" expression "]"`."""
        opening = self.advance()
        self.refuse_optional()
        self.deeper(opening)
        inner = self.expression()
        self.level -= 1
        if self.at(",") or self.at(":"):
            raise broken(self.text, self.token.offset, 1, "an index is one value", "slices are not part of CEL")
        self.close("]", opening, many=False)
        return self.made(Index(start, self.end - start, 1 + max(node.depth, inner.depth), node, inner))

    def refuse_optional(self) -> None:
        """Refuse `[?` and `{?`."""
        if self.at("?"):
            message = "optional syntax is not in the profile"
            raise outside(self.text, self.token.offset, 1, "P01", message, 'test for it: "k" in m ? m["k"] : "default"')

    def call(self, name: Token, receiver: Node | None, start: int) -> Node:
        """`name "(" [expression {"," expression}] ")"`; `has(a.b)` and macros are forms of it."""
        opening = self.advance()
        macro = receiver is not None and name.text in MACROS
        if macro:
            self.macro_level += 1
            if self.macro_level > MAX_MACRO_NESTING:
                message = f"macros are nested at most {MAX_MACRO_NESTING} deep"
                cure = "declare the inner list as a variable"
                raise outside(self.text, name.offset, len(name.text), "P16", message, cure)
        self.deeper(opening)
        arguments = self.sequence(")", opening, self.expression)
        self.level -= 1
        self.macro_level -= macro
        self.close(")", opening)
        length = self.end - start
        depth = 1 + max([argument.depth for argument in arguments] + ([receiver.depth] if receiver else []), default=0)
        if receiver is None:
            if name.text == "has" and len(arguments) == 1 and isinstance(arguments[0], Select):
                field = arguments[0]
                return self.made(Has(start, length, depth, field.operand, field.field))
        elif macro and len(arguments) == 2 and isinstance(arguments[0], Ident):  # noqa: PLR2004 - variable and body
            variable, body = arguments
            if isinstance(variable, Ident):
                at, variable_at = name.offset, variable.offset
                node = Macro(start, length, depth, at, name.text, receiver, variable_at, variable.name, body)
                return self.made(node)
        return self.made(Call(start, length, depth, name.offset, name.text, receiver, tuple(arguments)))

    def sequence(self, closing: str, opening: Token, element: Callable[[], _Part]) -> list[_Part]:
        """`[element {"," element}]`, up to the closing bracket, which is not taken."""
        elements: list[_Part] = []
        limited = opening.text != "("
        while not self.at(closing):
            elements.append(element())
            if limited and len(elements) > MAX_LITERAL_ELEMENTS:
                kind = "list" if opening.text == "[" else "map"
                message = f"a {kind} in an expression has at most {MAX_LITERAL_ELEMENTS} elements"
                cure = "split it, or read it from the object"
                raise outside(self.text, opening.offset, 1, "P16", message, cure)
            if not self.at(","):
                break
            comma = self.advance()
            if self.at(closing):
                message, cure = "there is nothing after this comma", "leave it out"
                if limited:
                    raise outside(self.text, comma.offset, 1, "P01", message, cure)
                raise broken(self.text, comma.offset, 1, message, cure, "P01")
        return elements

    def primary(self) -> Node:
        """`primary = literal | name ["(" [arguments] ")"] | "(" expression ")" | list | map`."""
        token = self.token
        if token.kind == VALUE:
            self.advance()
            return Literal(token.offset, len(token.text), 0, token.value)
        if token.kind == NAME:
            return self.name()
        if self.at("("):
            opening = self.advance()
            self.deeper(opening)
            node = self.expression()
            self.level -= 1
            self.close(")", opening, many=False)
            # mypy: a union has no _replace of its own, though each of its members has.
            deeper: Node = node._replace(depth=node.depth + 1)
            return self.made(deeper)
        if self.at("["):
            return self.list_literal()
        if self.at("{"):
            return self.map_literal()
        if self.at("."):
            message, cure = self.leading_dot()
            raise outside(self.text, token.offset, 1, "P01", message, cure)
        return self.unexpected("a value is expected")

    def leading_dot(self) -> tuple[str, str]:
        """The message and the cure for `.5` and `.name`."""
        following = self.tokens[self.position + 1]
        if following.kind == VALUE and not isinstance(following.value, str):
            return "a number begins with a digit", f"write 0.{following.text}"
        return "a name has no dot before it", "leave it out"

    def name(self) -> Node:
        """`name = (letter | "_") {letter | "_" | digit}`, not a reserved word."""
        token = self.advance()
        if token.text in _CONSTANTS:
            return Literal(token.offset, len(token.text), 0, _CONSTANTS[token.text])
        if token.text == "in":
            raise broken(self.text, token.offset, 2, "a value is expected before `in`")
        if token.text in RESERVED:
            cure = {
                "if": "write condition ? value : otherwise",
                "for": "write items.map(x, x.name)",
                "let": "declare a variable in the mapping",
                "var": "choose another name",
            }.get(token.text, "choose another name")
            message = f"`{token.text}` is a reserved word and cannot be the name of a variable or function"
            raise broken(self.text, token.offset, len(token.text), message, cure, "P01b")
        if self.at("("):
            return self.call(token, None, token.offset)
        return Ident(token.offset, len(token.text), 0, token.text)

    def list_literal(self) -> Node:
        """`list = "[" [expression {"," expression}] "]"`."""
        opening = self.advance()
        self.refuse_optional()
        self.deeper(opening)
        elements = self.sequence("]", opening, self.expression)
        self.level -= 1
        self.close("]", opening)
        depth = 1 + max((element.depth for element in elements), default=0)
        start = opening.offset
        return self.made(ListLiteral(start, self.end - start, depth, tuple(elements)))

    def map_literal(self) -> Node:
        """`map = "{" [entry {"," entry}] "}"`."""
        opening = self.advance()
        self.refuse_optional()
        self.deeper(opening)
        entries = self.sequence("}", opening, self.entry)
        self.level -= 1
        self.close("}", opening)
        depth = 1 + max((part.depth for entry in entries for part in entry), default=0)
        start = opening.offset
        return self.made(MapLiteral(start, self.end - start, depth, tuple(entries)))

    def entry(self) -> tuple[Node, Node]:
        """`entry = expression ":" expression`."""
        key = self.expression()
        if not self.take(":"):
            self.unexpected("`:` and a value are expected after a key of a map")
        return key, self.expression()


def _quote(token: Token) -> str:
    """A token in a message: long strings are cut."""
    text = token.text if len(token.text) <= 24 else f"{token.text[:20]}..."  # noqa: PLR2004 - what fits a line
    return f"`{text}`"
