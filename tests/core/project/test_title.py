"""A project that nobody named is called what it is."""

from pathlib import Path

import pytest

from core.graph import Composite, Graph, Node
from core.project import Project, open_project, templates
from core.project.title import is_named, title


def drawn(*blocks: str) -> Graph:
    """A drawing of these blocks, without wires."""
    return Graph({f"n{number}": Node(block) for number, block in enumerate(blocks)})


@pytest.mark.parametrize(
    ("blocks", "name"),
    [
        ("Input Linear ReLU Linear Output", "MLP on iris"),
        ("Input Flatten Linear BatchNorm1d ReLU Dropout Linear Output", "MLP on iris"),
        ("Input Linear Output", "Linear model on iris"),
        ("Input Conv2d ReLU Flatten Linear Output", "CNN on iris"),
        ("Input Conv1d LSTM Linear Output", "LSTM on iris"),
        ("Input GRU Linear Output", "GRU on iris"),
        ("Input RNNCell Linear Output", "RNN on iris"),
        ("Input Embedding TransformerEncoderLayer Linear Output", "Transformer on iris"),
        ("Input MultiheadAttention Output", "Attention network on iris"),
        ("Input Embedding Linear Linear Output", "Network of 3 blocks on iris"),
        ("Input Nothing Output", "Network of one block on iris"),
        ("Input Output", "Empty project"),
        ("", "Empty project"),
    ],
)
def test_a_network_is_named_by_its_blocks_and_its_data(blocks: str, name: str):
    assert title(Project(graph=drawn(*blocks.split()), data={"source": "iris"})) == name


@pytest.mark.parametrize(
    ("data", "name"),
    [
        ({}, "MLP"),
        ({"source": "breast_cancer"}, "MLP on breast cancer"),
        ({"source": "CSV", "file": "data/House_prices.v2.csv"}, "MLP on House prices"),
        ({"source": "ImageFolder", "root": "data/flowers"}, "MLP on flowers"),
        ({"source": 3}, "MLP"),
    ],
)
def test_own_data_is_called_by_its_file(data: dict[str, object], name: str):
    assert title(Project(graph=drawn("Linear", "Linear"), data=data)) == name


def test_blocks_inside_a_composite_tell_the_kind():
    stage = Composite(graph=drawn("Input", "Conv2d", "Output"))
    graph = Graph({"s": Node("Stage")}, composites={"Stage": stage})
    assert title(Project(graph=graph, data={"source": "digits"})) == "CNN on digits"


def test_a_name_that_somebody_gave_stays():
    named, before = Project(name="Mine"), Project(name="Untitled", data={"source": "iris"})
    assert (title(named), is_named(named)) == ("Mine", True)
    assert (title(before), is_named(before)) == ("Empty project", False)
    own = Project(data={"source": "CSV", "file": "data/customers.csv"})
    assert (title(own), title(Project())) == ("customers", "Empty project")


def test_templates_without_their_names_are_called_what_experts_call_them():
    found = {
        name: title(Project(graph=project.graph, data=project.data))
        for name in (
            "mlp_iris",
            "lenet_digits",
            "lstm_waves",
            "bert_text",
            "regression_diabetes",
            "unet_digits",
            "dcgan_digits",
            "vae_digits",
            "autoencoder_digits",
            "densenet_digits",
        )
        if (project := open_project(Path(templates.FOLDER) / f"{name}.loom.json"))
    }
    assert found == {
        "mlp_iris": "MLP on iris",
        "lenet_digits": "CNN on digits",
        "lstm_waves": "LSTM on waves",
        "bert_text": "Transformer on python docs",
        "regression_diabetes": "MLP on diabetes",
        "unet_digits": "U-Net on digits",
        "dcgan_digits": "CNN on digits",
        "vae_digits": "Network of 4 blocks on digits",
        "autoencoder_digits": "CNN on digits",
        "densenet_digits": "CNN on digits",
    }
