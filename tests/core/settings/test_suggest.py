"""Training settings that suit data and network, and what of a student's own they leave alone."""

from typing import Any

import pytest

from core.data import read_settings
from core.data.facts.description import sizes
from core.project import Project
from core.project.templates import list_templates, load_template
from core.settings.adopt import adopt, differences, untouched, use
from core.settings.network_facts import facts_of
from core.settings.suggest import Suggestion, suggest
from core.settings.validate import resolve
from tests.bench.first_networks import project_of
from tests.bench.first_shapes import SHAPES


def suggested(source: str, shape: str, **training: Any) -> Suggestion:
    data = read_settings({"source": source})
    graph = SHAPES[shape](source)
    assert graph is not None
    drawn = project_of({"source": source}, graph)
    return suggest(data, sizes(data, (64,))[0], drawn.graph, training=training)


def test_the_reported_network_learns_iris_in_400_steps() -> None:
    found = suggested("iris", "one hidden layer")
    assert found.sentence == (
        "Suggested for 120 samples of 4 columns: 50 epochs of batches of 16, AdamW with a learning "
        "rate that rises to 0.01 and falls again (OneCycleLR). The columns are "
        "standardised."
    )
    assert found.data == {"normalize": True}
    assert found.training == {
        "optimizer": "AdamW", "lr": 0.01, "epochs": 50, "batch_size": 16,
        "scheduler": {"name": "OneCycleLR"}, "clip_norm": None, "loss": "CrossEntropyLoss",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("source", "shape", "expected"),
    [
        ("iris", "linear", (0.05, 50, 16, None)),
        ("iris", "deep MLP", (0.003, 50, 16, None)),
        ("iris", "sigmoid MLP", (0.01, 100, 16, None)),
        ("digits", "CNN, batch norm", (0.01, 16, 64, None)),
        ("digits", "LSTM", (0.01, 25, 64, 1.0)),
        ("digits", "transformer", (0.01, 25, 64, 1.0)),
        ("digit_pairs", "CNN", (0.01, 65, 32, None)),
        ("MNIST", "CNN", (0.01, 5, 128, None)),
        ("python_docs", "GRU", (0.01, 25, 32, 1.0)),
    ],
)
def test_rate_epochs_batch_and_clipping_follow_data_and_network(
    source: str, shape: str, expected: tuple[Any, ...]
) -> None:
    drawn = "digits" if source == "MNIST" else source
    graph = SHAPES[shape](drawn)
    assert graph is not None
    data = read_settings({"source": source})
    found = suggest(data, sizes(data, (64,))[0], project_of({}, graph).graph).training
    assert (found["lr"], found["epochs"], found["batch_size"], found["clip_norm"]) == expected


def test_weights_that_have_learned_are_moved_gently() -> None:
    found = suggested("digits", "CNN", start_from={"run": "earlier"})
    assert found.training["lr"] == 0.001
    assert "low because training starts from trained weights" in found.sentence


@pytest.mark.parametrize(
    ("block", "loss"),
    [("LogSoftmax", "NLLLoss"), ("ReLU", "CrossEntropyLoss"), ("Sigmoid", "CrossEntropyLoss")],
)
def test_the_loss_reads_what_the_last_activation_puts_out(block: str, loss: str) -> None:
    graph = SHAPES["linear"]("iris")
    assert graph is not None
    nodes = {**graph["nodes"], "last": {"block": block}}
    edges = [*graph["edges"][:-1], "linear1 -> last", "last -> output1"]
    drawn = project_of({}, {"nodes": nodes, "edges": edges}).graph
    assert suggest(read_settings({"source": "iris"}), 120, drawn).training["loss"] == loss


def test_of_one_number_for_two_classes_a_sigmoid_is_read_as_a_probability() -> None:
    graph = SHAPES["linear"]("breast_cancer")
    assert graph is not None
    nodes = {**graph["nodes"], "last": {"block": "Sigmoid"}}
    edges = [*graph["edges"][:-1], "linear1 -> last", "last -> output1"]
    drawn = project_of({}, {"nodes": nodes, "edges": edges}).graph
    fitting = ("BCEWithLogitsLoss", "BCELoss")
    found = suggest(read_settings({"source": "breast_cancer"}), 455, drawn, fitting)
    assert found.training["loss"] == "BCELoss"


def test_layers_are_counted_inside_composites_and_repetitions() -> None:
    network = facts_of(load_template("resnet_digits").graph)
    assert (network.layers, network.skips, network.plain_and_deep) == (11, True, False)
    assert "normalisation" in network.families
    vgg = facts_of(load_template("lenet_digits").graph)
    assert (vgg.layers, vgg.plain_and_deep) == (5, True)


def test_the_sigmoid_of_a_gate_is_no_layer_that_saturates() -> None:
    assert facts_of(load_template("senet_digits").graph).saturating is False


@pytest.mark.parametrize("name", [t.name for t in list_templates()])
def test_what_is_suggested_for_a_template_can_be_trained(name: str) -> None:
    project = load_template(name)
    found = suggestion_for(project)
    training = use(project.training, found)
    data = read_settings(project.data)
    task = "gan" if name == "dcgan_digits" else _task(data)
    several = () if "losses" not in training else ("mean",)
    resolve(training, task, several)
    assert differences(training, found) == ()


def suggestion_for(project: Project) -> Suggestion:
    data, node = (
        read_settings(project.data),
        project.graph.nodes[project.graph.of_block("Input")[0]],
    )
    shape: Any = node.settings["shape"]
    return suggest(data, sizes(data, shape)[0], project.graph, training=project.training)


def _task(data: Any) -> str:
    from core.tasks.registry import task_of

    return task_of(data.target, data.source).name


IRIS = {"optimizer": "AdamW", "lr": 0.01, "epochs": 50, "batch_size": 16}


def test_settings_at_their_defaults_are_replaced() -> None:
    found = suggested("iris", "one hidden layer")
    expected = {"lr": 0.01, "epochs": 50, "batch_size": 16, "scheduler": {"name": "OneCycleLR"}}
    assert untouched({"seed": 3, "batch_size": 64}, found)
    assert adopt({}, found) == expected
    at_defaults = {"lr": 0.001, "epochs": 10, "seed": 3, "loss": "CrossEntropyLoss"}
    training = adopt(at_defaults, found)
    assert training == {**at_defaults, **expected}
    assert differences(training, found) == ()


def test_what_a_student_set_is_kept_and_named() -> None:
    found = suggested("iris", "one hidden layer")
    training = adopt({"epochs": 7}, found)
    assert training["epochs"] == 7
    assert training["lr"] == 0.01
    assert differences(training, found) == ("epochs",)
    assert not untouched({"epochs": 7}, found)


def test_a_rate_is_kept_with_its_optimiser_and_schedule() -> None:
    found = suggested("iris", "one hidden layer")
    given = {"optimizer": "SGD", "optimizer_settings": {"momentum": 0.9}}
    training = adopt(given, found)
    assert training == {**given, "epochs": 50, "batch_size": 16}
    assert differences(training, found) == ("optimizer", "lr", "scheduler")
    assert use(given, found)["lr"] == 0.01
    assert "optimizer_settings" not in use(given, found)


def test_a_rate_that_is_another_optimisers_usual_one_is_written() -> None:
    found = suggested("iris", "one hidden layer")
    assert use({"optimizer": "RMSprop"}, found)["lr"] == 0.01


def test_what_was_suggested_before_gives_way_to_what_suits_now() -> None:
    first, second = suggested("iris", "one hidden layer"), suggested("digits", "LSTM")
    training = adopt({}, first)
    training = adopt(training, second, first.training)
    assert training == {
        "lr": 0.01, "epochs": 25, "scheduler": {"name": "OneCycleLR"}, "clip_norm": 1.0,
    }  # fmt: skip
    back = adopt(training, first, second.training)
    assert "clip_norm" not in back


def test_a_loss_that_cannot_read_the_data_is_never_kept() -> None:
    found = suggested("diabetes", "linear")
    given = {"loss": "CrossEntropyLoss", "loss_settings": {"label_smoothing": 0.1}}
    training = adopt(given, found)
    assert "loss" not in training
    assert "loss_settings" not in training
    assert adopt({"loss": "HuberLoss"}, found)["loss"] == "HuberLoss"


def test_a_warm_up_is_kept_with_a_schedule_that_can_wait_for_it() -> None:
    found = suggested("iris", "one hidden layer")
    training = adopt({"warmup": 2}, found)
    assert "scheduler" not in training
    assert differences(training, found) == ("lr", "scheduler")
    assert resolve(use({"warmup": 2}, found), "classification")["warmup"] == 0
