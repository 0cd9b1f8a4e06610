"""Texts on both sides of the split or in two classes, and words or lengths that tell a class."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core.data.facts.metadata import read_own
from core.wings.findings.card import data_card
from tests.wings.findings.planted import Rows, ordered
from tests.wings.findings.planted_series import every
from tests.wings.findings.texts import texts


@pytest.fixture
def findings(read: Any) -> Any:
    """The findings on a table of texts."""

    def found(table: Rows) -> Any:
        data = read(table)
        assert data["source"] == "TextCSV"
        return data_card(data).findings

    return found


@pytest.mark.parametrize("classes", [2, 3])
def test_sound_texts_give_no_finding(findings: Any, classes: int) -> None:
    assert findings(texts(np.random.default_rng(1), classes=classes)) == ()


def test_equal_texts_on_both_sides_of_the_split_are_counted(findings: Any) -> None:
    table = texts(np.random.default_rng(1))
    again = ordered(table, [*range(150), *range(40)])
    again["text"][150:] = [text.upper().replace(" ", "  ") for text in again["text"][150:]]
    (finding,) = findings(again)
    assert finding.kind == "copies"
    assert finding.count > 10
    assert finding.sentence.startswith(
        f"{finding.count} of 38 validation texts are training texts, too"
    )
    assert all(2 <= row <= 41 or 152 <= row <= 191 for row in finding.rows)


def test_one_text_with_two_classes_is_named_by_its_rows(findings: Any) -> None:
    table = texts(np.random.default_rng(1))
    table["text"][9] = table["text"][4]
    (finding,) = findings(table)
    assert (finding.kind, finding.rows) == ("two_classes", (6, 11))
    assert "A text has several classes (cooking and music)" in finding.sentence


def test_a_word_that_stands_in_one_class_alone_is_named_with_its_score(findings: Any) -> None:
    table = texts(np.random.default_rng(1), classes=3)
    table["text"] = [
        f"{text} unsubscribe" if label == "music" else text
        for text, label in zip(table["text"], table["label"], strict=True)
    ]
    table["text"][0] = f"{table['text'][0]} Unsubscribe"  # one of another class
    (finding,) = findings(table)
    assert finding.kind == "leak"
    assert finding.score == pytest.approx(149 / 150)
    assert finding.baseline == pytest.approx(2 / 3)
    assert finding.sentence.startswith(
        "The word 'unsubscribe' appears in 100 % of the texts of music and in 1 % of the others"
    )


def test_two_languages_are_told_by_many_words_and_none_of_them_is_a_leak(findings: Any) -> None:
    rng, table = np.random.default_rng(1), texts(np.random.default_rng(1))
    small = {"cooking": ("the", "and", "of", "to"), "music": ("der", "und", "die", "von")}
    table["text"] = [
        " ".join([text, *(word for word in small[label] if rng.uniform() < 0.985)])
        for text, label in zip(table["text"], table["label"], strict=True)
    ]
    assert findings(table) == ()


def test_a_class_of_much_longer_texts_is_named_with_its_length(findings: Any) -> None:
    table = texts(np.random.default_rng(1), classes=3)
    table["text"] = [
        f"{text} {' '.join(['and'] * 40)}" if label == "sport" else f"{text} and"
        for text, label in zip(table["text"], table["label"], strict=True)
    ]
    (finding,) = findings(table)
    assert finding.kind == "length"
    assert finding.score == 1.0
    assert finding.sentence.startswith(
        "Length alone separates sport from the other classes in 100 %"
    )


def test_a_folder_of_texts_is_checked_alike_and_names_files(workspace: Path) -> None:
    table = texts(np.random.default_rng(1), 60)
    for number, (text, label) in enumerate(zip(table["text"], table["label"], strict=True)):
        (workspace / "mails" / label).mkdir(parents=True, exist_ok=True)
        (workspace / "mails" / label / f"{number:02d}.txt").write_text(text)
    (workspace / "mails" / "music" / "99.txt").write_text(table["text"][4])
    data = {"source": "TextFolder", "root": "mails"}
    read_own(data)
    (finding,) = data_card(data).findings
    assert (finding.kind, finding.files) == ("two_classes", ("cooking/04.txt", "music/99.txt"))


def test_small_sound_sets_are_not_doubted(findings: Any) -> None:
    rng = np.random.default_rng(6)
    sizes = [(count, classes) for count in (60, 100) for classes in (2, 3)]
    assert [findings(texts(rng, *size)) for size in sizes] == [()] * 4


PLANTED = {case.planted.name: case.planted for _, case in every(7)
           if case.planted.target == "label"}  # fmt: skip


@pytest.mark.parametrize("name", PLANTED)
def test_every_planted_fault_of_texts_is_named(findings: Any, name: str) -> None:
    assert PLANTED[name].kind in [finding.kind for finding in findings(PLANTED[name].table)]
