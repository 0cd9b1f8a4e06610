"""Predictions as HTML: correct and wrong in words, nothing from a file brings markup."""

import base64
import re
from pathlib import Path

from app.pages.shared import svg_plots
from app.pages.train import results, run
from core.insight.predictions import ClassPrediction, PairPrediction, TextPrediction
from core.runs.listing import RunView
from core.runs.run_state import State

EVIL = '<img src=x onerror="alert(1)">'
SAFE = "&lt;img src=x onerror=&quot;alert(1)&quot;&gt;"


def drawing(image: str) -> str:
    return base64.b64decode(image.split("base64,")[1].split('"')[0]).decode()


def test_an_answer_says_in_words_whether_it_is_right() -> None:
    right = results.answer_html(ClassPrediction(b"", "ALPHA", "greek", "greek", 0.905))
    assert "<div>predicts <b>greek</b>, correct</div>" in right
    assert ">90% sure<" in right
    wrong = results.answer_html(ClassPrediction(b"", "ALPHA", "yi", "greek"))
    assert "91% sure · epoch\u00a07" in results.answer_html(
        ClassPrediction(b"", "ALPHA", "greek", "greek", 0.91), 7
    )
    assert '<div>predicts <span class="said">yi</span>, target <b>greek</b></div>' in wrong
    assert "sure" not in wrong


def test_a_pair_tells_its_distance_and_a_triplet_its_order() -> None:
    pair = results.pair_html(PairPrediction((b"1", b"2"), (1.284,), "different", "same"), False)
    assert re.findall(r'alt="([^"]*)"', pair) == ["first of the pair", "second of the pair"]
    assert "distance 1.28" in pair
    assert '<span class="said">different</span>, target <b>same</b>' in pair
    triplet = results.triplet_html(PairPrediction((), (2.0, float("nan")), "farther", "nearer"))
    assert "wrong: the negative is nearer" in triplet
    assert "positive at 2.00 · negative at not finite" in triplet
    html = results.triplet_html(PairPrediction((b"1", b"2", b"3"), (1.0, 2.0), "nearer", "nearer"))
    assert re.findall(r"<figcaption>(\w+)<", html) == ["anchor", "positive", "negative"]


def test_wrong_letters_are_struck_through_and_the_others_stay() -> None:
    text = TextPrediction("x", "1970-05 1", "1970-05-1", (True,) * 9)
    assert results.marked(text) == "1970-05<del>\u2423</del>1"
    assert ">8 of 9</td>" in results.answers_html((text,))
    filled = TextPrediction("", "aXc", "abc", (False, True, True))
    assert results.marked(filled, True) == "a<del>X</del><ins>b</ins><mark>c</mark>"


def test_texts_and_names_cannot_bring_markup() -> None:
    answer = results.answer_html(ClassPrediction(b"", EVIL, EVIL, "b"))
    places = drawing(svg_plots.places([0.0], [0.0], [0], ["<"], "one"))
    legend = results.legend_html(["A"], (EVIL,))
    written = results.answers_html((TextPrediction(EVIL, "<", ">", (True,)),))
    assert answer.count(SAFE) == 2
    assert "<img" not in answer + legend + written
    assert "<del>&lt;</del>" in written
    assert ">&lt;</text>" in places


def test_a_map_has_one_scale_and_a_sign_for_each_class() -> None:
    image = svg_plots.places(
        [0.0, 4.0, 2.0], [0.0, 0.0, 1.0], [0, 1, 1], ["T-shirt", "Bag"], "Codes"
    )
    found = re.findall(r'<text x="([\d.]+)" y="([\d.]+)" fill="(#\w+)">(\w)</text>', drawing(image))
    assert [(sign, hue) for *_, hue, sign in found] == [
        ("A", "#6864d9"), ("B", "#cf711f"), ("B", "#cf711f"),
    ]  # fmt: skip
    (x0, y0), (x1, y1), (x2, y2) = ((float(x), float(y)) for x, y, *_ in found)
    assert (x1 - x0, y1 - y0) == (568.0, 0.0)  # all of the width
    assert (x2 - x0, y0 - y2) == (284.0, 142.0)  # up is up, and as far as across
    assert 'alt="Codes"' in image


def test_short_names_are_their_own_signs() -> None:
    assert svg_plots.glyphs(["0", "10"]) == ["0", "10"]
    signs = svg_plots.glyphs([f"class {n}" for n in range(28)])
    assert (signs[0], signs[25:]) == ("A", ["Z", "A1", "B1"])


def test_the_checkpoint_that_goes_on_is_named_with_what_makes_it_the_best() -> None:
    on = "The other pages use this checkpoint."
    loss = {"metric": "val_loss", "value": 0.27484, "epoch": 2}
    assert run.best_checkpoint(loss) == f"Best validation loss: **0.2748** after epoch 2. {on}"
    accuracy = {"metric": "val_accuracy", "value": 0.947, "epoch": 3}
    assert "Best validation accuracy: **94.7%** after epoch 3." in run.best_checkpoint(accuracy)
    last = run.best_checkpoint({"metric": "last", "value": 2, "epoch": 2})
    assert last == "The other pages use the last checkpoint, after epoch 2."
    assert run.best_checkpoint({}) == ""


def test_a_run_that_ended_opens_at_its_best_checkpoint_and_one_that_trains_at_the_latest() -> None:
    def shown_first(state: State, best: int) -> int:
        view = RunView(Path("runs/it"), "it", state, best={"epoch": best})
        return results.best_epoch(view, [4, 8, 50])

    assert shown_first("finished", 8) == 8
    assert shown_first("running", 8) == results.LATEST
    assert shown_first("finished", 7) == results.LATEST  # its predictions were not written


def test_where_the_best_epoch_was_not_written_its_predictions_are_pointed_to() -> None:
    view = RunView(Path("runs/it"), "it", "finished", best={"epoch": 10})
    assert results.note_on_best(view, [4, 40]) == (
        "Look inside shows the predictions of the best checkpoint, after epoch 10."
    )
    assert results.note_on_best(view, [10, 40]) == ""
