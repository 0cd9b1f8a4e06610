"""The vocabulary goes with a run: its numbers stay, and weights of another one are refused."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from core.common.errors import RunError
from core.data.batches.texts import numbered, numbered_by, token_rows
from core.graph import Graph, Node
from core.runs.vocabulary import digest_of, read_vocabulary, write_vocabulary
from core.worker.run_data import check_vocabulary

TOKENS = ("<padding>", "<unknown>", "win", "cash")
GRAPH = Graph({"embed": Node("Embedding"), "fc": Node("Linear")})
STARTS: list[tuple[dict[str, Any], bool]] = [
    ({}, False),
    ({"vocabulary": digest_of(TOKENS)}, False),
    ({"vocabulary": digest_of(TOKENS[::-1])}, True),
    ({"vocabulary": ""}, True),
    ({"vocabulary": "", "left_out": ["embed"]}, False),
]


@pytest.mark.parametrize(("start", "refused"), STARTS)
def test_weights_of_another_vocabulary_are_refused(start: dict[str, Any], refused: bool) -> None:
    data: Any = SimpleNamespace(info=SimpleNamespace(origin=SimpleNamespace(vocabulary=TOKENS)))
    spec = {"start": {"from": "the best weights of mails-001", **start}}
    if not refused:
        check_vocabulary(spec, data, GRAPH)
        return
    with pytest.raises(RunError, match="would stand for another token") as error:
        check_vocabulary(spec, data, GRAPH)
    assert error.value.hint.startswith("Leave out embed, or use the data")


def test_a_run_keeps_the_numbers_of_its_tokens(tmp_path: Path) -> None:
    assert read_vocabulary(tmp_path) == ()
    write_vocabulary(tmp_path, TOKENS)
    write_vocabulary(tmp_path, TOKENS[::-1])
    assert read_vocabulary(tmp_path) == TOKENS
    assert digest_of(()) == ""


def test_texts_have_the_same_numbers_by_a_vocabulary_that_is_known() -> None:
    texts = ["win cash", "cash cash now", "see you", "you win", ""]
    rows, words = token_rows(texts, "word", True, 3)
    found, vocabulary = numbered(rows, words, torch.arange(4), 100, 2)
    assert vocabulary == ["<padding>", "<unknown>", "cash", "win", "you"]
    assert torch.equal(numbered_by(rows, words, vocabulary), found)
    changed, more = token_rows(["a new text", *texts], "word", True, 3)
    assert torch.equal(numbered_by(changed, more, vocabulary)[1:], found)
