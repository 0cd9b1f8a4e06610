"""Texts with a class each: read from a table, cut into tokens, numbered by the training part."""

import collections
from pathlib import Path
from typing import Any

import pytest
import torch

from core.data import DataError, describe, load
from core.data.batches.dataset import Dataset
from core.data.facts.metadata import read_own
from core.data.sources.io_spec import End
from core.data.table.guess_texts import guess_texts
from core.samples.text_tokens import sent_tokens, text_of, tokens_of
from tests.core.data.own_sets import write_table

MAILS = {"source": "TextCSV", "file": "data/mails.csv", "target_column": "label"}
HAM = ["See you at noon", "are you home", "see the film", "you are late", "home at noon"]
SPAM = ["Win cash NOW!", "cash prize, win", "win a prize now", "claim the cash!", "now claim it"]


@pytest.fixture(autouse=True)
def workspace(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(workspace)
    return workspace


def rows(times: int = 4) -> str:
    pairs = [(k, t) for k, texts in (("ham", HAM), ("spam", SPAM)) for t in texts] * times
    lines = [f'{kind},"{text}",g{number % 7}' for number, (kind, text) in enumerate(pairs)]
    return "\n".join(["label,text,sender", *lines, ""])


def loaded(text: str = "", length: int = 4, **more: Any) -> Dataset:
    write_table(Path.cwd() / "data/mails.csv", text or rows())
    data = {**MAILS, "columns": ["text"], **more}
    read_own(data)
    return load(data, (End("text", (length,), "int64"),), (2,))


def test_the_vocabulary_is_counted_on_the_training_rows_alone() -> None:
    data = loaded(length=3)
    texts = [t for texts in (HAM, SPAM) for t in texts] * 4
    counts = collections.Counter[str]()
    for row in data.train_indices.tolist():
        counts.update(tokens_of(texts[row], "word", True, 3))
    wanted = sorted((word for word, n in counts.items() if n >= 2), key=lambda w: (-counts[w], w))
    assert data.info.origin.vocabulary == ("<padding>", "<unknown>", *wanted)
    place = {word: number for number, word in enumerate(data.info.origin.vocabulary)}
    for row, text in enumerate(texts):
        numbers = [place.get(word, 1) for word in tokens_of(text, "word", True, 3)]
        assert data.inputs[row].tolist() == numbers + [0] * (3 - len(numbers))


def test_samples_are_whole_numbers_and_targets_classes() -> None:
    data = loaded()
    assert (data.inputs.dtype, data.targets.dtype) == (torch.int64, torch.int64)
    assert data.info.classes == ("ham", "spam")
    assert data.targets[:10].tolist() == [0] * 5 + [1] * 5
    assert data.info.summary == (
        "40 texts in 2 classes: 32 training samples, 8 validation samples."
    )


def test_groups_stay_together_and_folds_and_a_test_share_are_parted() -> None:
    data = loaded(split="group", split_by="sender", test=0.2)
    senders = torch.arange(40) % 7
    parts = [data.train_indices, data.validation_indices, data.test_indices]
    groups = [set(senders[part].tolist()) for part in parts]
    assert [a & b for a in groups for b in groups if a is not b] == [set()] * 6
    assert all(groups)
    first, second = loaded(folds=4), loaded(folds=4, fold=2)
    assert not {*first.validation_indices.tolist()} & {*second.validation_indices.tolist()}


def test_letters_capitals_and_the_size_of_the_vocabulary_are_settings() -> None:
    letters = loaded(tokens="letter", lower=False, length=6).info.origin.vocabulary
    assert {"W", "w", " "} < set(letters)
    assert all(len(token) == 1 for token in letters[2:])
    assert len(loaded(vocabulary=5).info.origin.vocabulary) == 5
    assert len(loaded(min_count=9).info.origin.vocabulary) < len(loaded().info.origin.vocabulary)


def test_columns_are_joined_by_a_token_of_their_own() -> None:
    data = loaded(columns=["text", "sender"], length=8)
    vocabulary = data.info.origin.vocabulary
    assert text_of(data.inputs[1].tolist(), vocabulary, "word") == "are you home <separator> g1"


def test_rows_without_a_text_or_a_class_are_left_out() -> None:
    data = loaded(rows() + 'ham,"",g1\n,"win",g1\nNA,"win",g1\nham," ",g1\n')
    assert len(data.inputs) == 40
    assert "Left out: 4 without a text or a class." in data.info.about


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("Don't STOP", ["don", "'", "t", "stop"]),
        ("\U0001f389\U0001f389 ok_1", ["\U0001f389", "\U0001f389", "ok_1"]),
        ("a\0b", ["a", "\0", "b"]),
        ("a <separator> b", ["a", "<separator>", "b"]),
        ("\u00c4pfel\u00a0\u4e2d\u6587", ["\u00e4pfel", "\u4e2d\u6587"]),
        ("  ", []),
    ],
)
def test_words_and_signs_are_tokens(text: str, tokens: list[str]) -> None:
    assert tokens_of(text, "word", True, 100) == tokens


def test_a_text_that_arrives_is_cut_as_in_training() -> None:
    data = loaded()
    spec = {"name": "text", "vocabulary": data.info.origin.vocabulary, "cut_by": "word",
            "lower": True}  # fmt: skip
    for row, text in enumerate([*HAM, *SPAM]):
        assert sent_tokens(spec, text, 4) == data.inputs[row].tolist()
    assert sent_tokens(spec, "quux", 4) == [1, 0, 0, 0]


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"tokens": "syllable"}, r"data\.tokens is 'syllable'"),
        ({"vocabulary": 2}, r"data\.vocabulary is 2"),
        ({"min_count": 0}, r"data\.min_count is 0"),
        ({"lower": "yes"}, r"data\.lower is 'yes'"),
        ({"min_count": 900}, "no word 900 times or more"),
        ({"columns": []}, "2 columns beside label"),
        ({"columns": ["body"]}, "no column 'body'"),
        ({"decimal": ","}, r"data\.decimal is not a setting of TextCSV"),
        ({"normalize": True}, "cannot be normalised"),
    ],
)
def test_settings_that_do_not_fit_are_refused_by_name(more: dict[str, Any], words: str) -> None:
    with pytest.raises(DataError, match=words):
        loaded(**more)


def test_any_length_of_the_input_is_taken_up_to_a_bound() -> None:
    assert loaded(length=1).inputs.shape == (40, 1)
    assert loaded(length=64).inputs[0, 4:].tolist() == [0] * 60
    with pytest.raises(DataError, match=r"sequences of 1 to 2048"):
        describe({**MAILS, "columns": ["text"]}, (End("text", (4000,), "int64"),), (2,))


def test_a_windows_file_with_semicolons_is_read() -> None:
    lines = [f"gr\u00fc\u00df dich {i % 3};{'ab'[i % 2]}" for i in range(12)]
    text = "\n".join(["text;label", *lines])
    write_table(Path.cwd() / "data/mails.csv", "")
    (Path.cwd() / "data/mails.csv").write_bytes(text.encode("cp1252"))
    data = {"source": "TextCSV", "file": "data/mails.csv"}
    read_own(data)
    found = load(data, (End("text", (3,), "int64"),), (2,))
    assert "gr\u00fc\u00df" in found.info.origin.vocabulary


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (rows().replace(",sender", ",id").replace(",g", ",g_"), None),
        ("label,text\n" + "".join(f"{'ab'[i % 2]},the mail number {i}\n" for i in range(9)),
         {"target_column": "label"}),
        ("body,title,stars\n" + "".join(f"it was not {i},my view {i} here,{i % 5}\n"
         for i in range(20)), {"columns": ["body", "title"]}),
        ("id,text,y\n" + "".join(f"{i},the mail number {i},{i % 2}\n" for i in range(1, 30)),
         {"columns": ["text"]}),
        ("text,price,y\n" + "".join(f"the mail {i},{i % 9}.5,{i % 2}\n" for i in range(30)), None),
        ("a,b\n" + "".join(f"{i},{i % 2}\n" for i in range(30)), None),
        ("city,y\n" + "".join(f"{'xyz'[i % 3]},{i % 2}\n" for i in range(30)), None),
        ("day,y\n" + "".join(f"{i + 1}. May 2021,{i % 2}\n" for i in range(28)), None),
    ],
    ids=["a third column", "two", "two texts", "an id", "a number", "numbers", "words", "dates"],
)  # fmt: skip
def test_a_table_of_texts_and_a_class_is_told_from_others(
    text: str, wanted: dict[str, Any] | None
) -> None:
    write_table(Path.cwd() / "data/mails.csv", text)
    found = guess_texts(Path.cwd() / "data/mails.csv", "data/mails.csv")
    assert (found.data if found else None) == (
        {"source": "TextCSV", "file": "data/mails.csv", **wanted} if wanted is not None else None
    )


def write_folder(root: Path) -> None:
    """Texts of two classes in two encodings, one without a text, and what is no text."""
    for kind, texts in (("ham", HAM * 3), ("spam", SPAM * 3)):
        (root / kind).mkdir(parents=True)
        for number, text in enumerate(texts):
            (root / kind / f"{number:02}.txt").write_bytes(f"{text}\n".encode())
    (root / "ham/90.TXT").write_bytes("gr\u00fc\u00df home gr\u00fc\u00df".encode("cp1252"))
    (root / "spam/91.txt").write_text(" \n", "utf-8")
    (root / "spam/notes.md").write_text("no text of the class", "utf-8")
    (root / "spam/.hidden.txt").write_text("hidden", "utf-8")
    (root / "empty").mkdir()


def test_a_folder_of_texts_has_a_class_for_each_sub_folder(workspace: Path) -> None:
    write_folder(workspace / "data/mails")
    data = {"source": "TextFolder", "root": "data/mails", "min_count": 1}
    read_own(data)
    found = load(data, (End("text", (4,), "int64"),), (2,))
    assert found.info.classes == ("ham", "spam")
    assert found.targets.tolist() == [0] * 16 + [1] * 15
    vocabulary = found.info.origin.vocabulary
    assert "hidden" not in vocabulary
    if 15 in found.train_indices.tolist():
        assert (
            text_of(found.inputs[15].tolist(), vocabulary, "word")
            == "gr\u00fc\u00df home gr\u00fc\u00df"
        )


def test_a_folder_with_one_class_or_a_link_is_refused(workspace: Path) -> None:
    data = {"source": "TextFolder", "root": "data/mails"}
    (workspace / "data/mails/ham").mkdir(parents=True)
    (workspace / "data/mails/ham/a.txt").write_text("see you", "utf-8")
    with pytest.raises(DataError, match=r"with \.txt files but has 1"):
        read_own(data)
    (workspace / "data/mails/spam").mkdir()
    (workspace / "data/mails/spam/a.txt").symlink_to("/etc/hostname")
    with pytest.raises(DataError, match=r"spam/a.txt is a link"):
        read_own(data)
