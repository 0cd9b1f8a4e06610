"""Projects by doors, `make crossing`: `python -m tests.crossing.cross [PROJECT...]`.

One network and one set of samples have one answer at every door, or a sentence says why not.
"""
# ruff: noqa: T201

import sys
import tempfile
import traceback
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
import torch

from core.analyse import analyse_project
from core.errors import LayerloomError
from core.prepare.create import prepare
from tests.bench.exports_own import trusted
from tests.core.small_runs import train_here
from tests.crossing.doors import DOORS, Door, Outputs, Refused, TrainedRun
from tests.crossing.projects import PROJECTS

OUT = Path(__file__).parents[1] / "bench/crossing.md"


@dataclass(frozen=True)
class Crossed:
    """word: equal, refused, different or crashed; why: of all but the first."""

    word: str
    why: str = ""


def trained(name: str, workspace: Path) -> TrainedRun:
    """A project, trained in this process."""
    made = PROJECTS[name](workspace)
    run_dir = prepare(made, analyse_project(made), workspace / "runs")
    assert train_here(run_dir).state == "finished", (run_dir / "log.txt").read_text()
    return TrainedRun(made, run_dir, workspace)


def crossed(run: TrainedRun, door: Door) -> Crossed:
    """Whether a door gives the answers of the run."""
    try:
        found = door.answers(run)
    except (Refused, LayerloomError) as error:
        return Crossed("refused", str(error))
    except Exception as error:
        traceback.print_exc()
        return Crossed("crashed", f"{type(error).__name__}: {error}".splitlines()[0])
    return _compared(run.expected, found, door.tolerance)


def _compared(expected: Outputs, found: Outputs, tolerance: float) -> Crossed:
    shapes = [[tuple(t.shape) for t in each] for each in (expected, found)]
    if shapes[0] != shapes[1]:
        return Crossed("different", f"shapes {shapes[1]} where the run has {shapes[0]}")
    for mine, theirs in zip(expected, found, strict=True):
        far = (mine.double() - theirs.double()).abs().nan_to_num().max().item()
        largest = max(mine.double().abs().nan_to_num().max().item(), 1.0)
        if far > tolerance * largest or not torch.equal(mine.isnan(), theirs.isnan()):
            return Crossed("different", f"by {far:.2g}")
    return Crossed("equal")


def table(names: Sequence[str]) -> dict[tuple[str, str], Crossed]:
    """All doors of these projects."""
    results = dict[tuple[str, str], Crossed]()
    for name in names:
        with trusted() as workspace:
            print(name, flush=True)
            run = trained(name, workspace)
            for title, door in DOORS.items():
                results[name, title] = crossed(run, door)
                print(f"  {title}: {results[name, title]}", flush=True)
    return results


def text_of(results: dict[tuple[str, str], Crossed], names: Sequence[str]) -> str:
    """The table as Markdown, and why each door refused or differed."""
    words = [each.word for each in results.values()]
    counts = ", ".join(
        f"{words.count(w)} {w}" for w in ("equal", "refused", "different", "crashed")
    )
    head = f"| | {' | '.join(DOORS)} |\n|{'---|' * (len(DOORS) + 1)}\n"
    rows = "".join(f"| {n} | {' | '.join(results[n, d].word for d in DOORS)} |\n" for n in names)
    whys = "".join(f"- {n}, {d}: {each.word}. {each.why}\n"
                   for (n, d), each in results.items() if each.why)  # fmt: skip
    title = f"# Projects × doors: {len(names)} × {len(DOORS)}"
    return f"{title}\n\n`make crossing`. {counts}.\n\n{head}{rows}\n{whys}"


def main(names: Sequence[str]) -> int:
    """Cross and write the table where all were crossed; 1 where a door differs or crashes."""
    chosen = names or list(PROJECTS)
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        for variable in ("TMPDIR", "TORCHINDUCTOR_CACHE_DIR", "LAYERLOOM_HOME"):
            patch.setenv(variable, folder)
        results = table(chosen)
    text = text_of(results, chosen)
    print(text)
    if not names:
        OUT.write_text(text, "utf-8")
    return int(any(each.word in ("different", "crashed") for each in results.values()))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
