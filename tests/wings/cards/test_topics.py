"""The table of topics names what exists, and the table of cards what was seen."""

import argparse
import json
import os
from dataclasses import replace
from pathlib import Path

import pytest

from app.cli import parser
from core.wings.cards.catalogue import CARDS
from core.wings.cards.sentence import Sentence, Values
from tests.wings.cards.bench import every_card, topics
from tests.wings.cards.conftest import ROOT


def test_each_of_the_66_topics_has_a_door_or_says_what_is_missing() -> None:
    assert len({topic.title for topic in topics.TOPICS}) == 66
    for topic in topics.TOPICS:
        assert topic.cards or topic.command or topic.template or topic.missing, topic.title
        assert topic.cards or topic.tests or topic.missing, topic.title


def test_a_topic_names_cards_commands_templates_and_tests_that_exist() -> None:
    named = {card for topic in topics.TOPICS for card in topic.cards}
    assert named - set(CARDS) == set()
    assert set(CARDS) - named == set()  # and no card is without a topic
    here = [topic for topic in topics.TOPICS if wing_of(topic) not in ABSENT]
    commands = {topic.command.split()[0] for topic in here if topic.command}
    assert commands - known_commands() == set()
    for topic in here:
        assert not topic.template or (ROOT / f"projects/{topic.template}.loom.json").is_file()
        assert not topic.tests or (ROOT / topic.tests).is_dir()


def test_each_card_is_checked_by_a_test_that_asks_for_its_numbers() -> None:
    assert [card for card in CARDS if not topics.checked_by(card)] == []
    assert topics.checked_by("no-such-card") == []


def test_the_table_of_topics_is_that_of_the_declarations() -> None:
    assert topics.TABLE.read_text("utf-8") == topics.written()


def test_no_card_that_was_run_failed_or_said_a_false_sentence() -> None:
    kept = json.loads(every_card.KEPT.read_text("utf-8"))
    assert set(kept) - set(CARDS) == set()
    assert every_card.TABLE.read_text("utf-8") == every_card.written(kept)
    for name, row in kept.items():
        cells = row["cells"]
        assert [cell for cell in cells.values() if cell != "-" and "/" not in cell] == [], name
        assert set(cells) == set(every_card.DRAWINGS) or CARDS[name].compiler, name
        assert {drawing for drawing, cell in cells.items() if cell == "-"} == set(row["why"])


def test_a_sentence_that_is_said_though_its_condition_fails_is_found() -> None:
    one = Sentence("The loss falls.", ("a",), lambda values: values["a"] < 1)
    card = replace(CARDS["leaves"], findings=(one, replace(one, text="It rises.", holds=rises)))
    assert every_card.judged(card, {"a": 0}) == "1/2"
    said_anyway = replace(card, after="It rises.")
    assert every_card.judged(said_anyway, {"a": 0}) == "wrong: It rises."
    assert every_card.judged(replace(card, after="{a}"), {"a": 0}) == "wrong: a number is missing"


ABSENT = os.environ.get("LAYERLOOM_WITHOUT", "").split()
"""Wings that `make without` leaves out."""


def wing_of(topic: topics.Topic) -> str:
    """The wing that a topic's tests are of, "" for the base."""
    place = Path(topic.tests).parts
    return place[2] if place[:2] == ("tests", "wings") else ""


def known_commands() -> set[str]:
    """The first word of every command of layerloom."""
    found = [each for each in parser()._actions if isinstance(each, argparse._SubParsersAction)]
    return {name for each in found for name in each.choices}


def rises(values: Values) -> bool:
    return values["a"] > 1


@pytest.mark.slow
def test_the_table_is_written_row_by_row(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(every_card, "KEPT", tmp_path / "kept.json")
    monkeypatch.setattr(every_card, "TABLE", tmp_path / "table.md")
    monkeypatch.setattr(every_card, "DRAWINGS", {"mlp_iris": "MLP", "lenet_digits": "CNN"})
    every_card.main(["conv-bn-fusion", "engine-queue"])
    rows = (tmp_path / "table.md").read_text("utf-8").splitlines()
    assert "| conv-bn-fusion | - | - | 0 |" in rows
    assert "| engine-queue | 2/4 | 2/4 | 2 |" in rows
    reason = "It needs a BatchNorm2d after a Conv2d, and this drawing has none."
    assert f"- conv-bn-fusion, MLP: {reason}" in rows
