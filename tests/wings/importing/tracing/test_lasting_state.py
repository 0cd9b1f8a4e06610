"""Models whose calls change what later calls give: refused by the line that changes it."""

import os
import time
from collections import deque
from pathlib import Path
from typing import ClassVar

import pytest
import torch
from torch import Tensor, nn

from core.analyse import analyse, build
from core.wings.importing import ImportRefused, import_module
from core.wings.importing.tracing.input_search import find_inputs
from core.wings.importing.tracing.model_call import InputSpec
from core.wings.importing.verify.equivalence import verdicts

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


class Loads(Layered):
    def forward(self, x: Tensor) -> Tensor:
        state = {name: weight.clamp(-0.1, 0.1) for name, weight in self.fc.state_dict().items()}
        self.fc.load_state_dict(state)  # loads
        return self.fc(x)


class Keeps(Layered):
    def forward(self, x: Tensor) -> Tensor:
        if self.mean is None:
            self.mean = x.mean(0)  # keeps
        return self.fc(x - self.mean)


class ReadsOnce(Layered):
    """Reads what is the same in each call of today."""

    def __init__(self, what: str) -> None:
        super().__init__()
        self.what = what

    def forward(self, x: Tensor) -> Tensor:
        found = 1
        if self.what == "file":
            with open(__file__) as file:  # noqa: PTH123 - as people write it
                found = len(file.name)
        elif self.what == "path":
            found = len(Path(__file__).read_text())
        elif self.what == "environment":
            found = len(os.getenv("PATH", ""))
        elif self.what == "get":
            found = len(os.environ.get("PATH", ""))
        elif self.what == "within":
            found = 1 + ("PATH" in os.environ)
        return self.fc(x) * (found / 1000)


class Remembers(nn.Module):
    """What it keeps fits batches of one size alone."""

    def __init__(self) -> None:
        super().__init__()
        self.cell = nn.GRUCell(6, 5)
        self.state: Tensor | None = None

    def forward(self, x: Tensor) -> Tensor:
        self.state = self.cell(x, self.state)  # remembers
        return self.state


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


class Adds(Layered):
    """Adds the results of the last call where it had as many samples."""

    def forward(self, x: Tensor) -> Tensor:
        y = self.fc(x)
        if self.mean is not None and self.mean.shape == y.shape:
            y = y + self.mean
        self.mean = y.detach()  # adds
        return y


class Queues(Layered):
    def __init__(self) -> None:
        super().__init__()
        self.calls_of_late = deque[float]([0.0], maxlen=3)

    def forward(self, x: Tensor) -> Tensor:
        self.calls_of_late.append(1.0)  # queues
        return self.fc(x) * sum(self.calls_of_late)


class CountsInClass(Layered):
    seen: ClassVar[list[int]] = []

    def forward(self, x: Tensor) -> Tensor:
        self.seen.append(1)  # counts in class
        return self.fc(x) * len(self.seen)


class CountsInHook(Layered):
    def __init__(self) -> None:
        super().__init__()
        count = {"n": 0}

        def scaled(part: nn.Module, given: object, result: Tensor) -> Tensor:
            count["n"] += 1  # counts in hook
            return result * count["n"]

        self.fc.register_forward_hook(scaled)

    def forward(self, x: Tensor) -> Tensor:
        return self.fc(x)


class Seeds(Layered):
    def forward(self, x: Tensor) -> Tensor:
        torch.manual_seed(0)  # seeds
        return self.fc(x) + torch.rand(3)


class SeedsApart(Layered):
    def forward(self, x: Tensor) -> Tensor:
        with torch.random.fork_rng():
            torch.manual_seed(7)  # seeds apart
            noise = torch.rand(3)
        return self.fc(x) + noise


class MakesLayers(nn.Module):
    """Makes what it needs in its first call."""

    layer: nn.Linear | None
    mask: Tensor

    def __init__(self) -> None:
        super().__init__()
        self.layer = None

    def forward(self, x: Tensor) -> Tensor:
        if self.layer is None:
            self.layer = nn.Linear(x.shape[1], 3)
            self.register_buffer("mask", torch.arange(3.0))
        return self.layer(x) * self.mask


class Addresses(Layered):
    def forward(self, x: Tensor) -> Tensor:
        return self.fc(x) * (id(x) % 1009)  # addresses


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
        (Loads, "loads", "changes its weight fc.weight in place in every call."),
        (Keeps, "keeps", "keeps mean from one call to the next, which changes its results."),
        (Remembers, "remembers", "keeps state from one call to the next, which changes its"),
        (Counts, "counts", "keeps calls from one call to the next, which changes its results."),
        (Follows, "follows", "keeps last from one call to the next, which changes its results."),
        (Global, "global", "gives other results in a later call, by the global variable CALLS."),
        (Adds, "adds", "keeps mean from one call to the next, which changes its results."),
        (Queues, "queues", "keeps calls_of_late from one call to the next, which changes its"),
        (Seeds, "seeds", "sets the seed of torch's random numbers, so that each call draws the"),
        (SeedsApart, "seeds apart", "sets the seed of torch's random numbers, so that each call"),
        (Addresses, "addresses", "gives other results in a later call, by an address in memory"),
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


@pytest.mark.parametrize(
    ("kind", "owner", "word", "what"),
    [
        (CountsInClass, "CountsInClass", "counts in class", "class attribute CountsInClass.seen"),
        (CountsInHook, "fc", "counts in hook", "variable count around scaled"),
    ],
)
def test_what_changes_outside_of_the_model_is_named_with_its_line(
    kind: type[nn.Module], owner: str, word: str, what: str
) -> None:
    with pytest.raises(ImportRefused) as refused:
        import_module(kind().eval(), [(6,)])
    assert refused.value.place == f"{owner} (test_lasting_state.py, line {line_of(word)})"
    assert refused.value.message.startswith(f"gives other results in a later call, by the {what}.")


@pytest.mark.parametrize("name", ["file", "path", "environment", "get", "within"])
def test_what_is_read_from_a_file_or_the_environment_is_noted(name: str) -> None:
    (note,) = import_module(ReadsOnce(name), [(6,)]).training
    what = "a file (" if name in ("file", "path") else "the environment (os.environ)"
    assert note.startswith("ReadsOnce (test_lasting_state.py, line ")
    assert f") reads {what}" in note
    assert note.endswith(": it is drawn as it was read now")


def test_the_model_that_is_looked_at_stays_as_it_was() -> None:
    model = Keeps().eval()
    with pytest.raises(ImportRefused):
        import_module(model, [(6,)])
    assert model.mean is None


def test_a_search_for_inputs_leaves_the_model_as_it_was() -> None:
    model = MakesLayers().eval()
    (found,) = find_inputs(model, InputSpec(), "net").inputs
    assert found.shape == (784,)
    assert model.layer is None


def test_what_the_first_call_makes_is_made_and_told() -> None:
    model = MakesLayers().eval()
    found = import_module(model, [(6,)])
    assert found.made == ("layer", "mask")
    assert [*model.state_dict()] == ["mask", "layer.weight", "layer.bias"]


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
