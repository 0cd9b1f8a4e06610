"""Running a card: what may run, in which limits, and how it fails in one sentence."""

import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from core import open_project
from core.analyse import analyse_project, report_json
from core.project import Project, read_text
from core.source.audit import AuditError
from core.wings.cards.audit import audit_card
from core.wings.cards.card import Card, Cost
from core.wings.cards.catalogue import CARDS
from core.wings.cards.drawing import Drawing
from core.wings.cards.run import CardError, block_of, cost_warning, objection, run, too_large
from core.wings.cards.text import card_text
from tests.crossing import own_texts
from tests.crossing.own_project import own_project, trusted
from tests.wings.cards.conftest import ROOT, drawing_of

STRIDES = CARDS["shapes-and-strides"]
EACH = CARDS["per-sample-gradients"]


def drawn(project: Project) -> Drawing:
    return Drawing(project, report_json(analyse_project(project)))


def with_text(template: str, before: str, after: str) -> Drawing:
    text = (ROOT / "projects" / f"{template}.loom.json").read_text("utf-8")
    assert before in text
    return drawn(read_text(text.replace(before, after)))


@pytest.fixture
def scripted(monkeypatch: pytest.MonkeyPatch):
    """A card with another script."""

    def make(script: str, **more: object) -> Card:
        card = replace(STRIDES, **more)
        vars(card)["script"] = f'"""A script of a test."""\n\n{script}\n'
        return card

    return make


@pytest.mark.gate
def test_a_run_gives_numbers_pictures_and_what_was_printed() -> None:
    outcome = run(STRIDES, drawing_of("mlp_iris"))
    assert outcome.values["first_stride"] == 4
    assert outcome.values["names"][0] == "x"
    assert outcome.printed.endswith("one step along the batch skips 4 numbers of x\n")
    assert outcome.text.own.startswith('met = [("x", x)]\n')


def test_a_card_reads_a_standardised_folder_of_pictures() -> None:
    with trusted() as workspace:
        drawing = drawn(own_project("own_pictures", workspace))
        assert drawing.project.data["normalize"] is True
        text = card_text(CARDS["functional-call"], drawing).text
    assert "def statistics(batches: Iterator[Tensor])" in text
    assert "from collections.abc import Callable, Iterator\n" in text


@pytest.mark.parametrize("write", [own_texts.mails, own_texts.mail_folder])
def test_a_card_reads_texts_of_ones_own(write: Callable[[Path], dict[str, Any]]) -> None:
    with trusted() as workspace:
        text = card_text(
            CARDS["functional-call"], drawn(own_texts.text_project(write(workspace)))
        ).text
    assert "def tokens_of(text: str" in text


@pytest.mark.gate
def test_a_script_that_fails_is_one_sentence_and_leaves_nothing_behind(
    scripted, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    card = scripted('open("left.txt", "w").write("x")\nfirst_stride = 1 / 0')
    with pytest.raises(CardError, match=r"stopped at line \d+ of its text: ZeroDivisionError: "):
        run(card, drawing_of("mlp_iris"))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_a_script_that_takes_too_long_is_stopped(scripted) -> None:
    card = scripted("import time\n\ntime.sleep(600)\nfirst_stride = names = bytes_held = rows = []",
                    limit_s=1.0)  # fmt: skip
    with pytest.raises(CardError, match="took longer than 1 s and was stopped"):
        run(card, drawing_of("mlp_iris"))


def test_a_drawing_with_an_error_is_refused_in_its_report_markdown() -> None:
    drawing = with_text("lenet_digits", '"kernel_size": 5, "padding": 2', '"kernel_size": 99')
    assert objection(STRIDES, drawing).startswith("conv1 ")


def test_a_drawing_without_data_gets_random_inputs_where_targets_are_not_needed() -> None:
    project = replace(open_project(ROOT / "projects/lenet_digits.loom.json"), data={})
    drawing = drawn(project)
    assert objection(EACH, drawing) == "The project has no data. Choose some on the Data page."
    assert objection(STRIDES, drawing) == ""
    assert (
        "x = torch.randn(BATCH, 1, 28, 28, dtype=torch.float32)" in card_text(STRIDES, drawing).text
    )


def test_half_precision_is_refused_by_name() -> None:
    project = replace(open_project(ROOT / "projects/mlp_iris.loom.json"), data={})
    drawing = drawn(project)
    report = {**drawing.report, "inputs": [{**drawing.report["inputs"][0], "dtype": "float16"}]}
    assert objection(STRIDES, Drawing(project, report)) == (
        "Cards calculate in float32, and features is in half precision."
    )


def test_two_outputs_are_refused_with_both_numbers() -> None:
    message = "It needs one Input and one Output; this drawing has 1 and 2."
    assert objection(STRIDES, drawing_of("two_heads_digits")) == message


def test_time_and_memory_are_asked_before() -> None:
    drawing = drawing_of("lenet_digits")
    slow = replace(STRIDES, cost=lambda _d, _p: Cost(passes=1e9))
    large = replace(STRIDES, cost=lambda _d, _p: Cost(copies=1e6, passes=0))
    assert "It would take about" in too_large(slow, drawing)
    assert "of memory on this drawing" in too_large(replace(large, limit_s=1e9), drawing)
    assert too_large(STRIDES, drawing) == ""


def test_what_a_compiler_takes_is_shown_before_and_counted() -> None:
    drawing = drawing_of("mlp_iris")
    slow = replace(STRIDES, cost=lambda _d, _p: Cost(compile_s=30.0, compile_bytes=1_000_000_000))
    assert cost_warning(slow, drawing) == (
        "It takes about 30 s and 1.5 GB of memory on a quiet machine."
    )
    assert cost_warning(STRIDES, drawing) == ""
    assert "and may take 20 s" in too_large(replace(slow, limit_s=20.0), drawing)


def test_what_a_machine_without_compiler_or_headers_lacks_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    card = replace(STRIDES, compiler=True, headers=True)
    monkeypatch.setattr("core.wings.cards.card.which", lambda _name: None)
    assert (
        card.missing_requirement
        == "It needs a C++ compiler, such as g++, and this machine has none."
    )
    monkeypatch.setattr("core.wings.cards.card.which", lambda name: name)
    monkeypatch.setattr("core.wings.cards.card.get_path", lambda _name: str(tmp_path))
    assert card.missing_requirement.startswith("It needs Python.h")


def test_a_block_is_refused_by_a_card_about_the_whole() -> None:
    with pytest.raises(CardError, match="is about the whole drawing"):
        block_of(STRIDES, drawing_of("lenet_digits"), "conv1")


def test_python_that_is_not_trusted_does_not_run() -> None:
    drawing = drawn(open_project(ROOT / "tests/files/v1/python.loom.json"))
    assert "contains Python code that you have not trusted yet" in objection(STRIDES, drawing)


@pytest.mark.parametrize(
    ("line", "part"),
    [
        ("import os", "an import of os"),
        ("eval('1')", "the name `eval`"),
        ("torch.nn._reduction", "`._reduction`"),
        ("().__class__", "`.__class__`"),
        ("del torch", "Delete"),
    ],
)
def test_what_no_generated_line_holds_is_refused(line: str, part: str) -> None:
    text = card_text(STRIDES, drawing_of("mlp_iris"))
    above = "\n".join(text.text.splitlines()[: text.first - 1])
    message = f"generated source never contains {re.escape(part)}"
    with pytest.raises(AuditError, match=message):
        audit_card(f"{above}\n{line}\n", str(drawing_of("mlp_iris").report["source"]), ())


def test_what_a_page_needs_of_cards_imports_no_torch() -> None:
    modules = "core.wings.cards.catalogue, core.wings.cards.run, core.wings.cards.text"
    line = f"import sys, {modules}; print('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", line], cwd=ROOT, capture_output=True, text=True)
    assert done.stdout == "False\n"
