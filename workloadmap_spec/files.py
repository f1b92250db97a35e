"""The files that travel with the package: schemas, mappings, conformance cases and the pages of rules.

They lie beside the package in a checkout and inside it, under `data/`, in an installed wheel. Both are found by
looking at the file system once; nothing here imports the resource machinery of the standard library, since every
command of the CLI starts with this module.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from workloadmap_spec.errors import WorkloadMapError

#: The version of the specification that this package implements, and the name of its folder of schemas.
SPEC_VERSION = "v1alpha1"

#: The file that an installed package has in the place of the folder of cases.
CASES_FILE = "cases.jsonl"

_PACKAGE = Path(__file__).resolve().parent


class DataFileError(WorkloadMapError, LookupError):
    """A file that belongs to the package is not there: the installation is damaged."""


def find_root(package: Path) -> Path:
    """Find the folder that holds `schema/`, `mappings/` and `conformance/` for the package in `package`.

    Raises:
        DataFileError: It is neither in the package nor beside it.
    """
    installed = package / "data"
    if (installed / "schema").is_dir():
        return installed
    checkout = package.parent
    # An installed package lies beside foreign ones, of which one may be called `schema`: only our own project counts.
    if (checkout / "pyproject.toml").is_file() and (checkout / "schema" / SPEC_VERSION).is_dir():
        return checkout
    raise DataFileError(
        f"the schemas and mappings of workloadmap-spec are neither in {installed} nor beside {package}",
        cure="install it again: pip install --force-reinstall workloadmap-spec",
    )


@cache
def root() -> Path:
    """Give the folder that holds `schema/`, `mappings/` and `conformance/`.

    Raises:
        DataFileError: The package was installed without its data.
    """
    return find_root(_PACKAGE)


def _below(*parts: str) -> Path:
    """Give the path of something below the root that must exist."""
    path = root().joinpath(*parts)
    if not path.exists():
        raise DataFileError(
            f"{path} is missing from workloadmap-spec",
            cure="install it again: pip install --force-reinstall workloadmap-spec",
        )
    return path


def schema_path(name: str) -> Path:
    """Give the path of a file of the specification, such as `workload-mapping.schema.json`.

    Raises:
        DataFileError: There is no such file.
    """
    return _below("schema", SPEC_VERSION, name)


def mappings_root() -> Path:
    """Give the folder of the packaged mappings, with one folder for each API group.

    Raises:
        DataFileError: The package was installed without its mappings.
    """
    return _below("mappings")


def rule_pages_root() -> Path:
    """Give the folder of the pages of the rules of validation, `WMnnn.md` each.

    Raises:
        DataFileError: The package was installed without its pages.
    """
    return _below("docs", "rules")


def conformance_path(name: str) -> Path:
    """Give the path of a file of the conformance suite, such as `profiles.json`.

    Raises:
        DataFileError: There is no such file.
    """
    return _below("conformance", name)


def cases_root() -> Path:
    """Give the place of the conformance cases: their folder in a checkout, one file of lines in an installed package.

    Raises:
        DataFileError: The package was installed without its cases.
    """
    folder = root() / "conformance" / "cases"
    return folder if folder.is_dir() else _below("conformance", CASES_FILE)
