"""Inputs and outputs of a network in terms of its data: preprocessing, classes, units.

Everything that runs a network elsewhere (the web page, the server, the metadata of an ONNX file
itself, the model card) reads this one text.
"""

from dataclasses import asdict, dataclass, field, replace
from math import prod
from typing import Any

import torch
from torch import Tensor

from blocks import Signature
from core.analyse.report import size
from core.common.errors import DataError
from core.data.batches.dataset import Dataset
from core.data.builtin.handwriting import height_of
from core.data.facts.class_colours import colours_of
from core.data.facts.info import DataInfo, bounds_for, stored_as_is
from core.data.facts.input_columns import Feed
from core.data.facts.row_fields import InputField, row_fields, table_file, text_columns
from core.data.sources.custom_source import read_custom_source
from core.engine.objective import LossTerm
from core.export.subject import Subject
from core.insight.load_model import data_of
from core.insight.network_cache import objective_for
from core.runs.files import read_json
from core.runs.vocabulary import read_vocabulary
from core.samples.contract import filler_words
from core.samples.picture_files import DEEP
from core.tasks.metrics import as_tuple, measure_of

Json = dict[str, Any]


@dataclass(frozen=True)
class InputInfo:
    """One Input. shape: without the batch.

    kind: picture, sound, row, window (rows of a series), text, or numbers where nothing is known of
    what they mean. read: shape of the data's own samples, before `resize` (bilinear) and the
    reshape to `shape`. Values are brightness 0 to 1 for pictures, the data's own numbers for rows;
    then (value - mean) / std, where these are given, by channel or column. alphabet: a text's
    tokens are places in it, `mark` is the token of a masked character. vocabulary: of a text cut
    into tokens (`cut_by` word or letter, `lower`: in small letters), by their numbers; columns: of
    a table with such texts, those that are text, joined by <separator>. column: of the data, as
    data.inputs names it. written_high: of handwriting, the share of the height that a digit fills.
    bounds: what becomes black and white in pictures of more than 8 bits, where it is not their
    depth; as_stored: picture files are read without their EXIF and transparency. table: how the
    file of rows is written, its columns in order, its targets, and rows of it that are no samples,
    such as sums and titles. order: of a window, the column that orders its rows, and how it is
    written. sound: how a sound file is read: rate and samples of its wave; mels, window and hop of
    its spectrogram, if it is one.
    """

    name: str
    dtype: str
    shape: tuple[int, ...]
    kind: str
    column: str = ""
    read: tuple[int, ...] = ()
    resize: tuple[int, int] | None = None
    mean: tuple[float, ...] = ()
    std: tuple[float, ...] = ()
    fields: tuple[InputField, ...] = ()
    alphabet: str = ""
    mark: int | None = None
    vocabulary: tuple[str, ...] = ()
    cut_by: str = ""
    lower: bool = False
    columns: tuple[str, ...] = ()
    written_high: float = 0.0
    bounds: tuple[float, ...] = ()
    as_stored: bool = False
    table: Json = field(default_factory=dict)
    order: Json = field(default_factory=dict)
    sound: Json = field(default_factory=dict)


@dataclass(frozen=True)
class OutputInfo:
    """One Output. kind: of the target it is compared with, "" for none. threshold: above it the
    prediction is yes. unit, middle: turn a number into the target's own unit. shown_as: the form of
    its prediction, if not the name of its kind; unread: why it has no form. colours: of the
    classes, where they are painted, "#rrggbb"."""

    name: str
    kind: str = ""
    target: str = ""
    classes: tuple[str, ...] = ()
    alphabet: str = ""
    threshold: float = 0.0
    unit: float = 1.0
    middle: float = 0.0
    logarithm: bool = False
    shown_as: str = ""
    unread: str = ""
    colours: tuple[str, ...] = ()


@dataclass(frozen=True)
class Interface:
    """All Inputs and Outputs, in the order of the module's arguments and results."""

    inputs: tuple[InputInfo, ...]
    outputs: tuple[OutputInfo, ...]
    task: str = ""
    data: str = ""
    dataset: Dataset | None = field(default=None, repr=False, compare=False)

    def json(self) -> Json:
        """As plain data; what is empty is left out."""
        return {
            "task": self.task,
            "data": self.data,
            "inputs": [_without_empty(asdict(each)) for each in self.inputs],
            "outputs": [_without_empty(asdict(each)) for each in self.outputs],
        }


def _without_empty(value: Json) -> Json:
    def plain(each: Any) -> Any:
        return _without_empty(each) if isinstance(each, dict) else each

    kept = {k: v for k, v in value.items() if v not in ("", (), None, False, {})}
    return {k: [plain(x) for x in v] if isinstance(v, tuple) else v for k, v in kept.items()}


def interface_of(subject: Subject) -> Interface:
    """Describe a network; without its data on this machine by shapes alone, or a classifier of
    texts by what its run has kept."""
    dataset = data_of(subject.opened) if subject.opened else None
    if dataset is None:
        if (kept := _kept_texts(subject)) is not None:
            return kept
        inputs = tuple(_plain(name, s) for name, s in subject.inputs.items())
        return Interface(inputs, tuple(OutputInfo(name) for name in subject.outputs))
    info, feeds = dataset.info, {feed.node: feed for feed in dataset.info.feeds}
    inputs = tuple(_input(dataset, feeds[n], s) for n, s in subject.inputs.items())
    terms = _terms(subject, dataset)
    outputs = tuple(_output(info, n, terms.get(i)) for i, n in enumerate(subject.outputs))
    return Interface(inputs, outputs, info.task, info.source, dataset)


def _kept_texts(subject: Subject) -> Interface | None:
    """A run that puts texts into classes, by its vocabulary and its classes; None for another, and
    for one whose files, which may be a stranger's, do not say these."""
    run = subject.opened.run if subject.opened else None
    vocabulary = read_vocabulary(run) if run else ()
    if run is None or not vocabulary or (len(subject.inputs), len(subject.outputs)) != (1, 1):
        return None
    spec = read_json(run / "spec.json")
    classes, training = tuple(spec.get("classes", ())), spec.get("training", {})
    try:
        custom = read_custom_source(spec.get("data", {}))
    except DataError:
        return None
    if custom is None or custom.texts is None or not classes:
        return None
    ((name, signature),), (output,) = subject.inputs.items(), subject.outputs
    text = replace(
        _plain(name, signature),
        kind="text",
        column="input",
        vocabulary=vocabulary,
        cut_by=custom.texts.cut_by,
        lower=custom.texts.lower,
        columns=custom.columns or (name,),
    )
    with torch.no_grad():
        (scores,) = as_tuple(subject.module(*subject.sample(1)))
    kind = "classes" if scores.numel() == len(classes) else "yes_no"
    measure = measure_of(kind, training.get("loss", ""), training.get("loss_settings", {}))
    threshold = measure.threshold if measure else 0.0
    answer = OutputInfo(output, kind, custom.target_column or "class", classes, threshold=threshold)
    return Interface((text,), (answer,), spec.get("task", ""), custom.kind)


def _plain(name: str, signature: Signature) -> InputInfo:
    return InputInfo(name, signature.dtype, tuple(size(signature, 1)[1:]), "numbers")


def _input(dataset: Dataset, feed: Feed, signature: Signature) -> InputInfo:
    info, shape = dataset.info, feed.shape
    if info.origin.ahead and not feed.noise:
        return window_info(dataset, feed, signature)
    if info.origin.heard and not feed.noise:
        return InputInfo(
            feed.node,
            signature.dtype,
            shape,
            "sound",
            feed.column,
            info.sample_shape,
            feed.resize,
            *_moments(dataset),
            sound=dict(info.layout["sound"]),
        )
    kinds = {"image": "picture", "table": "row", "text": "text"}
    kind = "numbers" if feed.noise else kinds.get(info.kind, "numbers")
    if kind == "picture":
        own = (shape[0], *feed.resize) if info.origin.decoded and feed.resize else info.sample_shape
        mean, std = _moments(dataset)
        return InputInfo(
            feed.node,
            signature.dtype,
            shape,
            kind,
            feed.column,
            own,
            feed.resize,
            mean,
            std,
            written_high=height_of(info.source),
            bounds=bounds_for(info),
            as_stored=stored_as_is(info),
        )
    if kind == "row":
        picks = feed.picks or tuple(range(info.sample_shape[0]))
        mean, std = (tuple(v[i] for i in picks) if v else () for v in _moments(dataset))
        fillers = [] if dataset.fillers is None else dataset.fillers.tolist()
        return InputInfo(
            feed.node,
            signature.dtype,
            shape,
            kind,
            feed.column,
            (len(picks),),
            None,
            mean,
            std,
            row_fields(info, picks, fillers),
            table=table_file(info),
        )
    if kind == "text":
        mark = len(info.origin.alphabet) if feed.column == "masked" else None
        return InputInfo(
            feed.node,
            signature.dtype,
            shape,
            kind,
            feed.column,
            alphabet=info.origin.alphabet,
            mark=mark,
            vocabulary=info.origin.vocabulary,
            cut_by=info.origin.cut_by,
            lower=info.origin.lower,
            columns=text_columns(info, feed.node),
            table=table_file(info),
        )
    mean, std = _moments(dataset) if feed.column == "input" else ((), ())
    size = prod(shape)
    return InputInfo(
        feed.node, signature.dtype, shape, kind, feed.column, mean=mean[:size], std=std[:size]
    )


def window_info(dataset: Dataset, feed: Feed, signature: Signature) -> InputInfo:
    """Rows of a series, one after the other."""
    info, layout = dataset.info, dataset.info.layout
    found = row_fields(info, tuple(range(info.sample_shape[1])))
    missing = [tuple(column["missing"]) for column in layout.get("columns", ())]
    pairs = zip(found, missing or [()] * len(found), strict=True)
    fields = tuple(replace(each, missing=words) for each, words in pairs)
    date = layout.get("date")
    keys = ("name", "date", "decimal", "thousands", "symbol", "minus", "missing")
    table = table_file(info)
    if {*table.get("targets", ())} & {each.name for each in fields}:
        del table["targets"]  # no line of the file is without it
    return InputInfo(
        feed.node,
        signature.dtype,
        feed.shape,
        "window",
        feed.column,
        info.sample_shape,
        None,
        *_moments(dataset),
        fields,
        table=table,
        order={key: date[key] for key in keys if date[key]} if date else {},
    )


def _moments(dataset: Dataset) -> tuple[tuple[float, ...], tuple[float, ...]]:
    def numbers(value: Tensor | None) -> tuple[float, ...]:
        return () if value is None else tuple(value.flatten().tolist())

    return numbers(dataset.mean), numbers(dataset.std)


def _terms(subject: Subject, dataset: Dataset) -> dict[int, LossTerm]:
    """The loss that reads each Output, by its place; the first that is measured."""
    if subject.opened is None:
        return {}
    objective = objective_for(subject.opened.project, dataset)
    found: dict[int, LossTerm] = {}
    for term in sorted(objective.terms, key=lambda term: term.measure is None):
        for place in term.outputs:
            found.setdefault(place, term)
    return found


def _output(info: DataInfo, name: str, term: LossTerm | None) -> OutputInfo:
    measure = term.measure if term else None
    if term is None or measure is None:
        return OutputInfo(name, unread=term.readout.why("web") if term else "")
    kind, web = measure.declared, measure.readout.web
    return OutputInfo(
        name,
        measure.kind,
        info.origin.target_name,
        info.classes if kind.names_classes else (),
        info.origin.alphabet if kind.per_position else "",
        measure.threshold,
        measure.unit,
        measure.middle,
        measure.log,
        "" if web == kind.name else web,
        measure.readout.why("web"),
        colours_of(info) if kind.class_at_pixel else (),
    )


def preprocessing(spec: InputInfo) -> str:
    """What is done to a sample before an Input receives it, in sentences; "" where unknown."""
    if spec.kind == "picture":
        return f"{', '.join([*_of_pictures(spec), *_standardised(spec)])}."
    if spec.kind == "sound":
        return f"{'; '.join([*_of_sounds(spec), *_standardised(spec)])}."
    if spec.kind == "row":
        names = ", ".join(field.name for field in spec.fields)
        steps = [f"Columns: {names}", *_filled(spec), *_standardised(spec)]
        return f"{'; '.join(steps)}."
    if spec.kind == "window":
        names = ", ".join(field.name for field in spec.fields)
        columns = len(spec.fields)
        own = replace(spec, mean=spec.mean[:columns], std=spec.std[:columns])
        rows = f"The last {spec.read[0]:,} rows, columns: {names}"
        missing = "a missing value is the last known one"
        return f"{'; '.join([rows, missing, *_standardised(own)])}."
    if spec.kind == "numbers" and spec.mean:
        return f"Numbers as in the data; {', '.join(_standardised(spec))}."
    if spec.vocabulary:
        small = "in small letters, " if spec.lower else ""
        return (
            f"Text, {small}cut into {spec.cut_by}s, as their numbers in the vocabulary of "
            f"{len(spec.vocabulary):,}; 1 is any other, 0 pads to {spec.shape[0]}."
        )
    if spec.kind == "text":
        mark = f"; token {spec.mark} stands for a masked character" if spec.mark is not None else ""
        return f"Characters as their indices in {spec.alphabet!r}{mark}."
    return ""


def _of_pictures(spec: InputInfo) -> list[str]:
    """What becomes of a picture before it is standardised."""
    read = "x".join(map(str, spec.read[1:]))
    colours = {1: "grey", 3: "RGB"}.get(spec.read[0], f"{spec.read[0]} channels")
    if spec.resize and spec.resize == spec.read[1:]:  # read from files at this size
        scaled = f"{colours}, scaled to {read} pixels by Pillow's bilinear filter"
        return [*_of_files(spec), scaled, "brightness from 0 to 1"]
    steps = [f"Brightness from 0 to 1, {colours}, {read} pixels"]
    if spec.resize:
        size = "x".join(map(str, spec.resize))
        steps.append(f"resized to {size} (bilinear, antialiased)")
    return steps


def _of_sounds(spec: InputInfo) -> list[str]:
    """What becomes of a sound before it is standardised."""
    how = spec.sound
    steps = [
        f"Sound files: channels averaged, resampled to {how['rate']:,} samples a second",
        f"the first {how['samples']:,} samples, silence behind the end",
    ]
    if how["mels"]:
        steps.append(
            f"spectrogram of {how['mels']} mel bands (2595 log10(1 + Hz / 700)), high pitch first, "
            f"Hann windows of {how['window']} samples every {how['hop']}, from 0 (-80 dB) to 1 "
            "(0 dB)"
        )
    if spec.resize:
        size = "x".join(map(str, spec.resize))
        steps.append(f"resized to {size} (bilinear, antialiased)")
    return steps


def _of_files(spec: InputInfo) -> list[str]:
    """How a picture file is seen."""
    if spec.as_stored:
        return ["Picture files as stored, without their EXIF and transparency"]
    low, high = (f"{value:g}" for value in spec.bounds or DEEP)
    return [
        "Picture files turned by their EXIF orientation",
        "clear parts filled with white (black where the drawing itself is white)",
        f"values of more than 8 bits from {low} (black) to {high} (white)",
    ]


def _filled(spec: InputInfo) -> list[str]:
    """What fills the missing values of each column; nothing where none may be missing."""
    named = [
        f"{each.name} by {filler_words(each.words, each.fill, each.rule)}"
        for each in spec.fields
        if each.fill
    ]
    return [f"missing values are filled: {', '.join(named)}"] if named else []


def _standardised(spec: InputInfo) -> list[str]:
    if not spec.mean:
        return []
    mean, std = (", ".join(f"{v:.6g}" for v in values) for values in (spec.mean, spec.std))
    return [f"then (value - mean) / std with mean {mean} and std {std}"]
