"""Floors of the dependencies beside published advisories: `python -m tests.floors`.

Without the network: the floors are those of pyproject.toml, the newest versions those of
constraints.txt, which `make constraints` renews. Status 1 where a floor lets in a version with a
published advisory.
"""
# ruff: noqa: T201

import sys
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).parents[1]
ADVISORIES = {
    "h11": "0.16",
    "onnx": "1.22",
    "pillow": "13.0",
    "protobuf": "6.33.5",
    "python-multipart": "0.0.30",
    "scikit-learn": "1.5",
    "starlette": "1.3.1",
    "torch": "2.10",
}
"""The first version without the last published advisory that concerns us."""
HEADER = ("package", "floor", "newest", "free of advisories from")


def floors(lines: Iterable[str]) -> dict[str, Version]:
    """The lowest version of each package that requirements let in."""
    return {
        canonicalize_name(each.name): Version(spec.version)
        for each in map(Requirement, lines)
        for spec in each.specifier
        if spec.operator in (">=", "==")
    }


def declared() -> dict[str, Version]:
    """The floors of what Layerloom always needs."""
    text = (ROOT / "pyproject.toml").read_text("utf-8")
    return floors(tomllib.loads(text)["project"]["dependencies"])


def newest() -> dict[str, Version]:
    """The exact versions that are tested."""
    lines = (ROOT / "constraints.txt").read_text("utf-8").splitlines()
    return floors(line for line in lines if line and not line.startswith("#"))


def too_low(found: Mapping[str, Version]) -> list[str]:
    """The packages whose floor, or whose absence among these, lets in an advisory."""
    return [
        name
        for name, version in ADVISORIES.items()
        if name not in found or found[name] < Version(version)
    ]


def rows() -> list[tuple[str, str, str, str]]:
    """A row for each dependency."""
    exact = newest()
    return [
        (name, str(floor), str(exact.get(name, "-")), ADVISORIES.get(name, "-"))
        for name, floor in sorted(declared().items())
    ]


def main() -> int:
    """Print the table."""
    table = [HEADER, *rows()]
    widths = [max(len(row[at]) for row in table) for at in range(len(HEADER))]
    for row in table:
        print(
            "  ".join(f"{cell:{width}}" for cell, width in zip(row, widths, strict=True)).rstrip()
        )
    low = too_low(declared())
    if low:
        print(f"Raise in pyproject.toml: {', '.join(low)}.", file=sys.stderr)
    return int(bool(low))


if __name__ == "__main__":
    sys.exit(main())
