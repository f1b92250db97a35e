"""Tests against a real API server. They take minutes and need more than Python; `make test` does without them."""
