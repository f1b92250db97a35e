"""`python -m workloadmap_spec`: the command line."""

from __future__ import annotations

import sys

from workloadmap_spec.cli import main

if __name__ == "__main__":
    sys.exit(main())
