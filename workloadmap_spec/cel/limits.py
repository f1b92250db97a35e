"""The limits of the value language: static ones (rule P16), and the evaluator's own."""

from __future__ import annotations

from typing import Final

#: Code points of an expression. Longer ones are programs, and every engine has a limit of its own (P16).
MAX_EXPRESSION_LENGTH: Final = 2048
#: Levels of a tree. The C++ engine fails at about 30 and cannot be told otherwise (P16).
MAX_DEPTH: Final = 24
#: Elements of a list or map literal (P16).
MAX_LITERAL_ELEMENTS: Final = 100
#: Macros inside the body of a macro. One level more multiplies the work by the length of a list (P16).
MAX_MACRO_NESTING: Final = 2
#: The largest integer that JSON and JavaScript keep exactly (P01).
MAX_INT_LITERAL: Final = 2**53 - 1

#: Elements that one macro visits. Longer lists cost the C++ engine seconds and gigabytes.
MAX_RANGE: Final = 1000
#: Characters of a string that an expression makes: stops doubling.
MAX_STRING_RESULT: Final = 64 * 1024
#: Elements of a list that an expression makes: stops doubling.
MAX_LIST_RESULT: Final = 10_000
#: Steps of one evaluation: a node of a macro's body for each element, an element compared, ten characters searched.
MAX_STEPS: Final = 1_000_000
#: Steps of all evaluations of one read: a thousand instances may not each take a million.
MAX_READ_STEPS: Final = 3_000_000
#: Characters of a string that is converted to a number, a timestamp or a duration. None that means one is longer.
MAX_CONVERTED_LENGTH: Final = 512

INT_MIN: Final = -(2**63)
INT_MAX: Final = 2**63 - 1
