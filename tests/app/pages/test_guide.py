"""The help: keys from the canvas' own list, a tour of six steps over the pages, the glossary."""

import json

from app.pages.shared import guide
from app.pages.shared.glossary import WORDS, help_text, words_in
from app.pages.shared.markup import with_terms
from tests.app.tab import Tab


def test_the_tour_has_six_steps_on_the_four_pages_of_a_first_network() -> None:
    assert [step.page for step in guide.STEPS] == [
        "build", "build", "build", "data", "train", "inside",
    ]  # fmt: skip
    assert all(step.at for step in guide.STEPS)


def test_the_help_lists_every_key_of_the_canvas(workspace, monkeypatch) -> None:
    tab = Tab().choose("help", monkeypatch)
    shown = next(
        html.proto.body for html in tab.at.get("html") if 'class="ll-keys"' in html.proto.body
    )
    groups = json.loads(guide._KEYS.read_text("utf-8"))
    assert [group["title"] for group in groups][:2] == ["Draw", "Edit"]
    assert shown.count("<dt>") == sum(len(group["rows"]) for group in groups) > 30
    assert "<dt><kbd>Ctrl</kbd> <kbd>Z</kbd></dt><dd>Undo</dd>" in shown


def test_a_tour_that_begins_without_a_project_opens_the_first_template(workspace, monkeypatch):
    asks = iter(["build"])
    monkeypatch.setattr(guide.shell, "tour", lambda steps, page, begin: next(asks, None))
    tab = Tab()
    tab.assert_calm()
    assert tab.document.project.name == "LeNet on digits"


def test_every_word_of_the_glossary_is_one_sentence_or_two() -> None:
    assert all(text.endswith(".") and len(text) < 110 for text in WORDS.values())


def test_a_text_is_explained_by_the_words_of_the_glossary_in_it() -> None:
    assert words_in("Batches of 16; validation losses rise after 2 epochs") == [
        "Batch", "Epoch", "Loss",
    ]  # fmt: skip
    assert words_in("30 training samples, R² 0.9") == ["R²", "Training samples"]
    assert words_in("classes and rows; stepwise") == []
    assert help_text("Epochs", first="How long.") == (
        "How long.\n\n**Epoch**: One pass over the training samples."
    )
    assert help_text("Seed") is None


def test_running_text_explains_a_word_where_it_stands_first_and_everyday_words_never() -> None:
    terms: set[str] = set()
    found = with_terms("<b>Each run</b>: a loss, <code>loss</code>, training losses.", terms)
    assert found == (
        '<b>Each run</b>: a <span class="ll-term" tabindex="0">loss<i role="tooltip">'
        "The number that training minimises: how far predictions are from targets.</i></span>, "
        "<code>loss</code>, training losses."
    )
    assert terms == {"Loss"}
    assert with_terms("The loss falls; blocks, steps.", terms) == "The loss falls; blocks, steps."
