"""Rows of a table of texts that arrive: a text each, as the training file has it."""

from typing import Any

import pytest

from core.samples.inputs import sent
from core.samples.request_error import RequestError
from core.samples.text_tokens import tokens_of

VOCABULARY = ["<padding>", "<unknown>", "see", "you", "win", "cash", ",", "<separator>", "5"]
OWN = {
    "name": "tokens",
    "kind": "text",
    "dtype": "int64",
    "shape": [4],
    "vocabulary": VOCABULARY,
    "cut_by": "word",
    "lower": True,
    "columns": ["text"],
}
TABLE = {"separator": ";", "encoding": "cp1252", "columns": ["label", "text"], "targets": ["label"]}


def numbers(body: str | bytes, most: int = 9, **more: Any) -> list[list[int]]:
    content = body.encode() if isinstance(body, str) else body
    (column,) = sent({"inputs": [{**OWN, **more}]}, "text/csv", content, most).columns
    assert column is not None
    return column.tolist()


@pytest.mark.parametrize(
    "body",
    [
        'text\n"See, you"\nwin cash\n',
        'label;text\nham;"See, you"\nspam;win cash\n',
        "label;text\nham;See, you\nspam;WIN cash\n",
        "TEXT;label\nsee, you;\nwin cash;\n",
        "text\nsee, you\nwin cash\n",
        'text\tlabel\n"see , you"\t\n"win\ncash"\t\n\n',
    ],
)
def test_each_row_is_a_text(body: str) -> None:
    assert numbers(body, table=TABLE) == [[2, 6, 3, 0], [4, 5, 0, 0]]


def test_a_sign_that_parts_the_cells_of_the_training_file_stands_in_a_text() -> None:
    assert numbers('text\nwin; cash\n"see, you"\n', table=TABLE)[1] == [2, 6, 3, 0]


def test_a_text_that_reads_as_a_number_stays_a_text() -> None:
    assert numbers("text\n5\n005\n") == [[8, 0, 0, 0], [1, 0, 0, 0]]


def test_columns_are_joined_as_in_training() -> None:
    body = "subject,text,label\nwin,cash,spam\n,see you,ham\n"
    assert tokens_of("win <separator> cash", "word", True, 4) == ["win", "<separator>", "cash"]
    assert numbers(body, columns=["subject", "text"]) == [[4, 7, 5, 0], [7, 2, 3, 0]]


def test_the_encoding_of_the_training_file_is_read() -> None:
    known = [*VOCABULARY, "gr\u00fc\u00df"]
    assert numbers("text\ngr\u00fc\u00df\n".encode("cp1252"), table=TABLE, vocabulary=known) == [
        [9, 0, 0, 0]
    ]


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("text,label\nwin,a\n,b\n", "Row 2 of tokens has no text in text."),
        ("text\nsee, you; win; cash\nsee|you\tcash\n", "Row 1 of tokens has 2 cells but needs 1."),
        ("subject\nwin\nsee\n", "tokens has no column 'text'."),
        ("ham;see\nspam;win\n", "tokens has no column 'text'."),
        ("text\n" + "win\n" * 10, "A request may hold 9 samples but tokens has more rows."),
        ("", "There are no samples."),
    ],
)
def test_what_is_no_row_with_a_text_is_refused_by_its_number(body: str, said: str) -> None:
    with pytest.raises(RequestError) as refused:
        numbers(body, table={**TABLE, "separator": ","})
    assert refused.value.message == said
