"""Models whose calls change what later calls give: refused by the line that changes it."""

import time
from pathlib import Path

import pytest
import torch
from torch import Tensor, nn

from core.analyse import analyse, build
from core.importing import ImportRefused, import_module
from core.importing.verify.equivalence import verdicts

CALLS = 0


class Layered(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(6, 3)
        self.mean: Tensor | None = None
        self.calls: dict[str, int] = {"n": 0}
        self.register_buffer("last", torch.zeros(6))


class Clips(Layered):
    def forward(self, x: Tensor) -> Tensor:
        for p in self.parameters():
            p.data.clamp_(-0.1, 0.1)  # clips
        return self.fc(x)


class Keeps(Layered):
    def forward(self, x: Tensor) -> Tensor:
        if self.mean is None:
            self.mean = x.mean(0)  # keeps
        return self.fc(x - self.mean)


class Counts(Layered):
    def forward(self, x: Tensor) -> Tensor:
        self.calls["n"] += 1  # counts
        return self.fc(x * 2 if self.calls["n"] == 3 else x)


class Follows(Layered):
    last: Tensor

    def forward(self, x: Tensor) -> Tensor:
        y = self.fc(x - self.last)
        self.last.copy_(x.mean(0))  # follows
        return y


class Global(Layered):
    def forward(self, x: Tensor) -> Tensor:
        global CALLS
        CALLS += 1  # global
        return self.fc(x) * CALLS


class Clock(Layered):
    def forward(self, x: Tensor) -> Tensor:
        return self.fc(x) * (time.time_ns() % 7)  # clock


class Caches(Layered):
    """Keeps what every call computes alike."""

    def forward(self, x: Tensor) -> Tensor:
        if self.mean is None:
            self.mean = torch.arange(3.0)
        self.calls["n"] += 1
        return self.fc(x) + self.mean


class ClipsInTraining(Layered):
    def forward(self, x: Tensor) -> Tensor:
        if self.training:
            self.fc.weight.data.clamp_(-0.1, 0.1)  # in training
        return self.fc(x)


class KeepsInTraining(Layered):
    def forward(self, x: Tensor) -> Tensor:
        if self.training and self.mean is None:
            self.mean = x.mean(0)  # keeps in training
        return self.fc(x if self.mean is None else x - self.mean)


def line_of(word: str) -> int:
    with Path(__file__).open(encoding="utf-8") as file:
        return next(i for i, line in enumerate(file, 1) if line.endswith(f"  # {word}\n"))


@pytest.mark.parametrize(
    ("kind", "word", "says"),
    [
        (Clips, "clips", "changes its weight fc.weight in place in every call."),
        (Keeps, "keeps", "keeps mean from one call to the next, which changes its results."),
        (Counts, "counts", "keeps calls from one call to the next, which changes its results."),
        (Follows, "follows", "keeps last from one call to the next, which changes its results."),
        (Global, "global", "gives other results in a later call, by the global variable CALLS."),
        (Clock, "clock", "gives other results in a later call, by the clock (time.time_ns)."),
    ],
)
def test_what_changes_from_call_to_call_is_refused_by_its_line(
    kind: type[nn.Module], word: str, says: str
) -> None:
    model = kind().eval()
    with pytest.raises(ImportRefused) as refused:
        import_module(model, [(6,)])
    place = f"{kind.__name__} (test_lasting_state.py, line {line_of(word)})"
    assert refused.value.place == place
    assert refused.value.message.startswith(says)


def test_the_model_that_is_looked_at_stays_as_it_was() -> None:
    model = Keeps().eval()
    with pytest.raises(ImportRefused):
        import_module(model, [(6,)])
    assert model.mean is None


def step_of(model: nn.Module) -> tuple[list[bool | None], str]:
    found = import_module(model.eval(), [(6,)])
    judged = verdicts(model, build(str(analyse(found.project.graph).source)), found.keys, [(6,)])
    return [verdict.equal for verdict in judged], judged[-1].note


def test_a_cache_that_changes_no_result_is_drawn() -> None:
    assert step_of(Caches()) == ([True, True, None, True], "")


@pytest.mark.parametrize(
    ("kind", "word", "says"),
    [
        (ClipsInTraining, "in training", "changes its weight fc.weight in place in every call."),
        (KeepsInTraining, "keeps in training", "keeps mean from one call to the next"),
    ],
)
def test_what_only_training_keeps_makes_the_step_differ(
    kind: type[nn.Module], word: str, says: str
) -> None:
    equal, note = step_of(kind())
    assert equal == [True, True, None, False]
    assert f"{kind.__name__} (test_lasting_state.py, line {line_of(word)}) {says}" in note
