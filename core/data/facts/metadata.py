"""Metadata of the user's own data (classes, sizes, columns), read on request and then cached.

Opening or checking a project reads nothing but that cache in the workspace. It is written on the
Data page, or by training.
"""

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from core.common.errors import DataError, Unread
from core.data.custom.dataset_file import KIND
from core.data.facts import row_keys
from core.data.facts.row_keys import RowKeys
from core.data.pictures.cache import find_cache
from core.data.pictures.facts import (
    bounds_of,
    is_plain,
    note_on_depth,
    note_on_duplicates,
    usual_shape,
)
from core.data.pictures.folder import Listing, list_folder, quick_stamp
from core.data.pictures.series import series_of_all
from core.data.sources.custom_source import CustomSource, read_custom_source
from core.data.sources.label_settings import KEYS as LABEL_KEYS
from core.data.sources.paths import cache_folder, locate
from core.data.sources.source import SOUND_FOLDER, Source
from core.data.table.encoding import UTF8, encoding_of
from core.data.table.plain_text import read_text
from core.samples.picture_files import DEEP

FORMAT = 4
OF_CLASS = ("dataset", "samples", "workers")  # what other kinds do not have
MOST_CHARACTERS = 2000


@dataclass(frozen=True)
class DataFacts:
    """A source of own data, the stamp of its file, and how the file is read. rows: what decides the
    part of each row, where the file says it."""

    source: Source
    stamp: Any
    layout: Mapping[str, Any] = field(default_factory=dict)
    rows: RowKeys | None = None


def read_own(data: Mapping[str, Any]) -> DataFacts | None:
    """Read the own data of a project and store its facts; None for another source.

    Raises DataError for data that is missing or cannot be used.
    """
    given = read_custom_source(data)
    if given is None:
        return None
    path = locate(given.path, given.key)
    if given.key != "root" and not path.is_file():
        raise DataError(
            f"{given.path} is a folder, but {given.kind} needs a file.",
            "Choose ImageFolder for a folder of pictures.",
        )
    _mark_as_read(path)
    found = _READERS[given.kind](given, path)
    _keep(given, path, found)
    return found


def read_known(given: CustomSource) -> DataFacts:
    """The stored facts of own data. Raises Unread if it was not read, or has changed since."""
    path = locate(given.path, given.key)
    place = _facts_file(given, path)
    try:
        kept = json.loads(place.read_text(encoding="utf-8"))
        fields: dict[str, Any] = {k: _plain(v) for k, v in kept["source"].items()}
        rows = row_keys.kept(place) if "split" in kept["layout"] else None
        facts = DataFacts(Source(**fields), kept["stamp"], kept["layout"], rows)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        raise Unread(
            f"{given.path} has not been read yet: opening a project does not read data.",
            "Press Read on the Data page.",
        ) from None
    if facts.stamp != _stamp(given, path):
        raise Unread(f"{given.path} has changed since it was read.", "Press Read on the Data page.")
    return facts


def _plain(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _stamp(given: CustomSource, path: Path) -> Any:
    if given.key == "root":
        return quick_stamp(path)
    found = path.stat()
    return [found.st_size, found.st_mtime_ns]


def _facts_file(given: CustomSource, path: Path) -> Path:
    settings = asdict(given)
    settings = {k: v for k, v in settings.items() if given.kind == KIND or k not in OF_CLASS}
    for key in ("split", "texts", "series", "ignore", "sound", *LABEL_KEYS):
        if not settings[key]:
            del settings[key]
    asked = [FORMAT, str(path), *settings.values()]
    return cache_folder() / f"facts-{hashlib.sha256(json.dumps(asked).encode()).hexdigest()[:24]}"


def was_read_before(given: CustomSource | None) -> bool:
    """Whether the user read this file or folder before, on this machine."""
    try:
        return given is not None and _read_marker(locate(given.path, given.key)).exists()
    except DataError:
        return False


def _read_marker(path: Path) -> Path:
    return cache_folder() / f"asked-{hashlib.sha256(str(path).encode()).hexdigest()[:24]}"


def _mark_as_read(path: Path) -> None:
    """Note that the user read it, even if that failed, so that the reason is shown."""
    with suppress(OSError):  # storing the facts raises for a folder that cannot be written
        _read_marker(path).parent.mkdir(parents=True, exist_ok=True)
        _read_marker(path).touch()


def _keep(given: CustomSource, path: Path, facts: DataFacts) -> None:
    place = _facts_file(given, path)
    kept = {"source": asdict(facts.source), "stamp": facts.stamp, "layout": dict(facts.layout)}
    text = json.dumps(kept)
    try:
        _make_cache()
        part = place.with_name(f".{place.name}.{os.getpid()}")
        part.write_text(text, encoding="utf-8")
        part.replace(place)
    except OSError as error:
        raise _unwritable(error) from error


def _unwritable(error: OSError) -> DataError:
    return DataError(
        f"{cache_folder()} cannot be written: {error.strerror}.",
        "Free some space, or start in a folder you may write to.",
    )


def _make_cache() -> None:
    cache_folder().mkdir(parents=True, exist_ok=True)
    (cache_folder().parent / ".gitignore").write_text("*\n", encoding="utf-8")


def _keep_keys(
    given: CustomSource, path: Path, keys: Sequence[object], labels: Sequence[int] | None
) -> None:
    """Store what decides the part of each row. Raises DataError."""
    try:
        _make_cache()
        row_keys.keep(_facts_file(given, path), keys, labels)
    except OSError as error:
        raise _unwritable(error) from error


def listing_of(given: CustomSource) -> Listing:
    """The pictures or sounds of a folder as they are now. Raises DataError."""
    if given.kind == SOUND_FOLDER:
        from core.data.sounds.folder import list_sounds

        gone = read_known(given).layout["left_out"]
        return list_sounds(locate(given.path, given.key), given.path, gone)
    if given.kind == "MaskFolder":
        return _list_masks(given, read_known(given))
    found = list_folder(locate(given.path, given.key), given.path)
    try:
        low, high = read_known(given).layout["bounds"]
    except (Unread, KeyError):
        return found
    return with_bounds(found, (low, high))


def _list_masks(given: CustomSource, known: DataFacts) -> Listing:
    """The pictures of a folder and their masks, whose classes are known."""
    from core.data.pictures.mask_folder import list_masks
    from core.data.pictures.mask_values import MaskCode

    code = MaskCode(tuple(known.layout["values"]), known.layout["by_index"])
    root, (low, high) = locate(given.path, given.key), known.layout["bounds"]
    return with_bounds(list_masks(root, given.path, known.source.classes, code), (low, high))


def with_bounds(listing: Listing, bounds: tuple[float, float]) -> Listing:
    """A listing with these values of black and white for pictures of more than 8 bits."""

    def relist() -> Listing:
        return replace(listing.relist(), bounds=bounds)

    return replace(listing, bounds=bounds, relist=relist)


def _pictures(given: CustomSource, path: Path) -> DataFacts:

    listing = list_folder(path, given.path)
    channels, height, width = usual_shape(listing, given.path)
    bounds = bounds_of(listing)
    source = Source(
        "ImageFolder",
        "files",
        "image",
        "pictures",
        (channels, height, width),
        len(listing.pictures),
        listing.classes,
        targets=("label", "input"),
        about=f"Pictures of {given.path}, a sub-folder for each class."
        f"{note_on_depth(bounds)}{note_on_duplicates(listing)}",
    )
    layout = {
        "counts": listing.counts,
        "inner": listing.inner,
        "bounds": bounds or DEEP,
        "plain": is_plain(listing),
        "notes": listing.notes,
    }
    layout |= _split_of_files(given, path, listing)
    return DataFacts(source, quick_stamp(path), layout)


def _split_of_files(given: CustomSource, path: Path, listing: Listing) -> dict[str, Any]:
    """What of the layout says how files in folders are split; keeps the key of each."""
    from core.data.table.split_column import facts_of

    if not given.split:
        return {}
    keys = series_of_all(listing, given)
    labels = None if listing.masks else [picture.label for picture in listing.pictures]
    _keep_keys(given, path, keys, labels)
    return {"split": facts_of(given.split[0], keys)}


def _masks(given: CustomSource, path: Path) -> DataFacts:
    """Pictures with masks. All masks are looked through, unless no file has changed since."""
    from core.data.facts.mask_source import mask_source
    from core.data.pictures.mask_folder import find_masks, list_masks, stamp_of
    from core.data.pictures.mask_values import MaskCode

    files = find_masks(path, given.path)
    listing = list_masks(path, given.path, (), MaskCode((), True))
    stamp = stamp_of(files, listing)
    with suppress(Unread):
        known = read_known(given)
        if known.layout.get("files") == stamp:
            return known
    source, layout = mask_source(files, listing, given)
    layout["files"] = stamp
    layout |= _split_of_files(given, path, listing)
    return DataFacts(source, quick_stamp(path), json.loads(json.dumps(layout)))


def _sounds(given: CustomSource, path: Path) -> DataFacts:
    """Sounds with a class each, by the headers of their files."""
    from core.data.sounds.folder import list_sounds, sound_facts

    source, layout, listing = sound_facts(list_sounds(path, given.path), given)
    layout |= _split_of_files(given, path, listing)
    return DataFacts(source, quick_stamp(path), json.loads(json.dumps(layout)))


def _table(given: CustomSource, path: Path) -> DataFacts:
    from core.data.table.arrays import note_on_duplicates
    from core.data.table.read import read_table
    from core.data.table.split_column import facts_of

    stamp = _stamp(given, path)
    table = read_table(path, given)
    inputs, answers = table.inputs(), table.answers()  # reads every cell: reports each fault
    told = table.answer
    equal = note_on_duplicates(inputs, answers, () if told.several else told.classes)
    whole, dropped = table.read.count, table.read.count - table.count
    out = f" {dropped:,} of {whole:,} rows are left out." if dropped else ""
    source = Source(
        "CSV",
        "files",
        "table",
        "rows",
        (len(table.features),),
        table.count,
        told.classes,
        target_name=told.name,
        columns=table.features,
        targets=told.targets,
        about=f"The table {given.path}.{out}{equal}",
    )
    columns = [asdict(column) for column in table.columns]
    layout = {
        **table.read.structure.layout(table.names),
        "columns": columns,
        **told.layout(),
        "decimal": table.read.decimal,
        "dropped": dropped,
        "copies": given.table.copies,
        "counts": _class_counts(answers, told.classes),
    }
    if table.split:
        keys = table.keys()
        layout["split"] = facts_of(table.mode, keys, table.split)
        one = bool(told.classes) and not told.several
        _keep_keys(given, path, keys, answers.astype(int).tolist() if one else None)
    return DataFacts(source, stamp, json.loads(json.dumps(layout)))


def _series(given: CustomSource, path: Path) -> DataFacts:
    from core.data.table.series import facts_of_series, read_series, usual_step
    from core.data.table.split_column import facts_of

    assert given.series is not None
    window, ahead = given.series.window, given.series.ahead
    stamp, table = _stamp(given, path), read_series(path, given)
    facts, structure = facts_of_series(table, window, ahead), table.read.structure
    source = Source(
        "SeriesCSV",
        "files",
        "series",
        f"windows of {window:,} rows",
        (window, len(table.columns)),
        len(facts.known),
        target_name=table.target.name,
        targets=("ahead",),
        about=" ".join((f"The table {given.path}, in time.", *facts.notes)),
        columns=tuple(column.name for column in table.columns),
        ahead=ahead,
        step=usual_step(facts.times) if table.date and table.date.date else 0.0,
    )
    times = facts.times.tolist()
    layout = {
        **structure.layout(table.names),
        "columns": [asdict(column) for column in table.columns],
        "target": asdict(table.target),
        "date": asdict(table.date) if table.date else None,
        "decimal": table.read.decimal,
        "notes": facts.notes,
        "split": {**facts_of("time", times), "window": (window, ahead)},
    }
    unknown = [0] * (len(times) - len(facts.known))
    _keep_keys(given, path, times, [*facts.known.astype(int).tolist(), *unknown])
    return DataFacts(source, stamp, json.loads(json.dumps(layout)))


def _arrays(given: CustomSource, path: Path) -> DataFacts:
    from core.data.table.arrays import note_on_duplicates, read_arrays
    from core.data.table.split_column import facts_of, keys_of_array

    stamp, arrays = _stamp(given, path), read_arrays(path, given)
    image = arrays.samples.ndim == 4
    equal = note_on_duplicates(arrays.samples, arrays.answers, arrays.classes)
    about = f"Arrays {' and '.join(arrays.names)} of {given.path}."
    source = Source(
        "NPZ",
        "files",
        "image" if image else "table",
        "pictures" if image else "rows",
        arrays.samples.shape[1:],
        len(arrays.samples),
        arrays.classes,
        target_name=arrays.names[1],
        targets=("label", "input", "mask") if image else ("label", "input"),
        about=f"{about}{equal}",
    )
    layout = {
        "names": list(arrays.names),
        "unit": arrays.unit,
        "swapped": arrays.swapped,
        "added": arrays.added,
        "all": arrays.every,
        "counts": _class_counts(arrays.answers, arrays.classes),
    }
    if given.split:
        keys = keys_of_array(path, given, len(arrays.samples))
        layout["split"] = {"array": given.split[1], **facts_of(given.split[0], keys)}
        _keep_keys(given, path, keys, arrays.answers.tolist() if arrays.classes else None)
    return DataFacts(source, stamp, layout)


def _samples(given: CustomSource, path: Path) -> DataFacts:
    from core.data.custom.custom_dataset import forget, read_dataset
    from core.data.table.arrays import note_on_duplicates

    forget()
    stamp, samples = _stamp(given, path), read_dataset(given)
    image, many = samples.inputs.dim() == 4, len(samples.inputs)
    about = f"The first {many:,} samples of {samples.name} in {given.path}, an IterableDataset."
    if not samples.streamed:
        about = f"{many:,} samples of {samples.name} in {given.path}, a Dataset."
    about += note_on_duplicates(samples.inputs.numpy(), samples.answers.numpy(), samples.classes)
    targets = ("label", "input", "mask") if image else ("label", "input")
    source = Source(
        KIND,
        "files",
        "image" if image else "table",
        "pictures" if image else "rows",
        tuple(samples.inputs.shape[1:]),
        many,
        samples.classes,
        target_name="target",
        targets=targets,
        about=about,
    )
    layout = {
        "class": samples.name,
        "named": samples.named,
        "streamed": samples.streamed,
        "text": samples.text,
        "unit": 1.0,
        "counts": _class_counts(samples.answers.numpy(), samples.classes),
    }
    return DataFacts(source, stamp, layout)


def _class_counts(answers: Any, classes: Sequence[str]) -> list[int]:
    """How many samples each class has; [] where answers are no classes."""
    if not classes or answers.ndim != 1:
        return []
    return [int((answers == number).sum()) for number in range(len(classes))]


def _letters(given: CustomSource, path: Path) -> DataFacts:
    stamp, text = _stamp(given, path), read_text(path, given.path)
    alphabet = "".join(sorted(set(text)))
    if len(text) < 1000 or len(alphabet) > MOST_CHARACTERS:
        raise DataError(
            f"{given.path} has {len(text)} characters, {len(alphabet)} different.",
            f"Use 1000 or more, at most {MOST_CHARACTERS} different.",
        )
    source = Source(
        "text",
        "files",
        "text",
        "characters",
        (),
        len(text),
        alphabet=alphabet,
        targets=("next", "masked"),
        windows=True,
        about=f"The text {given.path}, character by character.",
    )
    encoding = encoding_of(path, given.path)
    return DataFacts(source, stamp, {} if encoding == UTF8 else {"encoding": encoding})


def _texts(given: CustomSource, path: Path) -> DataFacts:
    from core.data.facts.text_facts import text_facts

    stamp, found = _stamp(given, path), text_facts(given, path)
    if given.split:
        _keep_keys(given, path, found.keys, found.labels)
    return DataFacts(found.source, stamp, json.loads(json.dumps(found.layout)))


def without_damaged(given: CustomSource, facts: DataFacts, shape: tuple[int, ...]) -> DataFacts:
    """The facts of a folder without its damaged pictures, where the cache has them."""
    if not given.skip_corrupt or len(shape) != 3:
        return facts
    listing = listing_of(given)
    found = find_cache(listing, listing.planes((shape[0], shape[1], shape[2])))
    if found is None:
        return facts
    rows = replace(facts.rows, gone=gone_of(listing, found.damaged)) if facts.rows else None
    return replace(facts, source=replace(facts.source, samples=found.rows), rows=rows)


def gone_of(listing: Listing, damaged: Sequence[str]) -> tuple[int, ...]:
    """Places of the damaged pictures of a folder."""
    names = {*damaged}
    return tuple(i for i, picture in enumerate(listing.pictures) if picture.name in names)


_READERS = {
    "ImageFolder": _pictures,
    "MaskFolder": _masks,
    SOUND_FOLDER: _sounds,
    "CSV": _table,
    "SeriesCSV": _series,
    "NPZ": _arrays,
    "text": _letters,
    "TextCSV": _texts,
    "TextFolder": _texts,
    KIND: _samples,
}
