"""What a card says follows its numbers: on unlike drawings, and at the edges of each range."""

import json
from math import inf, isnan, nan

import pytest

from core.analyse import analyse_project, report_json
from core.project import read_text
from core.settings.schema import TRAINING
from core.wings.cards.card import SAME, Card
from core.wings.cards.catalogue import CARDS
from core.wings.cards.drawing import Drawing
from core.wings.cards.run import objection
from core.wings.cards.sentence import Sentence, compared, faster_or_not, ladder
from tests.wings.cards.conftest import DEAD, OWN, ROOT, Alone, drawing_of

DRAWINGS = ("mlp_iris", "lenet_digits", "resnet_digits", "lstm_text", "gpt_text", OWN, DEAD)
"""A table, pictures, a residual network with BatchNorm, a recurrent one, a Transformer, one with
Python of its own, and one whose last hidden layer is dead."""
GATE = (
    "initialisation-mlp_iris", "initialisation-resnet_digits", "initialisation-dead_iris",
    "ensemble-mlp_iris", "per-sample-gradients-lenet_digits", "one-neuron-dead_iris",
    "one-neuron-lenet_digits", "hooks-dead_iris", "hooks-resnet_digits", "detach-resnet_digits",
    "functional-call-mlp_iris", "curvature-dead_iris", "forward-mode-dead_iris",
    "loop-by-hand-dead_iris", "tensorboard-of-it-mlp_iris", "accumulate-lenet_digits",
    "spectral-norm-lstm_text", "checkpoint-by-hand-mlp_iris",
)  # fmt: skip
PAIRS = [
    pytest.param(card, drawing, id=f"{card.name}-{drawing}")
    for card in CARDS.values()
    for drawing in DRAWINGS
    if not card.compiler or drawing == "mlp_iris"
]


@pytest.mark.slow(keep=GATE)
@pytest.mark.parametrize(("card", "drawing"), PAIRS)
def test_what_it_says_holds_for_its_numbers(card: Card, drawing: str, alone: Alone) -> None:
    if objection(card, drawing_of(drawing)):
        return
    values = alone.values(card.name, drawing)
    said = card.explanation(values)
    assert "{" not in said
    held = {each.written(values) for each in card.findings if each.holds(values)}
    for written in {each.written(values) for each in card.findings} - {""}:
        assert (written in said) == (written in held), written
    for read in {sentence.reads for sentence in card.findings}:
        group = [sentence for sentence in card.findings if sentence.reads == read]
        assert any(sentence.holds(values) for sentence in group) or len(group) == 1, read


def said(sentences: tuple[Sentence, ...], **values: float) -> list[str]:
    return [each.written(values) for each in sentences if each.holds(values)]


@pytest.mark.parametrize(
    ("value", "expected"),
    [(-inf, "low"), (0.999, "low"), (1.0, "middle"), (4.9, "middle"), (5.0, "high 5"),
     (inf, "high infinite"), (nan, "none")],
)  # fmt: skip
def test_exactly_one_step_of_a_ladder_holds(value: float, expected: str) -> None:
    steps = ladder("a", (1.0, "low"), (5.0, "middle"), (inf, "high {a}"), undefined="none")
    assert said(steps, a=value) == [expected]


def test_a_comparison_says_one_of_two_and_equal_times_are_alike() -> None:
    two = compared(("a", "b"), lambda values: values["a"] < values["b"], "{a} below {b}", "not")
    assert said(two, a=1, b=2) == ["1 below 2"]
    assert said(two, a=nan, b=2) == ["not"]
    times = faster_or_not("gain", "faster", "alike", "slower")
    assert [said(times, gain=g)[0] for g in (0.5, 1.0, 1.09, 3)] == [
        "slower", "alike", "alike", "faster"]  # fmt: skip


@pytest.mark.parametrize(
    ("card", "values", "expected"),
    [
        ("ensemble", {"alike": 0.57}, "agree in part"),
        ("ensemble", {"alike": 0.05}, "hardly agree"),
        ("per-sample-gradients", {"ratio": 1.11, "difference": 0.0, "longest": 1.0},
         "about equally hard"),
        ("per-sample-gradients", {"ratio": 9.0, "difference": 0.0, "longest": 1.0}, "much larger"),
        ("initialisation",
         {"ratio": 1e4, "bare": 1e4, "norms": 0, "least": 2.0, "flattest": "Kaiming"},
         "vanish on the way."),
        ("initialisation",
         {"ratio": 2.0, "bare": 1e4, "norms": 4, "least": 2.0, "flattest": "Kaiming"},
         "Normalisation hides most of the effect of weights of 0.01: where its layers (4)"),
        ("initialisation",
         {"ratio": 2.0, "bare": 3.0, "norms": 4, "least": 2.0, "flattest": "Kaiming"},
         "Weights of 0.01 make values little smaller here."),
        ("one-neuron", {"live": 0, "unmoved": 16, "silent": 0}, "dead neurons"),
        ("graph-breaks", {"graphs": 3, "graphs_broken": 4}, "3 graphs already"),
        ("curvature", {"eigenvalue": -1.0, "moved": 0.0}, "no limit"),
        ("loop-by-hand", {"gain": 1.0}, "learns this batch"),  # a loss of -1 that falls to -2
        ("loop-by-hand", {"gain": -1.0}, "The loss rises"),
    ],
)  # fmt: skip
def test_the_number_chooses_the_sentence(
    card: str, values: dict[str, float | str], expected: str
) -> None:
    assert expected in CARDS[card].explanation(values)


def test_batch_norm_is_not_named_where_there_is_none() -> None:
    for ratio in (1.0, 2.3, 10_011.0, inf, nan):
        values = {"ratio": ratio, "bare": ratio, "norms": 0, "flattest": "Xavier", "least": 1.0}
        assert "norm" not in CARDS["initialisation"].explanation(values)


def test_a_weight_that_is_computed_is_neither_set_nor_asked_for_its_gradient() -> None:
    data = json.loads((ROOT / "projects/mlp_iris.loom.json").read_text("utf-8"))
    for name in ("fc1", "fc2", "fc3"):
        data["graph"]["nodes"][name]["settings"]["parametrize"] = "spectral_norm"
    project = read_text(json.dumps(data))
    drawing = Drawing(project, report_json(analyse_project(project)))
    assert [objection(CARDS[name], drawing) for name in ("initialisation", "one-neuron")] == [
        "It sets weights, and that of fc1 is computed from others (spectral_norm).",
        "It needs a Linear block that holds its own weight (without parametrize), and this drawing "
        "has none.",
    ]


def test_settings_that_a_card_names_exist() -> None:
    assert "histograms" in {setting.name for setting in TRAINING}
    assert "setting tensorboard" not in CARDS["tensorboard-of-it"].explanation({})


@pytest.mark.parametrize("name", ["samplers", "lr-schedules", "own-function"])
@pytest.mark.gate
def test_cards_that_do_not_use_the_drawing_say_so(name: str, alone: Alone) -> None:
    assert SAME in CARDS[name].explanation({})
    numbers = [number.name for number in CARDS[name].numbers]
    one, other = (alone.values(name, drawing) for drawing in ("mlp_iris", "lenet_digits"))
    assert [one[n] for n in numbers] == [other[n] for n in numbers]


@pytest.mark.gate
def test_a_neuron_that_learns_is_chosen(alone: Alone) -> None:
    values = alone.values("one-neuron", "lenet_digits")
    assert values["live"] > 0
    assert any(float(row[4]) != 0 for row in values["rows"])
    assert not isnan(values["z"])


@pytest.mark.parametrize(
    "name", [c.name for c in CARDS.values() if any(n.measured for n in c.numbers)]
)
def test_a_sentence_on_measured_times_claims_no_cause(name: str) -> None:
    card = CARDS[name]
    measured = {number.name for number in card.numbers if number.measured}
    texts = [each.text for each in card.findings if measured & set(each.reads)]
    causes = ("because", "since ", ": ", "as small as", "as short as", "saves", "free")
    assert [t for t in texts if any(w in t for w in causes) and "{" not in t] == []
