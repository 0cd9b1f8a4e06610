"""Projects as users make them, one of each kind of target, source and input. A new kind: a row."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from core.data.metadata import read_own
from core.project import Project, open_project
from tests.bench.exports_own import own_project
from tests.core.data import gaps
from tests.core.small_runs import CHANCY_NET, project, table_net

TEMPLATES = Path(__file__).parents[2] / "projects"
SHORT = {"epochs": 2, "threads": 1, "device": "cpu", "compile_step": "off"}
SUGGESTED = {
    "optimizer": "AdamW",
    "lr": 0.02,
    "scheduler": {"name": "OneCycleLR"},
    "batch_size": 16,
}
"""As "Use suggested settings" writes them for a table."""
SAMPLES = 120
DATED = "seen;height;city;price;sold\n" + "".join(
    f"{1 + i % 28:02d}.{1 + i % 12:02d}.2024;{150 + i % 40},{i % 10};"
    f"{('Bonn', 'Jena', '')[i % 3]};{'' if i % 7 == 0 else f'{i * 3 % 50},5'};"
    f"{('no', 'yes')[i % 2]}\n"
    for i in range(60)
)
"""Dates as Germans write them, decimal commas, categories, missing values."""
Make = Callable[[Path], Project]


def _template(name: str) -> Make:
    def make(_: Path) -> Project:
        made = open_project(TEMPLATES / f"{name}.loom.json")
        data = {**made.data, "limit": SAMPLES} if made.data["source"] == "digits" else made.data
        return replace(made, data=data, training={**made.training, **SHORT})

    return make


def _suggested(_: Path) -> Project:
    return project(table_net(4, 3), {"source": "iris", "normalize": True}, **SHORT, **SUGGESTED)


def _chancy(_: Path) -> Project:
    data = {"source": "digits", "limit": SAMPLES}
    return project(CHANCY_NET, data, **SHORT, scheduler={"name": "OneCycleLR"})


def _dated(workspace: Path) -> Project:
    file = workspace / "data/dated.csv"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(DATED, "utf-8-sig")
    data = {"source": "CSV", "file": "data/dated.csv", "target_column": "sold", "normalize": True,
            "fill": {"city": "missing", "price": "mean"}}  # fmt: skip
    facts = read_own(data)
    assert facts is not None
    return project(table_net(facts.source.shape[0], 2), data, **SHORT, **SUGGESTED)


def _own(name: str) -> Make:
    def make(workspace: Path) -> Project:
        made = own_project(name, workspace)
        return replace(made, training={**made.training, **SHORT})

    return make


def _gaps(workspace: Path) -> Project:
    made = gaps.project(workspace)
    return replace(made, training={**made.training, **SHORT})


def _around(name: str) -> Make:
    """A network with a block of own Python, on a table of six columns."""

    def make(workspace: Path) -> Project:
        file = workspace / "data/six.csv"
        file.parent.mkdir(parents=True, exist_ok=True)
        rows = [",".join(f"{(i * k) % 11 / 11:.3f}" for k in range(1, 7)) for i in range(60)]
        kinds = "".join(f"{row},{'abc'[i % 3]}\n" for i, row in enumerate(rows))
        file.write_text("a,b,c,d,e,f,kind\n" + kinds, "utf-8")
        data = {"source": "CSV", "file": "data/six.csv", "target_column": "kind"}
        read_own(data)
        return replace(own_project(name, workspace), data=data,
                       training={"loss": "CrossEntropyLoss", **SHORT})  # fmt: skip

    return make


PROJECTS: Mapping[str, Make] = {
    "iris with suggested settings": _suggested,
    "table with dates and decimal commas": _dated,
    "table with missing values": _gaps,
    "pictures": _own("own_pictures"),
    "batch norm and dropout": _chancy,
    "residual": _template("resnet_digits"),
    "own Python": _around("own_swish"),
    "own Python with weight norm": _around("own_weight_norm"),
    "regression": _template("regression_diabetes"),
    "quantiles": _template("quantiles_diabetes"),
    "several inputs": _template("two_inputs_diabetes"),
    "several heads": _template("two_heads_digits"),
    "several labels": _template("multilabel_digits"),
    "images to images": _template("autoencoder_digits"),
    "masks": _template("unet_digits"),
    "recurrent, a series": _template("lstm_waves"),
    "recurrent, names": _template("rnn_letter_names"),
    "pairs": _template("siamese_digits"),
    "variational": _template("vae_digits"),
    "attention": _template("vit_digits"),
}
