"""The figures of README are those of the tables it names."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
README = " ".join((ROOT / "README.md").read_text("utf-8").split())


def test_its_exports_are_those_of_their_table() -> None:
    table = (ROOT / "tests" / "bench" / "exports.md").read_text("utf-8")
    figures = re.search(
        r"(\d+) made and equal to 1e-05, (\d+) made in 8 bits or half precision, "
        r"0 made and different, (\d+) refused with a reason, 0 faults",
        table,
    )
    assert figures is not None
    equal, smaller, refused = figures.groups()
    rows = re.findall(r"^\| (\w+) \| ", table, re.MULTILINE)
    templates = [name for name in rows if name != "template" and not name.startswith("own_")]
    assert f" {len(templates)} templates and eight own networks in 15 formats" in README
    assert (
        f"{equal} equal to 1e-5, {smaller} in 8 bits or half precision, "
        f"{refused} refused with their reason"
    ) in README


def test_its_first_networks_are_those_of_their_table() -> None:
    table = (ROOT / "tests" / "bench" / "first_networks.md").read_text("utf-8")
    figures = re.search(r"\*\*(\d+) of (\d+) reach their template; (\d+) more say", table)
    assert figures is not None
    good, tried, rest = figures.groups()
    assert f"{good} of {tried} combinations come within 3 points" in README
    assert f"the verdicts of {rest} others name" in README
