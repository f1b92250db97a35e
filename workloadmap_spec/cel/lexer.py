"""Tokens of an expression (rule P01), with their places."""

from __future__ import annotations

import re
from typing import Final, NamedTuple, NoReturn

from workloadmap_spec.cel.limits import MAX_EXPRESSION_LENGTH, MAX_INT_LITERAL
from workloadmap_spec.errors import ExpressionCheckError, ExpressionError, ExpressionParseError

#: Kinds of tokens.
NAME: Final = "name"
VALUE: Final = "value"
OPERATOR: Final = "operator"
END: Final = "end"

#: Characters shown of an expression that is too long.
_SHOWN: Final = 60
_INFINITY: Final = float("inf")

_TOKEN: Final = re.compile(
    r"([ \t\r\n]+)"
    r"|([A-Za-z_][A-Za-z0-9_]*)"
    r"|([0-9]+(?:\.[0-9]+(?:[eE][+-]?[0-9]+)?)?)"
    r"|(&&|\|\||[=!<>]=|[-+*/%!<>?:.,()\[\]{}])",
)
_BLANK, _NAME, _NUMBER, _OPERATOR = 1, 2, 3, 4
#: What a string holds up to its end, its next escape, or something that it must not hold.
_PLAIN: Final = {quote: re.compile(rf"[^{quote}\\\n\r\0\ud800-\udfff]*") for quote in "'\""}
# Compiled when first used (`re` keeps them).
_HEX: Final = r"[0-9A-Fa-f]{4}"
_EXPONENT: Final = r"[eE][+-]?[0-9]+(?![A-Za-z0-9_])"
_WORD: Final = re.compile(r"[A-Za-z0-9_]*")
_ESCAPES: Final = {"\\": "\\", '"': '"', "'": "'", "n": "\n", "t": "\t", "r": "\r"}
#: Escapes that CEL has and the profile has not: engines read them differently.
_OTHER_ESCAPES: Final = frozenset("abfv?`xXU01234567")
_STRING_PREFIXES: Final = {
    "r": "raw string",
    "b": "bytes",
    "br": "raw bytes",
    "rb": "raw bytes",
}
#: What people write, and what they mean.
_STRAY: Final = {
    "=": "compare with `==`",
    "&": "write `&&`",
    "|": "write `||`",
    "\N{LEFT DOUBLE QUOTATION MARK}": 'strings are written in straight quotes: "text"',
    "\N{RIGHT DOUBLE QUOTATION MARK}": 'strings are written in straight quotes: "text"',
    "\N{LEFT SINGLE QUOTATION MARK}": "strings are written in straight quotes: 'text'",
    "\N{RIGHT SINGLE QUOTATION MARK}": "strings are written in straight quotes: 'text'",
    "\N{NO-BREAK SPACE}": "write an ordinary space",
    "#": "comments belong to the YAML around the expression",
    "$": "a name is written as it is, without a sign before it",
    ";": "an expression has no statements",
}


class Token(NamedTuple):
    """A token: `text` as it is written, `value` of a literal."""

    kind: str
    text: str
    offset: int
    value: bool | int | float | str | None = None


def outside(  # noqa: PLR0913 - the facts of the error
    text: str,
    offset: int,
    length: int,
    rule: str,
    message: str,
    cure: str | None = None,
) -> ExpressionCheckError:
    """The error for what is CEL and not in the profile."""
    return ExpressionCheckError(message, text, offset, length, rule, cure)


def broken(  # noqa: PLR0913 - the facts of the error
    text: str,
    offset: int,
    length: int,
    message: str,
    cure: str | None = None,
    rule: str | None = None,
) -> ExpressionParseError:
    """The error for what is not CEL."""
    return ExpressionParseError(message, text, offset, length, rule, cure)


def tokenize(text: str) -> list[Token]:
    """The tokens of a text, the last of kind END.

    Raises:
        ExpressionParseError: a character or literal that is not CEL.
        ExpressionCheckError: a literal that is CEL and not in the profile (P01), or a text that is too long (P16).
    """
    if len(text) > MAX_EXPRESSION_LENGTH:
        raise _too_long(text)
    tokens: list[Token] = []
    offset, end = 0, len(text)
    while offset < end:
        match = _TOKEN.match(text, offset)
        if match is None:
            token = _string(text, offset) if text[offset] in "'\"" else _stray(text, offset)
        else:
            kind, after = match.lastindex, match.end()
            if kind == _BLANK:
                offset = after
                continue
            if kind == _NAME:
                _refuse_prefix(text, match.group(), offset)
                token = Token(NAME, match.group(), offset)
            elif kind == _NUMBER:
                token = _number(text, match.group(), offset)
            else:
                _refuse_comment(text, offset)
                token = Token(OPERATOR, match.group(), offset)
        tokens.append(token)
        offset += len(token.text)
    tokens.append(Token(END, "", end))
    return tokens


def _too_long(text: str) -> ExpressionCheckError:
    """The error for a long text, which shows only its beginning."""
    return outside(
        text[:_SHOWN].replace("\n", " ") + "...",
        0,
        _SHOWN + 3,
        "P16",
        f"an expression is at most {MAX_EXPRESSION_LENGTH:,} characters long, and this one is {len(text):,}",
        "declare parts of it as variables",
    )


def _refuse_prefix(text: str, name: str, offset: int) -> None:
    """Refuse `r'..'`, `b'..'` and their like (P01)."""
    kind = _STRING_PREFIXES.get(name.lower())
    after = offset + len(name)
    if kind is not None and text[after : after + 1] in {"'", '"'}:
        message = f"`{name}{text[after]}` begins a {kind} literal, which the profile does not have"
        raise outside(text, offset, len(name) + 1, "P01", message, "write an ordinary string; `\\\\` is a backslash")


def _refuse_comment(text: str, offset: int) -> None:
    """Refuse `// comment` (P01)."""
    if text.startswith("//", offset):
        end = text.find("\n", offset)
        length = (len(text) if end < 0 else end) - offset
        cure = "write it as a YAML comment beside the expression"
        raise outside(text, offset, length, "P01", "an expression has no comments", cure)


def _number(text: str, digits: str, offset: int) -> Token:
    """`int = "0" | nonzero {digit}`, at most 2^53-1; `double = int "." digit {digit} [exponent]`."""
    rest = _WORD.match(text, offset + len(digits))
    word = rest.group() if rest else ""
    if word or text[offset + len(digits) : offset + len(digits) + 1] == ".":
        raise _bad_number(text, digits, word, offset)
    whole = digits.partition(".")[0]
    if len(whole) > 1 and whole.startswith("0"):
        cure = f"write {digits.lstrip('0') or 0}"
        raise outside(text, offset, len(digits), "P01", "a number has no leading zeros", cure)
    if whole is not digits and len(whole) != len(digits):
        number = float(digits)
        if number == _INFINITY:
            raise outside(text, offset, len(digits), "P01", f"`{digits}` is larger than any double")
        return Token(VALUE, digits, offset, number)
    if len(digits) > len(str(MAX_INT_LITERAL)) or int(digits) > MAX_INT_LITERAL:
        message = f"an integer is at most {MAX_INT_LITERAL} (2^53-1), beyond which engines differ"
        raise outside(text, offset, len(digits), "P01", message)
    return Token(VALUE, digits, offset, int(digits))


def _bad_number(text: str, digits: str, word: str, offset: int) -> ExpressionError:
    """The error for digits that go on in a way that numbers of the profile do not."""
    length = len(digits) + len(word)
    lower = word.lower()
    if not word:
        cure = f"write {digits}.0 for a double; a number has no fields"
        return broken(text, offset, length + 1, "a number is followed by a dot", cure, "P01")
    if digits == "0" and re.fullmatch(r"x[0-9a-f]+u?", lower):
        hexadecimal = int(lower.rstrip("u")[1:], 16)
        return outside(text, offset, length, "P01", "numbers are decimal", f"write {hexadecimal}")
    if lower == "u":
        return outside(text, offset, length, "P01", "unsigned integers are not in the profile", f"write {digits}")
    exponent = re.match(_EXPONENT, text[offset + len(digits) :])
    if exponent is not None and "." not in digits:
        message, length = "a double is written with a decimal point", len(digits) + len(exponent.group())
        return outside(text, offset, length, "P01", message, f"write {digits}.0{exponent.group()}")
    message = f"`{digits}{word}` is neither a number nor a name"
    digits_only = re.fullmatch(r"[0-9_]+", word) is not None
    without = f"write {digits}{word.replace('_', '')}" if digits_only else None
    return broken(text, offset, length, message, without, "P01")


def _string(text: str, start: int) -> Token:
    """`string = "'" {character | escape} "'" | '"' {character | escape} '"'`, on one line."""
    quote = text[start]
    if text.startswith(quote * 3, start):
        message = "triple-quoted strings are not in the profile"
        raise outside(text, start, 3, "P01", message, "write the text on one line, with \\n for a line break")
    plain = _PLAIN[quote]
    parts: list[str] = []
    offset, end = start + 1, len(text)
    while True:
        match = plain.match(text, offset)
        if match is not None:
            parts.append(match.group())
            offset = match.end()
        character = text[offset] if offset < end else ""
        if character == quote:
            return Token(VALUE, text[start : offset + 1], start, "".join(parts))
        if character != "\\":
            _refuse_in_string(text, start, offset, character)
        value, offset = _escape(text, offset)
        parts.append(value)


def _refuse_in_string(text: str, start: int, offset: int, character: str) -> NoReturn:
    """Refuse the end of the text or of the line, NUL, and halves of characters inside a string."""
    if character in {"", "\n", "\r"}:
        where = "on the same line" if character else "before the expression ends"
        message = f"the string that begins in column {start + 1} is not closed {where}"
        raise broken(text, start, offset - start, message, f"close it with {text[start]}", "P01")
    name = "U+0000" if character == "\0" else f"U+{ord(character):04X}, half of a character,"
    raise outside(text, offset, 1, "P01", f"{name} cannot be part of a text")


def _escape(text: str, offset: int) -> tuple[str, int]:
    r"""`escape = "\" ("\" | "'" | '"' | "n" | "t" | "r" | "u" hex hex hex hex)`: its value and its end."""
    letter = text[offset + 1 : offset + 2]
    if letter in _ESCAPES:
        return _ESCAPES[letter], offset + 2
    if letter == "u":
        match = re.match(_HEX, text[offset + 2 : offset + 6])
        if match is None:
            raise broken(text, offset, 2, "`\\u` takes four hexadecimal digits", "write \\u00e9 for é", "P01")
        code = int(match.group(), 16)
        if code == 0:
            raise outside(text, offset, 6, "P01", "U+0000 cannot be part of a text")
        if 0xD800 <= code <= 0xDFFF:  # noqa: PLR2004 - the surrogates
            message = f"`\\u{match.group()}` is half of a character"
            raise broken(text, offset, 6, message, "write the character itself", "P01")
        return chr(code), offset + 6
    if letter in _OTHER_ESCAPES and letter:
        cure = r"write the character itself, or one of \\ \" \' \n \t \r \uXXXX"
        raise outside(text, offset, 2, "P01", f"engines differ on the escape `\\{letter}`", cure)
    cure = r"write \\ for a backslash; the escapes are \\ \" \' \n \t \r \uXXXX"
    shown = letter if letter.isprintable() else ""
    raise broken(text, offset, 1 + len(shown), f"`\\{shown}` is not an escape", cure, "P01")


def _stray(text: str, offset: int) -> NoReturn:
    """Refuse a character that begins no token."""
    character = text[offset]
    shown = f"`{character}`" if character.isprintable() else f"U+{ord(character):04X}"
    if character == "`":
        cure = 'select such a field with its name in quotes: labels["a.b/c"]'
        raise outside(text, offset, 1, "P01", "names in backquotes are not in the profile", cure)
    if character == "\f":
        raise outside(text, offset, 1, "P01", "a form feed is not a blank here", "write an ordinary space")
    if text.startswith("=>", offset):
        message, cure = "`=>` is not an operator", "a macro takes a name and an expression: items.map(x, x.name)"
        raise broken(text, offset, 2, message, cure)
    message = f"{shown} is not an operator" if character in "=&|" else f"{shown} is not part of the language"
    raise broken(text, offset, 1, message, _STRAY.get(character))
