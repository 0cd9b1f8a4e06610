"""How long tests take: `python -m tests.durations RESULTS.xml...` renews tests/durations.json.

Kept are the seconds of each test of half a second and more, and the mean of the others by file. A
test that is not listed counts as a second, the most that a new small test may take.
"""

import json
import re
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parents[1]
FILE = ROOT / "tests" / "durations.json"
LISTED_S = 0.5
UNKNOWN_S = 1.0


def results(file: Path) -> Iterator[tuple[str, str, float]]:
    """Yield file, test and seconds of each result that pytest's --junitxml wrote."""
    for case in ElementTree.parse(file).iter("testcase"):
        module = (case.get("classname") or "").replace(".", "/")
        yield f"{module}.py", case.get("name") or "", float(case.get("time") or 0)


def summary(files: Sequence[Path]) -> dict[str, dict[str, float]]:
    """Return the seconds of slow tests, and the mean of all others as "", by test file."""
    small, kept = defaultdict[str, list[float]](list), defaultdict[str, dict[str, float]](dict)
    for result in files:
        for file, test, seconds in results(result):
            if seconds < LISTED_S:
                small[file].append(seconds)
            else:
                kept[file][test] = round(seconds, 1)
    for file, times in small.items():
        kept[file][""] = round(sum(times) / len(times), 3)
    return {file: dict(sorted(kept[file].items())) for file in sorted(kept)}


def seconds(known: dict[str, dict[str, float]], nodeid: str) -> float:
    """Return what a test takes, as recorded."""
    file, _, test = nodeid.partition("::")
    of_file = known.get(file, {})
    return of_file.get(re.sub(r"^.*::", "", test), of_file.get("", UNKNOWN_S))


def main(arguments: Sequence[str]) -> None:
    """Files that no result names keep what was recorded of them."""
    known = json.loads(FILE.read_text("utf-8")) if FILE.is_file() else {}
    renewed = known | summary([Path(each) for each in arguments])
    there = {file: renewed[file] for file in sorted(renewed) if (ROOT / file).is_file()}
    FILE.write_text(json.dumps(there, indent=1, ensure_ascii=False) + "\n", "utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
