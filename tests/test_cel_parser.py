"""The grammar of expressions: trees, places, canonical text, and every error as its reader sees it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from workloadmap_spec.cel import (
    DYN,
    ROOTS,
    STRING,
    Scope,
    check,
    compile_expression,
    compile_path,
    list_of,
    parse,
    path_of,
    print_expression,
    resolve_steps,
    roots_used,
)
from workloadmap_spec.cel.limits import (
    MAX_DEPTH,
    MAX_EXPRESSION_LENGTH,
    MAX_INT_LITERAL,
    MAX_LITERAL_ELEMENTS,
    MAX_MACRO_NESTING,
)
from workloadmap_spec.cel.parser import PRECEDENCE, RESERVED
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
    children,
    walk,
)
from workloadmap_spec.errors import EvaluationError, ExpressionCheckError, ExpressionError, ExpressionParseError

if TYPE_CHECKING:
    from collections.abc import Callable


def shape(tree: Node) -> object:
    """A tree without its places."""
    parts: list[object] = [type(tree).__name__]
    match tree:
        case Literal():
            parts += [type(tree.value).__name__, tree.value]
        case Ident():
            parts.append(tree.name)
        case Select() | Has():
            parts.append(tree.field)
        case Call():
            parts += [tree.function, tree.receiver is None]
        case Macro():
            parts += [tree.macro, tree.variable]
        case Unary() | Binary():
            parts.append(tree.operator)
        case _:
            pass
    return [*parts, *map(shape, children(tree))]


def sexpr(tree: Node) -> str:
    """A tree as a short text, for tables."""
    match tree:
        case Literal():
            return repr(tree.value)
        case Ident():
            return tree.name
        case Select():
            return f"{sexpr(tree.operand)}.{tree.field}"
        case Unary() | Binary():
            return f"({tree.operator} {' '.join(map(sexpr, children(tree)))})"
        case _:
            return f"({type(tree).__name__} {' '.join(map(sexpr, children(tree)))})"


TREES = {
    "a + b * c": "(+ a (* b c))",
    "a * b + c": "(+ (* a b) c)",
    "a - b - c": "(- (- a b) c)",
    "a / b % c": "(% (/ a b) c)",
    "a + b == c - d": "(== (+ a b) (- c d))",
    "a < b == true": "(== (< a b) True)",
    "a == b && c != d || e": "(|| (&& (== a b) (!= c d)) e)",
    "a || b && c": "(|| a (&& b c))",
    "'x' in a && b": "(&& (in 'x' a) b)",
    "!a.b": "(! a.b)",
    "-a + b": "(+ (- a) b)",
    "!(a && b)": "(! (&& a b))",
    "!!a": "(! (! a))",
    "a - -1": "(- a (- 1))",
    "a ? b : c ? d : e": "(Ternary a b (Ternary c d e))",
    "a || b ? c : d": "(Ternary (|| a b) c d)",
    "a ? (b ? c : d) : e": "(Ternary a (Ternary b c d) e)",
    "a.b[0].c": "(Index a.b 0).c",
    "a[b.c]['d']": "(Index (Index a b.c) 'd')",
    "f(a, b).c": "(Call a b).c",
    "a.f(b)": "(Call a b)",
    "has(a.b.c)": "(Has a.b)",
    "a.map(x, x.b)": "(Macro a x.b)",
    "a.all(x, x).b": "(Macro a x).b",
    "[a, [b]]": "(ListLiteral a (ListLiteral b))",
    '{"a": b, c: {}}': "(MapLiteral 'a' b c (MapLiteral ))",
    "(((a)))": "a",
    "a.namespace.if": "a.namespace.if",
    " \t\r\n a \n": "a",
}


@pytest.mark.parametrize(("text", "tree"), TREES.items(), ids=TREES)
def test_precedence_and_forms(text: str, tree: str) -> None:
    """Operators bind as the grammar of CEL says."""
    assert sexpr(parse(text)) == tree


PLACES = [
    ("a.b + c[0]", Select, "a.b"),
    ("a.b + c[0]", Index, "c[0]"),
    ("(a + b) * c", Binary, "(a + b) * c"),
    ("x + (a ? b : c)", Ternary, "a ? b : c"),
    ("!(a)", Unary, "!(a)"),
    ("x + has( a.b )", Has, "has( a.b )"),
    ("x || a.b.exists(c, c)", Macro, "a.b.exists(c, c)"),
    ("x + size( a )", Call, "size( a )"),
    ("x + [1, 2 ]", ListLiteral, "[1, 2 ]"),
    ('x + {"a": 1}', MapLiteral, '{"a": 1}'),
    ("é + 'é'"[4:], Literal, "'é'"),
]


@pytest.mark.parametrize(("text", "kind", "part"), PLACES)
def test_a_node_knows_its_place(text: str, kind: type, part: str) -> None:
    """Offset and length cut the part out of the text."""
    node = next(node for node in walk(parse(text)) if isinstance(node, kind))
    assert text[node.offset : node.offset + node.length] == part


def test_names_of_operators_functions_and_macros_have_places() -> None:
    """Messages point at them."""
    text = "a .f( b ) + c.all( d , d )"
    tree = parse(text)
    assert isinstance(tree, Binary)
    call, macro = tree.left, tree.right
    assert isinstance(call, Call)
    assert isinstance(macro, Macro)
    assert text[tree.at] == "+"
    assert text[call.at :].startswith("f(")
    assert text[macro.at :].startswith("all(")
    assert text[macro.variable_at :].startswith("d ,")


def test_nodes_are_frozen() -> None:
    """A compiled mapping is shared between threads."""
    tree = parse("a.b")
    with pytest.raises(AttributeError):
        tree.field = "c"  # type: ignore[misc,union-attr]


# Errors: (text, class, the whole message).

ERRORS: list[tuple[str, type[ExpressionError], str]] = [
    ("", ExpressionParseError, "the expression is empty [expression-parse]"),
    (
        "  ",
        ExpressionParseError,
        """\
the expression is empty [expression-parse]
      \n    ^""",
    ),
    (
        "a +",
        ExpressionParseError,
        """\
the expression ends where a value is expected [expression-parse]
    a +
      ^""",
    ),
    (
        "a.",
        ExpressionParseError,
        """\
the expression ends where the name of a field is expected after `.` [expression-parse]
    a.
     ^""",
    ),
    (
        "(a",
        ExpressionParseError,
        """\
the `(` in column 1 is not closed [expression-parse]
    (a
    ^
  close it with `)`""",
    ),
    (
        "f(a, b",
        ExpressionParseError,
        """\
the `(` in column 2 is not closed [expression-parse]
    f(a, b
     ^
  close it with `)`""",
    ),
    (
        "[1, 2",
        ExpressionParseError,
        """\
the `[` in column 1 is not closed [expression-parse]
    [1, 2
    ^
  close it with `]`""",
    ),
    (
        "a)",
        ExpressionParseError,
        """\
there is no bracket that this `)` closes [expression-parse]
    a)
     ^""",
    ),
    (
        "[1 2]",
        ExpressionParseError,
        """\
an operator, `,` or `]` is expected, not `2` [expression-parse]
    [1 2]
       ^""",
    ),
    (
        "f(a b)",
        ExpressionParseError,
        """\
an operator, `,` or `)` is expected, not `b` [expression-parse]
    f(a b)
        ^""",
    ),
    (
        "(a, b)",
        ExpressionParseError,
        """\
parentheses hold one value [expression-parse]
    (a, b)
      ^
  write [a, b] for a list""",
    ),
    (
        "a[1:2]",
        ExpressionParseError,
        """\
an index is one value [expression-parse]
    a[1:2]
       ^
  slices are not part of CEL""",
    ),
    (
        "a b",
        ExpressionParseError,
        """\
an operator is expected, not `b` [expression-parse]
    a b
      ^""",
    ),
    (
        "a and b",
        ExpressionParseError,
        """\
an operator is expected, not `and` [expression-parse]
    a and b
      ^~~
  write `&&`""",
    ),
    (
        "a or b",
        ExpressionParseError,
        """\
an operator is expected, not `or` [expression-parse]
    a or b
      ^~
  write `||`""",
    ),
    (
        "not a",
        ExpressionParseError,
        """\
an operator is expected, not `a` [expression-parse]
    not a
        ^
  write `!`""",
    ),
    (
        "a <> b",
        ExpressionParseError,
        """\
a value is expected, not `>` [expression-parse]
    a <> b
       ^
  write `!=`""",
    ),
    (
        "'it''s'",
        ExpressionParseError,
        """\
an operator is expected, not `'s'` [expression-parse]
    'it''s'
        ^~~
  inside a string a quote is written \\' or \\\"""",
    ),
    (
        "a = 1",
        ExpressionParseError,
        """\
`=` is not an operator [expression-parse]
    a = 1
      ^
  compare with `==`""",
    ),
    (
        "a & b",
        ExpressionParseError,
        """\
`&` is not an operator [expression-parse]
    a & b
      ^
  write `&&`""",
    ),
    (
        "a.map(x => x)",
        ExpressionParseError,
        """\
`=>` is not an operator [expression-parse]
    a.map(x => x)
            ^~
  a macro takes a name and an expression: items.map(x, x.name)""",
    ),
    (
        "a ? b",
        ExpressionParseError,
        """\
the `?` in column 3 has no `:` [expression-parse]
    a ? b
      ^
  write condition ? value : otherwise""",
    ),
    (
        "a ? b, c",
        ExpressionParseError,
        """\
an operator or `:` is expected, not `,` [expression-parse]
    a ? b, c
         ^""",
    ),
    (
        "a ? b ? c : d : e",
        ExpressionParseError,
        """\
a conditional inside the first branch of another needs parentheses [expression-parse/P07]
    a ? b ? c : d : e
          ^
  write a ? (b ? c : d) : e""",
    ),
    (
        "a?.b",
        ExpressionParseError,
        """\
the optional syntax `?.` is not CEL [expression-parse/P01]
    a?.b
     ^~
  guard it: has(a.b) ? a.b : "default\"""",
    ),
    (
        "!-a",
        ExpressionParseError,
        """\
`-` cannot follow `!` [expression-parse]
    !-a
     ^
  write !(-x)""",
    ),
    (
        "a.0",
        ExpressionParseError,
        """\
a field is selected by a name [expression-parse]
    a.0
      ^
  write [0] without the dot""",
    ),
    (
        "a.'b'",
        ExpressionParseError,
        """\
a field is selected by a name [expression-parse]
    a.'b'
      ^~~
  write ['b'] without the dot""",
    ),
    (
        "a.in",
        ExpressionParseError,
        """\
`in` cannot be selected with a dot [expression-parse/P01b]
    a.in
      ^~
  write a["in"]""",
    ),
    (
        "in a",
        ExpressionParseError,
        """\
a value is expected before `in` [expression-parse]
    in a
    ^~""",
    ),
    (
        "if a",
        ExpressionParseError,
        """\
`if` is a reserved word and cannot be the name of a variable or function [expression-parse/P01b]
    if a
    ^~
  write condition ? value : otherwise""",
    ),
    (
        "a.map(var, var)",
        ExpressionParseError,
        """\
`var` is a reserved word and cannot be the name of a variable or function [expression-parse/P01b]
    a.map(var, var)
          ^~~
  choose another name""",
    ),
    (
        '{"a" 1}',
        ExpressionParseError,
        """\
`:` and a value are expected after a key of a map, not `1` [expression-parse]
    {"a" 1}
         ^""",
    ),
    (
        "f(a,)",
        ExpressionParseError,
        """\
there is nothing after this comma [expression-parse/P01]
    f(a,)
       ^
  leave it out""",
    ),
    (
        "'abc",
        ExpressionParseError,
        """\
the string that begins in column 1 is not closed before the expression ends [expression-parse/P01]
    'abc
    ^~~~
  close it with '""",
    ),
    (
        "a == 'b\nc'",
        ExpressionParseError,
        """\
the string that begins in column 6 is not closed on the same line [expression-parse/P01]
    a == 'b
         ^~
  close it with '""",
    ),
    (
        "a\n  + 'x\\q'",
        ExpressionParseError,
        """\
`\\q` is not an escape [expression-parse/P01]
      + 'x\\q'
          ^~
  write \\\\ for a backslash; the escapes are \\\\ \\" \\' \\n \\t \\r \\uXXXX""",
    ),
    (
        "'\\",
        ExpressionParseError,
        """\
`\\` is not an escape [expression-parse/P01]
    '\\
     ^
  write \\\\ for a backslash; the escapes are \\\\ \\" \\' \\n \\t \\r \\uXXXX""",
    ),
    (
        "'\\u00'",
        ExpressionParseError,
        """\
`\\u` takes four hexadecimal digits [expression-parse/P01]
    '\\u00'
     ^~
  write \\u00e9 for é""",
    ),
    (
        "'\\ud83d'",
        ExpressionParseError,
        """\
`\\ud83d` is half of a character [expression-parse/P01]
    '\\ud83d'
     ^~~~~~
  write the character itself""",
    ),
    (
        "1_000",
        ExpressionParseError,
        """\
`1_000` is neither a number nor a name [expression-parse/P01]
    1_000
    ^~~~~
  write 1000""",
    ),
    (
        "8gi",
        ExpressionParseError,
        """\
`8gi` is neither a number nor a name [expression-parse/P01]
    8gi
    ^~~""",
    ),
    (
        "1.",
        ExpressionParseError,
        """\
a number is followed by a dot [expression-parse/P01]
    1.
    ^~
  write 1.0 for a double; a number has no fields""",
    ),
    (
        "\N{LEFT DOUBLE QUOTATION MARK}a",
        ExpressionParseError,
        """\
`\N{LEFT DOUBLE QUOTATION MARK}` is not part of the language [expression-parse]
    \N{LEFT DOUBLE QUOTATION MARK}a
    ^
  strings are written in straight quotes: "text\"""",
    ),
    (
        "a\N{NO-BREAK SPACE}+ b",
        ExpressionParseError,
        """\
U+00A0 is not part of the language [expression-parse]
    a\N{NO-BREAK SPACE}+ b
     ^
  write an ordinary space""",
    ),
    (
        "$a",
        ExpressionParseError,
        """\
`$` is not part of the language [expression-parse]
    $a
    ^
  a name is written as it is, without a sign before it""",
    ),
    (
        "a : b",
        ExpressionParseError,
        """\
an operator or the end is expected, not `:` [expression-parse]
    a : b
      ^""",
    ),
    # CEL, and outside of the profile.
    (
        "'a\0'",
        ExpressionCheckError,
        """\
U+0000 cannot be part of a text [expression-check/P01]
    'a\0'
      ^""",
    ),
    (
        "'\ud800'",
        ExpressionCheckError,
        """\
U+D800, half of a character, cannot be part of a text [expression-check/P01]
    '\ud800'
     ^""",
    ),
    (
        "0x1F",
        ExpressionCheckError,
        """\
numbers are decimal [expression-check/P01]
    0x1F
    ^~~~
  write 31""",
    ),
    (
        "3u",
        ExpressionCheckError,
        """\
unsigned integers are not in the profile [expression-check/P01]
    3u
    ^~
  write 3""",
    ),
    (
        "1e-7",
        ExpressionCheckError,
        """\
a double is written with a decimal point [expression-check/P01]
    1e-7
    ^~~~
  write 1.0e-7""",
    ),
    (
        "007",
        ExpressionCheckError,
        """\
a number has no leading zeros [expression-check/P01]
    007
    ^~~
  write 7""",
    ),
    (
        "9007199254740992",
        ExpressionCheckError,
        """\
an integer is at most 9007199254740991 (2^53-1), beyond which engines differ [expression-check/P01]
    9007199254740992
    ^~~~~~~~~~~~~~~~""",
    ),
    (
        "1.0e999",
        ExpressionCheckError,
        """\
`1.0e999` is larger than any double [expression-check/P01]
    1.0e999
    ^~~~~~~""",
    ),
    (
        ".5",
        ExpressionCheckError,
        """\
a number begins with a digit [expression-check/P01]
    .5
    ^
  write 0.5""",
    ),
    (
        ".a",
        ExpressionCheckError,
        """\
a name has no dot before it [expression-check/P01]
    .a
    ^
  leave it out""",
    ),
    (
        "--a",
        ExpressionCheckError,
        """\
a sign is written once [expression-check/P01]
    --a
    ^~
  write -(-x)""",
    ),
    (
        "r'a'",
        ExpressionCheckError,
        """\
`r'` begins a raw string literal, which the profile does not have [expression-check/P01]
    r'a'
    ^~
  write an ordinary string; `\\\\` is a backslash""",
    ),
    (
        'b"a"',
        ExpressionCheckError,
        """\
`b"` begins a bytes literal, which the profile does not have [expression-check/P01]
    b"a"
    ^~
  write an ordinary string; `\\\\` is a backslash""",
    ),
    (
        "'''a'''",
        ExpressionCheckError,
        """\
triple-quoted strings are not in the profile [expression-check/P01]
    '''a'''
    ^~~
  write the text on one line, with \\n for a line break""",
    ),
    (
        "'\\x41'",
        ExpressionCheckError,
        """\
engines differ on the escape `\\x` [expression-check/P01]
    '\\x41'
     ^~
  write the character itself, or one of \\\\ \\" \\' \\n \\t \\r \\uXXXX""",
    ),
    (
        "'a\\u0000'",
        ExpressionCheckError,
        """\
U+0000 cannot be part of a text [expression-check/P01]
    'a\\u0000'
      ^~~~~~""",
    ),
    (
        "a // b",
        ExpressionCheckError,
        """\
an expression has no comments [expression-check/P01]
    a // b
      ^~~~
  write it as a YAML comment beside the expression""",
    ),
    (
        "a.`b.c/d`",
        ExpressionCheckError,
        """\
names in backquotes are not in the profile [expression-check/P01]
    a.`b.c/d`
      ^
  select such a field with its name in quotes: labels["a.b/c"]""",
    ),
    (
        "a.?b",
        ExpressionCheckError,
        """\
optional syntax is not in the profile [expression-check/P01]
    a.?b
     ^~
  guard it: has(a.b) ? a.b : "default\"""",
    ),
    (
        "a[?0]",
        ExpressionCheckError,
        """\
optional syntax is not in the profile [expression-check/P01]
    a[?0]
      ^
  test for it: "k" in m ? m["k"] : "default\"""",
    ),
    (
        "[1,]",
        ExpressionCheckError,
        """\
there is nothing after this comma [expression-check/P01]
    [1,]
      ^
  leave it out""",
    ),
    (
        "a\f",
        ExpressionCheckError,
        """\
a form feed is not a blank here [expression-check/P01]
    a\f
     ^
  write an ordinary space""",
    ),
    (
        "Pod{name: 1}",
        ExpressionCheckError,
        """\
a map is written alone: message types are not in the profile [expression-check/P02]
    Pod{name: 1}
       ^
  write {"name": value}""",
    ),
    (
        "a.map(x, b.map(y, c.map(z, z)))",
        ExpressionCheckError,
        """\
macros are nested at most 2 deep [expression-check/P16]
    a.map(x, b.map(y, c.map(z, z)))
                        ^~~
  declare the inner list as a variable""",
    ),
    (
        "(" * 25 + "a",
        ExpressionCheckError,
        f"""\
an expression is at most 24 levels deep, and this is deeper [expression-check/P16]
    {"(" * 25}a
    {" " * 24}^
  declare a part of it as a variable""",
    ),
    (
        "a" + " " * 100_000,
        ExpressionCheckError,
        f"""\
an expression is at most 2,048 characters long, and this one is 100,001 [expression-check/P16]
    a{" " * 59}...
    ^{"~" * 62}
  declare parts of it as variables""",
    ),
]


@pytest.mark.parametrize(("text", "kind", "message"), ERRORS, ids=[text[:40] for text, _, _ in ERRORS])
def test_an_error_says_what_where_and_what_to_do(text: str, kind: type[ExpressionError], message: str) -> None:
    """The whole text of every error of the parser."""
    with pytest.raises(ExpressionError) as caught:
        parse(text)
    assert str(caught.value) == message
    assert type(caught.value) is kind


@pytest.mark.parametrize("word", sorted(RESERVED))
def test_a_reserved_word_is_a_field_and_no_variable(word: str) -> None:
    """P01b."""
    parse(f"a.{word}")
    for text in (word, f"{word}(a)", f"a.map({word}, 1)"):
        with pytest.raises(ExpressionParseError, match="reserved word") as caught:
            parse(text)
        assert caught.value.rule == "P01b"


# Sizes.

NESTS: dict[str, Callable[[int], str]] = {
    "parentheses": lambda n: "(" * n + "a" + ")" * n,
    "lists": lambda n: "[" * n + "]" * n,
    "maps": lambda n: '{"a":' * n + "1" + "}" * n,
    "indexes": lambda n: "a" + "[0]" * n,
    "indexes in indexes": lambda n: "a[" * n + "0" + "]" * n,
    "fields": lambda n: "a" + ".b" * n,
    "sums": lambda n: "a" + "+a" * n,
    "alternatives": lambda n: "a" + "||a" * n,
    "conditionals": lambda n: "a?1:" * n + "2",
    "negations": lambda n: "!" * n + "a",
    "calls": lambda n: "f(" * n + "a" + ")" * n,
    "methods": lambda n: "a" + ".f()" * n,
    "macros in a row": lambda n: "a" + ".filter(x,x)" * n,
    "has": lambda n: "has(a" + ".b" * (n - 1) + ")",
}


@pytest.mark.parametrize("nest", NESTS.values(), ids=NESTS)
def test_a_tree_has_at_most_24_levels(nest: Callable[[int], str]) -> None:
    """P16: each bracket, operator, field, index and call is a level."""
    at_most = MAX_DEPTH if len(nest(MAX_DEPTH)) < MAX_EXPRESSION_LENGTH else MAX_DEPTH // 2
    tree = parse(nest(at_most))
    if not isinstance(tree, ListLiteral):
        assert tree.depth == at_most
    for levels in (at_most + 2, 300):
        with pytest.raises(ExpressionCheckError) as caught:
            parse(nest(levels))
        assert caught.value.rule == "P16"


def test_sizes_at_their_limits() -> None:
    """What is just small enough parses, one more does not."""
    blanks = " " * (MAX_EXPRESSION_LENGTH - 1)
    parse("a" + blanks)
    parse("[" + ",".join("1" * MAX_LITERAL_ELEMENTS) + "]")
    parse("{" + ",".join(['"a":1'] * MAX_LITERAL_ELEMENTS) + "}")
    parse(str(MAX_INT_LITERAL))
    parse(f"-{MAX_INT_LITERAL}")
    parse("a.map(b, " * MAX_MACRO_NESTING + "b" + ")" * MAX_MACRO_NESTING)
    parse("f(" + ",".join("1" * (MAX_LITERAL_ELEMENTS + 1)) + ")")
    for text in (
        "aa" + blanks,
        "[" + ",".join("1" * (MAX_LITERAL_ELEMENTS + 1)) + "]",
        "{" + ",".join(['"a":1'] * (MAX_LITERAL_ELEMENTS + 1)) + "}",
        str(MAX_INT_LITERAL + 1),
        "9" * 2000,
    ):
        with pytest.raises(ExpressionCheckError):
            parse(text)


FRAGMENTS = st.sampled_from(
    [
        *(
            "a",
            "b",
            "object",
            ".",
            ".spec",
            "[0]",
            "(",
            ")",
            "[",
            "]",
            "{",
            "}",
            ",",
            ":",
            "?",
            "'a'",
            '"b"',
            "1",
            "1.5",
        ),
        *(" ", "\n", "'", '"', "\\", "true", "null", "has(", "size(", ".map(", ".all(x, ", "//", "0x", "u", "r'", "`"),
        *PRECEDENCE,
        *("=", "&", "|", "!", "-", "é", "\N{CAT}", "\0", "\ud800", "\u2028", "\f", "if", "in", "e", "_", "007", ".5"),
    ],
)
ANY_TEXT = st.one_of(
    st.text(max_size=40),
    st.lists(FRAGMENTS, max_size=25).map("".join),
    st.tuples(FRAGMENTS, st.integers(1, 3000)).map(lambda pair: pair[0] * pair[1]),
)


def tree_or_error(text: str) -> Node | ExpressionError:
    """What the parser makes of a text."""
    try:
        return parse(text)
    except ExpressionError as error:
        return error


@given(ANY_TEXT)
@example("(" * 100_000)
@example("'" + "a" * 100_000)
@example("!" * 2048)
@example("-" * 2048)
@example("a?" * 1000)
@example("\ud800")
def test_any_text_is_a_tree_or_an_error_of_ours(text: str) -> None:
    """No text makes anything else, and an error can be shown."""
    tree = tree_or_error(text)
    if isinstance(tree, ExpressionError):
        assert tree.message
        assert 0 <= tree.offset <= len(tree.text)
        assert tree.length >= 1
        assert tree.message in str(tree)
    else:
        assert tree.depth <= MAX_DEPTH
        assert shape(parse(print_expression(tree))) == shape(tree)


# Random trees: parse(print(tree)) is the tree.

NAMES = st.sampled_from(["a", "b", "_x", "object", "spec", "conditionsTrue"])
FIELDS = st.one_of(NAMES, st.sampled_from(sorted(RESERVED)))
LITERALS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(0, MAX_INT_LITERAL),
    st.floats(min_value=0, allow_nan=False, allow_infinity=False),
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=5),
).map(lambda value: Literal(0, 0, 0, value))


def _grow(inner: st.SearchStrategy[Node]) -> st.SearchStrategy[Node]:
    """Trees with other trees in them."""
    some = st.lists(inner, max_size=3).map(tuple)
    functions = NAMES.filter(lambda name: name not in MACROS)
    return st.one_of(
        st.builds(Select, *[st.just(0)] * 3, inner, FIELDS),
        st.builds(Index, *[st.just(0)] * 3, inner, inner),
        st.builds(Has, *[st.just(0)] * 3, inner, FIELDS),
        st.builds(Call, *[st.just(0)] * 4, functions, st.none() | inner, some),
        st.builds(Unary, *[st.just(0)] * 3, st.sampled_from("!-"), inner),
        st.builds(Binary, *[st.just(0)] * 4, st.sampled_from(sorted(PRECEDENCE)), inner, inner),
        st.builds(Ternary, *[st.just(0)] * 3, inner, inner, inner),
        st.builds(ListLiteral, *[st.just(0)] * 3, some),
        st.builds(MapLiteral, *[st.just(0)] * 3, st.lists(st.tuples(inner, inner), max_size=2).map(tuple)),
        st.builds(Macro, *[st.just(0)] * 4, st.sampled_from(sorted(MACROS)), inner, st.just(0), NAMES, LITERALS),
    )


TREE = st.recursive(LITERALS | st.builds(Ident, *[st.just(0)] * 3, NAMES), _grow, max_leaves=12)


@given(TREE)
def test_the_canonical_text_is_the_tree(tree: Node) -> None:
    """Parsing what was printed gives the tree back, and printing that gives the text back."""
    text = print_expression(tree)
    again = tree_or_error(text)
    if isinstance(again, ExpressionError):
        assert again.rule == "P16", "only the size of a random tree may be too large"
        return
    assert shape(again) == shape(tree)
    assert print_expression(again) == text


def test_the_canonical_text_has_no_needless_parentheses() -> None:
    """One blank around operators, double quotes, parentheses where precedence asks for them."""
    for text, canonical in {
        "((a+b))*c": "(a + b) * c",
        "a-(b-c)": "a - (b - c)",
        "(a-b)-c": "a - b - c",
        "-(-1)": "-(-1)",
        "!(!a)": "!!a",
        "(-a).b": "(-a).b",
        "(1).b": "(1).b",
        "a?(b?c:d):(e?f:g)": "a ? (b ? c : d) : e ? f : g",
        "(a?b:c)?d:e": "(a ? b : c) ? d : e",
        "'it\\'s \\n'": '"it\'s \\n"',
        "{'a':1,'b':[ ]}": '{"a": 1, "b": []}',
        "has( a . b )": "has(a.b)",
        "a.exists(x,x in b)": "a.exists(x, x in b)",
        "1.0e+2": "100.0",
        "1.5e300": "1.5e+300",
        "null==true": "null == true",
    }.items():
        assert print_expression(parse(text)) == canonical


# Whatever the parser gives, the next steps can take.

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.floats(-2, 2) | st.sampled_from(["", "a", "1", "spec"]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["a", "spec", "if"]), inner, max_size=3)
    ),
    max_leaves=8,
)
BINDINGS = st.fixed_dictionaries({"a": VALUES, "b": VALUES, "object": VALUES, "spec": VALUES, "_x": VALUES})
CALLS = st.builds(
    Call,
    *[st.just(0)] * 4,
    st.sampled_from(["size", "int", "double", "string", "dyn", "timestamp", "duration", "contains", "type", "matches"]),
    st.none() | TREE,
    st.lists(TREE, max_size=2).map(tuple),
)


@given(TREE | CALLS, BINDINGS)
def test_any_tree_is_checked_compiled_and_run(tree: Node, bindings: dict[str, object]) -> None:
    """The checker gives findings, the compiler a program or an error of ours, and that a value or an error of ours."""
    text = print_expression(tree)
    scope = Scope({"a": DYN, "b": ROOTS["item"], "object": ROOTS["object"], "spec": list_of(STRING)})
    for finding in check(tree, text, scope, want="bool"):
        assert finding.message
        assert str(finding.to_error(text))
    path = path_of(tree)
    if path is not None:
        compile_path(path)(bindings)
        resolve_steps(path, bindings)
    roots_used(tree)
    before = dict(bindings)
    try:
        compile_expression(tree, text)(bindings)
    except (EvaluationError, ExpressionCheckError) as error:
        shown = str(error)
    else:
        shown = "a value"
    assert shown
    assert bindings == before
