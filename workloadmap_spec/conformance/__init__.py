"""The conformance suite: cases put to a reader over its standard input, answers judged, and a report.

`vocabulary` has the closed lists, `suite` the cases as requests, `wire` the messages, `process` the reader's process,
`judge` what an answer is worth, `variants` the same question in other words, `runner` the whole run, `expected` the
failures that a project knows of, `report` the document, and `junit`, `markdown` and `human` its other forms. `lines` is
the suite as lines of JSON, and `serve` our own reader's side of the protocol.
"""
