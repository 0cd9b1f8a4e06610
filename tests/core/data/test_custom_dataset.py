"""A torch Dataset of the user's own as data: trusted or not run, read one by one, told in words."""

import random
from pathlib import Path
from typing import Any

import pytest
import torch

from core.common.errors import TrainingError, Unread
from core.data import DataError, describe, load, read_settings
from core.data.custom.dataset_file import classes_in, faults, untrusted_path
from core.data.facts.metadata import read_own
from core.files import trust
from core.project import Project, read_text, write_text
from core.script.script import write_script
from tests.core.data.own_classes import FILE, TEXT, WAVES, write_classes
from tests.core.script.hand_made import MLP, Written

HEAD = "import torch\nfrom torch.utils.data import Dataset, IterableDataset\n\n\n"
MAP = (
    HEAD
    + """\
class Own(Dataset):
    def __len__(self):
        return 4

    def __getitem__(self, index):
        {}
"""
)
STREAM = (
    HEAD
    + """\
class Own(IterableDataset):
    def __iter__(self):
        {}
"""
)
OWN = {"source": "Dataset", "file": FILE}


@pytest.fixture(autouse=True)
def home(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LAYERLOOM_HOME", str(workspace / "home"))


def refusal(workspace: Path, text: str, **settings: Any) -> str:
    write_classes(workspace, text)
    with pytest.raises(DataError) as error:
        read_own(OWN | settings)
    return str(error.value)


def test_nothing_of_it_runs_before_it_is_trusted(workspace: Path) -> None:
    mark = workspace / "it_ran"
    text = TEXT + f"\n\nMARK = open({str(mark)!r}, 'w')\n"
    write_classes(workspace, text, trusted=False)
    project = read_text(write_text(Project(name="Net", data=WAVES)))
    assert project.data == WAVES
    with pytest.raises(Unread, match="has not been read yet: opening a project does not read data"):
        read_settings(project.data)
    with pytest.raises(
        DataError, match=r"data/waves.py contains Python code that you have not trusted"
    ):
        read_own(project.data)
    assert untrusted_path(project.data) == FILE
    assert not mark.exists()
    trust.trust(text, FILE)
    read_own(project.data)
    assert mark.exists()


def test_one_character_changed_asks_again(workspace: Path) -> None:
    write_classes(workspace)
    read_own(WAVES)
    write_classes(workspace, TEXT.replace("COUNT = 60", "COUNT = 61"), trusted=False)
    with pytest.raises(DataError, match="have not trusted"):
        read_own(WAVES)
    with pytest.raises(Unread, match="has changed since it was read"):
        load(WAVES, (8,), (2,))
    write_classes(workspace)
    read_own(WAVES)
    trust.forget(TEXT)
    with pytest.raises(DataError, match="have not trusted"):
        load(WAVES, (8,), (2,))


def test_its_samples_are_those_that_torch_gives_each_time(workspace: Path) -> None:
    write_classes(workspace)
    facts = read_own(WAVES)
    assert facts is not None
    assert facts.source.classes == ("slow", "fast")
    assert (facts.source.samples, facts.source.shape, facts.source.kind) == (60, (8,), "table")
    before = random.getstate()[1]
    first, again = load(WAVES, (8,), (2,)), load(WAVES, (8,), (2,))
    assert random.getstate()[1] == before  # chance of the process is left alone
    assert first.content == again.content
    assert first.labels is not None
    assert first.labels.tolist() == [0, 1] * 30
    assert describe(WAVES, (8,), (2,)).summary.startswith("60 rows in 2 classes: 48 training")


def test_numbers_without_names_become_classes_in_their_order(workspace: Path) -> None:
    write_classes(workspace)
    data = WAVES | {"class": "Pictures"}
    facts = read_own(data)
    assert facts is not None
    assert facts.source.classes == ("0", "10", "20")
    assert facts.source.kind == "image"
    found = load(data, (1, 6, 6), (3,))
    assert found.labels is not None
    assert found.labels[:4].tolist() == [0, 1, 2, 0]


def test_a_stream_is_bounded_and_says_so(workspace: Path) -> None:
    write_classes(workspace)
    data = WAVES | {"class": "Sums"}
    facts = read_own(data)
    assert facts is not None
    assert facts.source.samples == 1000
    assert facts.source.about == (
        "The first 1,000 samples of Sums in data/waves.py, an IterableDataset."
    )
    found = read_own(data | {"samples": 25})
    assert found is not None
    assert (found.source.samples, found.source.classes) == (25, ())
    loaded = load(data | {"samples": 25, "normalize": False}, (3,), (1,))
    assert torch.allclose(loaded.inputs.sum(1, keepdim=True), loaded.targets, atol=1e-6)


@pytest.mark.gate
def test_workers_give_the_same_samples_in_the_same_order(workspace: Path) -> None:
    write_classes(workspace)
    data = WAVES | {"class": "Pictures"}
    read_own(data)
    read_own(data | {"loader_workers": 2})
    one, other = load(data, (1, 6, 6), (3,)), load(data | {"loader_workers": 2}, (1, 6, 6), (3,))
    assert one.content == other.content


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("raise ValueError('no such row')", "Own.__getitem__, sample 0, fails in line 10 of "
         "data/waves.py: ValueError: no such row."),
        ("return torch.zeros(2) if index < 3 else 1 // 0, 0", "sample 3, fails in line 10 of "
         "data/waves.py: ZeroDivisionError"),
        ("return torch.zeros(2 + index // 2), index", "Sample 2 of Own has an input of (3,), but "
         "sample 0 has one of (2,)."),
        ("return torch.zeros(2), index if index else 0.5", "Sample 1 of Own has the target 1, but "
         "sample 0 has 0.5."),
        ("return torch.zeros(2)", "Sample 0 of Own is a Tensor, not an input and its target."),
        ("return 'a', 'b'", "Sample 0 of Own is a str and a str, not numbers."),
        ("return torch.zeros(2), torch.zeros(2)", "a target of (2,) float32, not one real number"),
        ("return torch.zeros(2, 2), index", "an input of (2, 2), which is neither a row"),
        ("return torch.zeros(9, 9, 3), index", "an input of (9, 9, 3), whose channels come last"),
        ("return torch.full((2,), float('nan')), index", "a value that does not fit into 32 bits"),
        ("return torch.zeros(2), 7", "Own in data/waves.py has 1 classes"),
        ("import sys; sys.exit(3)", "sample 0, fails in line 10 of data/waves.py: SystemExit: 3"),
    ],
)  # fmt: skip
def test_what_a_class_does_wrong_is_shown_with_the_sample(
    body: str, message: str, workspace: Path
) -> None:
    assert message in refusal(workspace, MAP.format(body))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (STREAM.format("return iter(())"), "Own in data/waves.py gives no samples."),
        (MAP.format("return torch.zeros(2), index").replace("return 4", "return 0"),
         "Own in data/waves.py gives no samples."),
        (MAP.format("return torch.zeros(2), index").replace("return 4", "return 10**9"),
         "1,000,000,000 samples of (2,) have 8.0 GB, more than 4."),
        (MAP.format("return 0, 0").replace("__len__", "size"), "Own.__len__ fails in data/"),
        (HEAD + "class Own(Dataset):\n    def __init__(self, folder):\n        ...\n",
         "Own cannot be made: __init__ fails in data/waves.py: TypeError"),
        (HEAD + "class Base:\n    ...\n", "data/waves.py has no Dataset class."),
        (HEAD + "class A(Dataset): ...\n\n\nclass B(Dataset): ...\n", "has 2 Dataset classes. Set "
         "data.class to one of A, B."),
        (MAP.format("return 0, 0") + "\n\nX = 1 // 0\n", "The code outside functions "
         "fails in line 13 of data/waves.py: ZeroDivisionError"),
        ("import os\nos.remove('x')\n", "line 2, is not an import, class, function or"),
        ("import math; SIZE = math.pi\n", "line 1, has two statements; give each a line"),
        ("from os import *\n", "line 1, has an import that a training script cannot use"),
        ("class Own(:\n", "line 1, is not Python"),
        (HEAD + "class Own(Dataset):\n    x = '\u202e'\n", "the invisible character U+202E"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_file_is_named(text: str, message: str, workspace: Path) -> None:
    assert message in refusal(workspace, text)


def test_a_class_that_is_missing_or_no_data_set_is_named(workspace: Path) -> None:
    text = HEAD + "class Other:\n    ...\n"
    assert "has no class Own. Its classes: Other." in refusal(workspace, text, **{"class": "Own"})
    message = "Other in data/waves.py is not a torch Dataset."
    assert message in refusal(workspace, text, **{"class": "Other"})


def test_workers_of_a_stream_are_refused(workspace: Path) -> None:
    text = STREAM.format("yield torch.zeros(2), 0")
    assert "each of 2 workers would give all of its samples" in refusal(
        workspace, text, loader_workers=2
    )


def test_an_error_in_a_worker_names_the_sample_too(workspace: Path) -> None:
    body = "return torch.zeros(2), [0, 1, 2][index]"
    message = refusal(workspace, MAP.format(body), loader_workers=1)
    assert "Own.__getitem__, sample 3, fails in data/waves.py: IndexError: list index" in message


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"class": "a b"}, "data.class is 'a b'."),
        ({"samples": 1}, "data.samples is 1. Use a whole number from 2 to"),
        ({"loader_workers": True}, "data.loader_workers is True."),
        ({"columns": ["x"]}, "data.columns is not a setting of Dataset."),
        ({"file": "../waves.py"}, "contains . or .."),
    ],
)
def test_settings_that_make_no_sense_are_refused(settings: Any, message: str) -> None:
    with pytest.raises(DataError, match=message.replace(".", r"\.")):
        read_settings(OWN | settings)


def test_a_file_is_read_by_its_syntax_alone() -> None:
    assert classes_in(TEXT) == ("Waves", "Pictures", "Sums")
    assert faults(TEXT) == ()
    assert classes_in("class A(torch.utils.data.Dataset): ...\nclass B(nn.Module): ...") == ("A",)


def test_names_that_a_script_uses_itself_are_refused(workspace: Path) -> None:
    text = MAP.format("return torch.zeros(4), index % 2")
    write_classes(workspace, text + "\n\ndef split(x):\n    return x\n")
    read_own(OWN)
    info = describe(OWN, (4,), (2,))
    written = Written(MLP.format(inputs=4, outputs=2), "Mlp")
    with pytest.raises(TrainingError, match=r"data/waves.py calls something split, which"):
        write_script(Project(name="Net", data=OWN), written, info)
