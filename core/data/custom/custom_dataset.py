"""Samples of a torch Dataset of the user's own, read one by one through a DataLoader.

Only text that this user has trusted is executed, and only the text that was looked at. Random
numbers come from fixed seeds, so that the same samples come each time, here and in a script.
"""

import contextlib
import hashlib
import linecache
import random
import sys
import traceback
import types
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.utils.data import DataLoader, Dataset, IterableDataset

from core.common.errors import DataError
from core.data.custom import dataset_file
from core.data.sources.custom_source import CustomSource
from core.data.sources.paths import locate

LARGEST_BYTES = 4 << 30
ENDLESS = 1000
"""Default number of samples of an IterableDataset."""
MOST_CLASSES = 1000
PAIR = "Return (input, target): a tensor, and a whole number for a class or a float for a number."
Shape = tuple[int, ...]


@dataclass(frozen=True)
class OwnSamples:
    """Samples (S, ...) of float32 and answers (S,), class numbers or floats.

    classes: () for numbers; named: whether the data set names them itself (`classes`); else they
    are the values that came, in order. streamed: whether it is an IterableDataset.
    name: of the class; text: of its file.
    """

    inputs: Tensor
    answers: Tensor
    classes: tuple[str, ...]
    named: bool
    streamed: bool
    name: str
    text: str


def read_dataset(given: CustomSource) -> OwnSamples:
    """Run the class that a project names and read its samples. Raises DataError."""
    text = dataset_file.trusted_text(given)
    path = locate(given.path, given.key)
    return _read(given, text, str(path), path.stat().st_mtime_ns)


def forget() -> None:
    """Forget the samples of a data set: the files that it reads may have changed."""
    _read.cache_clear()


@lru_cache(1)
def _read(given: CustomSource, text: str, place: str, _changed: int) -> OwnSamples:
    name = dataset_file.class_of(given, text)
    with _fixed_seeds(), contextlib.redirect_stdout(sys.stderr):
        kind = _class(given, text, place, name)
        _seed()  # as the script does, which seeds before it reads, whatever stands above
        with _as_data_error(given, place, f"{name} cannot be made: __init__"):
            dataset = kind()
        inputs, answers = _read_samples(given, place, name, dataset)
        with _as_data_error(given, place, f"{name}.classes"):
            names = getattr(dataset, "classes", None)
    answers, classes, named = _classes(given, name, answers, names)
    streamed = isinstance(dataset, IterableDataset)
    return OwnSamples(inputs, answers, classes, named, streamed, name, text)


def _seed() -> None:
    random.seed(0)
    np.random.seed(0)
    torch.manual_seed(0)


@contextlib.contextmanager
def _fixed_seeds() -> Generator[None]:
    """Seed all random generators, and restore their states afterwards."""
    before = random.getstate(), np.random.get_state()
    with torch.random.fork_rng(devices=[]):
        _seed()
        try:
            yield
        finally:
            random.setstate(before[0])
            np.random.set_state(before[1])


@contextlib.contextmanager
def _as_data_error(given: CustomSource, place: str, what: str) -> Generator[None]:
    """Say what own code raised, and in which of its lines, as DataError."""
    try:
        yield
    except (DataError, GeneratorExit):
        raise
    except BaseException as error:
        lines = [f.lineno for f in traceback.extract_tb(error.__traceback__) if f.filename == place]
        if isinstance(error, KeyboardInterrupt) and not lines:
            raise
        where = f" in line {lines[-1]} of {given.path}" if lines else f" in {given.path}"
        raise DataError(f"{what} fails{where}: {_message(error)}.", "Correct it.") from error


def _message(error: BaseException) -> str:
    """The message of an error, short; a worker's is at the end of its traceback."""
    try:
        lines = str(error).strip().splitlines() or [""]
    except BaseException as fault:  # an error class of its own: its text is that of the user's code
        lines = [f"the reason is unknown, as reading it raises {type(fault).__name__}"]
    text = lines[-1] if "Traceback" in "".join(lines[:2]) else lines[0]
    kind = type(error).__name__
    message = text if text.startswith(kind) else f"{kind}: {text}"
    return message.encode("utf-8", "backslashreplace").decode()[:300].rstrip(": .")


def _class(given: CustomSource, text: str, place: str, name: str) -> type[Dataset[Any]]:
    """The class, from exactly this text."""
    module = types.ModuleType(f"layerloom_data_{hashlib.sha256(text.encode()).hexdigest()[:16]}")
    module.__file__ = place
    linecache.cache[place] = (len(text), None, text.splitlines(keepends=True), place)
    sys.modules[module.__name__] = module
    with _as_data_error(given, place, "The code outside functions"):
        exec(compile(text, place, "exec"), module.__dict__)
    kind = getattr(module, name, None)
    if isinstance(kind, type) and issubclass(kind, Dataset):
        return kind
    raise DataError(
        f"{name} in {given.path} is not a torch Dataset.",
        f"Write class {name}(torch.utils.data.Dataset).",
    )


def _read_samples(
    given: CustomSource, place: str, name: str, dataset: Dataset[Any]
) -> tuple[Tensor, list[int | float]]:
    """Inputs and answers, sample by sample."""
    many = _many(given, place, name, dataset)
    samples = _samples(given, place, name, dataset, many)
    inputs: Tensor | None = None
    answers: list[int | float] = []
    for index, sample in enumerate(samples):
        what = f"Sample {index} of {name}"
        x, y = _pair(given, what, sample)
        if inputs is None:
            _check_shape(given, what, tuple(x.shape), many)
            inputs = torch.empty(many, *x.shape)
        _check_like(what, x, inputs, y, answers)
        inputs[index] = x
        answers.append(y)
    if inputs is None:
        raise DataError(f"{name} in {given.path} gives no samples.", "Give at least two.")
    return inputs[: len(answers)], answers


def _many(given: CustomSource, place: str, name: str, dataset: Dataset[Any]) -> int:
    """How many samples are taken at most."""
    if isinstance(dataset, IterableDataset):
        if given.workers:
            raise DataError(
                f"{name} is an IterableDataset, and each of {given.workers} workers "
                "would give all of its samples.",
                "Set data.loader_workers to 0.",
            )
        return given.samples or ENDLESS
    with _as_data_error(given, place, f"{name}.__len__"):
        count = len(dataset)  # pyright: ignore[reportArgumentType]
    return min(count, given.samples or count)


def _samples(
    given: CustomSource, place: str, name: str, dataset: Dataset[Any], many: int
) -> Iterator[Any]:
    """What the data set gives, through a DataLoader; its errors name the sample."""
    streamed = isinstance(dataset, IterableDataset)
    loader = DataLoader(
        dataset,
        batch_size=None,
        sampler=None if streamed else range(many),
        num_workers=given.workers,
        generator=torch.Generator(),
        multiprocessing_context="fork" if given.workers else None,
    )
    called = "__iter__" if streamed else "__getitem__"
    with _as_data_error(given, place, f"{name}.{called}"):
        samples = islice(loader, many)
    for index in range(many):
        with _as_data_error(given, place, f"{name}.{called}, sample {index},"):
            try:
                sample = next(samples)
            except StopIteration:
                if not streamed:
                    raise DataError(
                        f"{name} gives {index:,} samples, but its __len__ returns "
                        f"{many:,} or more.",
                        "Correct __len__.",
                    ) from None
                return
        yield sample


def _pair(given: CustomSource, what: str, sample: Any) -> tuple[Tensor, int | float]:
    """Input and answer of a sample. Raises DataError."""
    if not isinstance(sample, tuple | list) or len(sample) != 2:
        raise DataError(f"{what} is {_described(sample)}, not an input and its target.", PAIR)
    try:
        x, y = (torch.as_tensor(value).detach().cpu() for value in sample)
    except (TypeError, ValueError, RuntimeError) as error:
        kinds = " and ".join(map(_described, sample))
        raise DataError(f"{what} is {kinds}, not numbers.", PAIR) from error
    if x.is_complex() or y.is_complex() or y.numel() != 1:
        raise DataError(
            f"{what} has an input of {tuple(x.shape)} {_dtype(x)} and a target of "
            f"{tuple(y.shape)} {_dtype(y)}, not one real number.",
            PAIR,
        )
    x, answer = x.float(), y.item()
    if not (x.isfinite().all() and np.isfinite(answer)):
        raise DataError(
            f"{what} in {given.path} holds a value that does not fit into 32 bits.",
            "Correct it, or remove it.",
        )
    return x, float(answer) if y.is_floating_point() else int(answer)


def _described(value: Any) -> str:
    if isinstance(value, tuple | list):
        return f"{len(value)} values"
    kind = type(value).__name__
    return f"{'an' if kind[:1] in 'AEIOUaeiou' else 'a'} {kind}"


def _dtype(value: Tensor) -> str:
    return str(value.dtype).removeprefix("torch.")


def _check_shape(given: CustomSource, what: str, shape: Shape, many: int) -> None:
    if len(shape) not in (1, 3) or not all(shape):
        raise DataError(
            f"{what} has an input of {shape}, which is neither a row of numbers (F,) "
            "nor a picture (C, H, W).",
            "Reshape it in the data set.",
        )
    if len(shape) == 3 and shape[0] > 4 >= shape[2]:
        raise DataError(
            f"{what} has an input of {shape}, whose channels come last.",
            "Move them to the front: permute(2, 0, 1).",
        )
    size = 4 * many * int(np.prod(shape))
    if size > LARGEST_BYTES:
        raise DataError(
            f"{many:,} samples of {shape} have {size / 1e9:,.1f} GB, more than "
            f"{LARGEST_BYTES >> 30}.",
            "Set data.samples to take fewer.",
        )


def _check_like(
    what: str, x: Tensor, inputs: Tensor, y: int | float, answers: list[int | float]
) -> None:
    """Whether a sample is like the first. Raises DataError naming both."""
    if x.shape != inputs.shape[1:]:
        raise DataError(
            f"{what} has an input of {tuple(x.shape)}, but sample 0 has one of "
            f"{tuple(inputs.shape[1:])}.",
            "Give all samples one shape.",
        )
    if answers and type(y) is not type(answers[0]):
        raise DataError(
            f"{what} has the target {y!r}, but sample 0 has {answers[0]!r}.",
            "Use whole numbers for classes, floats for numbers.",
        )


def _classes(
    given: CustomSource, name: str, answers: list[int | float], names: Any
) -> tuple[Tensor, tuple[str, ...], bool]:
    """Answers as class numbers with the names of the classes; () where they are numbers."""
    if isinstance(answers[0], float):
        return torch.tensor(answers), (), False
    values, labels = torch.tensor(answers).unique(return_inverse=True)
    named = isinstance(names, tuple | list) and all(isinstance(n, str) for n in names)
    if named and int(values[0]) >= 0 and int(values[-1]) < len(names):
        labels, classes = torch.tensor(answers), tuple(names)
    elif named:
        wrong = int(values[-1]) if int(values[0]) >= 0 else int(values[0])
        raise DataError(
            f"{name} has {len(names)} classes, but a target of {wrong}.",
            f"Use targets from 0 to {len(names) - 1}.",
        )
    else:
        classes = tuple(map(str, values.tolist()))
    if not 2 <= len(classes) <= MOST_CLASSES:
        raise DataError(
            f"{name} in {given.path} has {len(classes)} classes.",
            f"Use 2 to {MOST_CLASSES}, or floats for a regression.",
        )
    return labels, classes, named
