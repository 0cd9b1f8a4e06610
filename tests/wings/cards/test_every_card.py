"""Every card, whatever it is about: what it declares is there, and its text runs alone."""

import ast
import re

import pytest

from core.wings.cards.card import SCRIPTS, Card
from core.wings.cards.catalogue import CARDS, TOPICS
from core.wings.cards.run import block_of, objection, run
from core.wings.cards.text import parts_of
from tests.wings.cards.conftest import FURTHER, TEMPLATES, Alone, drawing_of

every_card = pytest.mark.parametrize("card", CARDS.values(), ids=list(CARDS))
each_run = pytest.mark.parametrize(
    "card",
    [pytest.param(card, id=name, marks=[pytest.mark.slow] * card.compiler)
     for name, card in CARDS.items()],
)  # fmt: skip


@every_card
def test_it_says_why_what_to_predict_and_where_to_read_more(card: Card) -> None:
    assert card.why.endswith(".")
    assert card.question.endswith("?")
    assert card.numbers
    assert card.pictures
    assert all(address.startswith("https://") for _, address in card.references)
    assert len({number.name for number in card.numbers}) == len(card.numbers)


@every_card
def test_its_script_is_ten_to_forty_lines_that_print_their_numbers(card: Card) -> None:
    _, body = parts_of(card.script)
    lines = [line for line in body.splitlines() if line.strip()]
    assert 8 <= len(lines) <= 40
    assert max(map(len, body.splitlines())) <= 100
    assert "print(" in body


@every_card
def test_its_script_defines_every_variable_that_is_declared(card: Card) -> None:
    names = {n.id for n in ast.walk(ast.parse(card.script))
             if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}  # fmt: skip
    assert set(card.variables) - names == set()


@pytest.mark.slow
@each_run
def test_it_runs_alone_on_three_kinds_of_network_or_says_why_not(card: Card, alone: Alone) -> None:
    ran = 0
    for template in (*TEMPLATES, *FURTHER.get(card.name, ())):
        if why := objection(card, drawing_of(template)):
            assert re.fullmatch(r"[A-Z].+[.]", why)
            continue
        values = alone.values(card.name, template)
        assert set(values) == set(card.variables)
        assert all(isinstance(values[n.name], int | float) for n in card.numbers), values
        ran += 1
    assert ran >= 1 or card.missing_requirement


@pytest.mark.parametrize("card", [cards[0] for cards in TOPICS.values()], ids=list(TOPICS))
@pytest.mark.slow
def test_what_a_student_sees_is_what_the_text_prints_alone(card: Card, alone: Alone) -> None:
    drawing = drawing_of("mlp_iris")
    assert objection(card, drawing) == ""
    outcome = run(card, drawing)
    values = alone.values(card.name, "mlp_iris")
    measured = any(number.measured for number in card.numbers)
    for number in (n for n in card.numbers if not n.measured):
        assert outcome.values[number.name] == pytest.approx(values[number.name], rel=1e-5)
    assert outcome.block == block_of(card, drawing, "")
    assert measured or outcome.printed == alone.output(card.name, "mlp_iris")["printed"]


def test_each_script_belongs_to_a_card() -> None:
    scripts = {path.stem for path in SCRIPTS.glob("*.py")}
    assert scripts == {name.replace("-", "_") for name in CARDS}


def test_cards_are_sorted_by_topic() -> None:
    assert [card for cards in TOPICS.values() for card in cards] == list(CARDS.values())
