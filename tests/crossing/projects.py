"""Projects as users make them, one of each kind of target, source and input. A new kind: a row."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from app.process import pool
from app.services import documents, first_network
from core.data.facts.metadata import read_own
from core.project import Project, open_project
from core.project.values import frozen
from tests.core.data import gaps
from tests.core.data.mask_sets import write_masks
from tests.core.data.own_classes import WAVES, write_classes
from tests.core.data.own_sets import write_arrays
from tests.core.data.picture_sets_as_saved import READ
from tests.core.data.series_files import WORN, window_net, write_rides
from tests.core.data.sound_sets import write_sounds
from tests.core.small_runs import CHANCY_NET, project, table_net
from tests.crossing import own_labels, own_texts
from tests.crossing.own_project import own_project
from tests.wing_parts import rows

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
LONG = ("digits", "digit_pairs", "digit_rows", "letter_names", "dates", "waves")
"""Data of templates of which so many samples are enough."""
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
        data = {**made.data, "limit": SAMPLES} if made.data["source"] in LONG else made.data
        return replace(made, data=data, training={**made.training, **SHORT})

    return make


def _suggested(_: Path) -> Project:
    return project(table_net(4, 3), {"source": "iris", "normalize": True}, **SHORT, **SUGGESTED)


def _yes_no(_: Path) -> Project:
    """One output for two classes."""
    data = {"source": "breast_cancer", "normalize": True}
    return project(table_net(30, 1), data, **SHORT, loss="BCEWithLogitsLoss", lr=0.01)


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


def _series(workspace: Path) -> Project:
    """The next three values of a table with a row for each day."""
    write_rides(workspace)
    data = {**WORN, "ahead": 3}
    read_own(data)
    return project(window_net(7, 2, 3), data, **SHORT, **SUGGESTED)


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


def by_buttons(data: dict[str, Any]) -> Project:
    """What "Make a network for this data" draws, with the settings that it suggests."""
    read_own(data)
    document = documents.empty()
    document.replace(replace(document.project, data=frozen(data)))
    try:
        first_network.make(document)
    finally:
        pool.close()  # its processes would keep this one from ending
    made = document.project
    return replace(made, training={**made.training, **SHORT})


def _buttons(write: Callable[[Path], dict[str, Any]]) -> Make:
    return lambda workspace: by_buttons(write(workspace))


def _spoken_table(workspace: Path) -> dict[str, Any]:
    """A table as a spreadsheet saves it: a comment above, sums below, a name of each row."""
    file = workspace / "data/sales.csv"
    file.parent.mkdir(parents=True, exist_ok=True)
    rows = "".join(
        f"{1000 + i};{('red', 'green', 'blue')[i % 3]};{i * 7 % 90},{i % 10};{1 + i % 12:02d}/2023;"
        f"{'1.' if i % 2 else ''}{200 + i * 13 % 700},50 €\n"
        for i in range(60)
    )
    file.write_text(f"order;colour;weight;month;price\n{rows}", "cp1252")
    return {"source": "CSV", "file": "data/sales.csv", "normalize": True}


def _photographs(workspace: Path) -> dict[str, Any]:
    """Pictures of phones, microscopes and drawing programs, of several sizes, in one folder."""
    kinds = ("photographs of a phone", "16 bits of a microscope", "grey on a clear ground",
             "different sizes", "palette with a clear ground", "CMYK")  # fmt: skip
    for number, kind in enumerate(kinds):
        for name, content in READ[kind].files.items():
            path = workspace / "data/photographs" / name
            if "." in name:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.with_stem(f"{number}{path.stem}").write_bytes(content)
    return {"source": "ImageFolder", "root": "data/photographs", "normalize": True}


def _masks(workspace: Path) -> Project:
    """Pictures with masks of three classes and a void border, which classes weigh, by groups."""
    write_masks(workspace / "data/masks", 16)
    data = {"source": "MaskFolder", "root": "data/masks", "normalize": True,
            "split": "group", "split_by": "name"}  # fmt: skip
    made = by_buttons(data)
    return replace(made, training={**made.training, "class_weights": "balanced"})


def _sounds(form: str) -> Callable[[Path], dict[str, Any]]:
    """Recordings of two rates and three formats, a class in each folder."""

    def write(workspace: Path) -> dict[str, Any]:
        write_sounds(workspace / "data/sounds", each=14, rates=(8000, 8000, 8000, 11025))
        return {"source": "SoundFolder", "root": "data/sounds", "form": form, "normalize": True}

    return write


def _arrays(workspace: Path) -> dict[str, Any]:
    write_arrays(workspace / "data/cells.npz")
    return {"source": "NPZ", "file": "data/cells.npz"}


def _poem(workspace: Path) -> dict[str, Any]:
    file = workspace / "data/poem.txt"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("to be or not to be " * 400, "utf-8")
    return {"source": "text", "file": "data/poem.txt"}


def _dataset(workspace: Path) -> Project:
    """A torch Dataset of the user's own."""
    write_classes(workspace)
    read_own(WAVES)
    return project(table_net(8, 2), dict(WAVES), **SHORT, **SUGGESTED)


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
    "a spreadsheet, by the buttons": _buttons(_spoken_table),
    "photographs, by the buttons": _buttons(_photographs),
    "pictures with masks, by the buttons": _masks,
    "sounds as spectrograms, by the buttons": _buttons(_sounds("spectrogram")),
    "sounds as waves, by the buttons": _buttons(_sounds("wave")),
    "NPZ, by the buttons": _buttons(_arrays),
    "text, by the buttons": _buttons(_poem),
    "own Dataset": _dataset,
    "own series": _series,
    "labels of a table, by the buttons": _buttons(own_labels.films),
    "labels in a cell, by the buttons": _buttons(own_labels.genres),
    "texts with labels, by the buttons": _buttons(own_labels.comments),
    "a class as one-hot, by the buttons": _buttons(own_labels.one_hot),
    "texts of a table, by the buttons": _buttons(own_texts.mails),
    "a folder of texts, by the buttons": _buttons(own_texts.mail_folder),
    **rows("projects", "PROJECTS"),
    "triplets": _template("triplet_digits"),
    "adversarial": _template("dcgan_digits"),
    "yes or no": _yes_no,
    "replies to a text": _template("seq2seq_dates"),
    "sequences (CTC)": _template("ctc_digit_rows"),
}
