"""A folder of sounds, a sub-folder for each class: which files, and what is read of them.

Training scripts hold `sound_files` word for word.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import ceil, prod
from pathlib import Path
from typing import Any

import numpy as np

from core.common.errors import DataError
from core.data.pictures.folder import DAMAGED_HINT, Listing, Picture, files_below
from core.data.pictures.layout import SOUNDS, lay_out
from core.data.sources.custom_source import CustomSource
from core.data.sources.paths import check_file
from core.data.sources.sound_settings import (
    FORMS,
    SHORTEST,
    USUAL_LONGEST,
    USUAL_RATE,
    SoundSettings,
)
from core.data.sources.source import SOUND_FOLDER, Source

MOST_BYTES = 4 << 30
"""Of all sounds together, as memory holds them."""
USUAL_SHARE = 0.95
"""Of the files, which are no longer than the usual length."""
STEP, MOST_FRAMES = 0.01, 256
"""Seconds from one frame of a spectrogram to the next; more where it would have more frames."""
NAMED = 3


@dataclass(frozen=True)
class Header:
    """What the header of a sound states."""

    rate: int
    samples: int
    channels: int

    @property
    def seconds(self) -> float:
        return self.samples / self.rate


def sound_files(folder: str, classes: list[str]) -> list[tuple[Path, int]]:
    """The sounds in the folders of classes by name, and the number of the class."""
    found: list[tuple[Path, int]] = []
    for label, name in enumerate(classes):
        top = Path(folder, name)
        inside = sorted(path.relative_to(top).as_posix() for path in top.rglob("*"))
        for inner in inside:
            hidden = any(part[0] in ".@_$" for part in inner.split("/"))
            if not hidden and inner.lower().endswith((".wav", ".flac", ".ogg", ".oga")):
                found.append((top / inner, label))
    return found


def list_sounds(root: Path, name: str, left_out: Sequence[str] = ()) -> Listing:
    """List a folder without opening a sound. left_out: by their paths in it.

    Raises DataError for what cannot be learned from.
    """
    if not root.is_dir():
        raise DataError(
            f"{name} is a file, but {SOUND_FOLDER} needs a folder.",
            "Choose the folder that has one sub-folder for each class.",
        )
    names = [file for file in files_below(root, name) if not SOUNDS.is_one(file) or _seen(file)]
    layout = lay_out(names, name.rsplit("/", 1)[-1], SOUNDS)
    found, gone = list[Picture](), {*left_out}
    for path, label in sound_files(str(root / layout.inner), list(layout.classes)):
        inner = path.relative_to(root).as_posix()
        status = check_file(path, f"{name}/{inner}")
        if inner not in gone:
            found.append(Picture(inner, label, status.st_size, status.st_mtime_ns))
    relist = partial(list_sounds, root, name, left_out)
    return Listing(
        root, layout.classes, tuple(found), relist, DAMAGED_HINT, (), layout.inner, layout.notes
    )


def _seen(name: str) -> bool:
    return not any(part[0] in ".@_$" for part in name.split("/"))


def sound_facts(listing: Listing, given: CustomSource) -> tuple[Source, dict[str, Any], Listing]:
    """The source, its layout, and the sounds that can be read, all from the files' headers.

    Where damaged files are skipped, each is read whole. Raises DataError naming those.
    """
    assert given.sound is not None
    headers, faults = _headers(listing)
    _refuse(faults, listing, given)
    how = how_of(given.sound, list(headers.values()))
    if given.skip_corrupt:
        faults = [*faults, *_unreadable(listing, headers, how)]
        _refuse(faults, listing, given)
        headers = {name: h for name, h in headers.items() if name not in dict(faults)}
    kept = tuple(picture for picture in listing.pictures if picture.name in headers)
    used = replace(listing, pictures=kept)
    _check_classes(used, given)
    shape = shape_of(how)
    check_size(len(kept), shape, given.path)
    notes = (*listing.notes, *_notes(list(headers.values()), how, given.sound, len(faults)))
    source = Source(
        SOUND_FOLDER,
        "files",
        "image" if how["mels"] else "wave",
        "sounds",
        shape,
        len(kept),
        listing.classes,
        targets=("label", "input") if how["mels"] else ("label",),
        about=f"Sounds of {given.path}, a sub-folder for each class. {_about(how)}",
    )
    layout = {
        "sound": how,
        "counts": used.counts,
        "inner": listing.inner,
        "left_out": [name for name, _ in faults],
        "notes": notes,
        "unit": 1.0,
    }
    return source, layout, used


def how_of(settings: SoundSettings, headers: Sequence[Header]) -> dict[str, Any]:
    """How each sound is read, as `sound_values` takes it."""
    usual = Counter(header.rate for header in headers).most_common(1)[0][0]
    rate = settings.rate or min(usual, USUAL_RATE)
    seconds = settings.seconds or _usual_seconds([header.seconds for header in headers])
    samples = round(rate * seconds)
    if settings.form != FORMS[0]:
        return {"rate": rate, "samples": samples, "mels": 0, "window": 0, "hop": 0}
    return spectrogram_of(rate, samples, settings.mels)


def spectrogram_of(rate: int, samples: int, mels: int) -> dict[str, Any]:
    """How a spectrogram of a wave is read."""
    hop = max(round(rate * STEP), ceil(samples / MOST_FRAMES))
    window = max(2 * round(rate * 0.0125), 2 * hop)
    return {"rate": rate, "samples": samples, "mels": mels, "window": window, "hop": hop}


def _usual_seconds(lengths: Sequence[float]) -> float:
    """A length that most do not exceed, in hundredths of a second."""
    ordered = sorted(lengths)
    most = ordered[ceil(USUAL_SHARE * len(ordered)) - 1]
    return min(max(ceil(round(most * 100, 6)) / 100, SHORTEST), USUAL_LONGEST)


def shape_of(how: Mapping[str, Any]) -> tuple[int, ...]:
    """The shape of one sound: (1, samples), or (1, mels, frames)."""
    if not how["mels"]:
        return 1, how["samples"]
    return 1, how["mels"], how["samples"] // how["hop"] + 1


def check_size(count: int, shape: Sequence[int], name: str) -> None:
    """Refuse more sounds than memory should hold. Raises DataError."""
    size = 4 * count * prod(shape)
    if size > MOST_BYTES:
        raise DataError(
            f"The {count:,} sounds of {name} need {size / 1e9:,.1f} GB of memory, more than "
            f"{MOST_BYTES / 1e9:,.1f}.",
            "Set fewer seconds or a lower rate, or read them as spectrograms.",
        )


def values_of(listing: Listing, how: Mapping[str, Any], name: str) -> np.ndarray:
    """All sounds, (S, *shape). Raises DataError naming those that cannot be read."""
    check_size(len(listing.pictures), shape_of(how), name)
    found = np.empty((len(listing.pictures), *shape_of(how)), np.float32)
    faults: list[tuple[str, str]] = []
    for row, picture in enumerate(listing.pictures):
        for value in _read(listing, picture, how, faults):
            found[row] = value
    if faults:
        raise _fault(faults, len(listing.pictures), DAMAGED_HINT)
    return found


def _headers(listing: Listing) -> tuple[dict[str, Header], list[tuple[str, str]]]:
    """The headers of all sounds, and why others cannot be read."""
    from core.samples.sounds import sound_header

    found, faults = dict[str, Header](), list[tuple[str, str]]()
    for picture in listing.pictures:
        try:
            found[picture.name] = Header(*sound_header(listing.root / picture.name))
        except ValueError as error:
            faults.append((picture.name, str(error)))
    return found, faults


def _unreadable(
    listing: Listing, headers: Mapping[str, Header], how: Mapping[str, Any]
) -> list[tuple[str, str]]:
    """The sounds whose header is right, but not what follows it."""
    faults: list[tuple[str, str]] = []
    for picture in listing.pictures:
        if picture.name in headers:
            for _ in _read(listing, picture, how, faults):
                pass
    return faults


def _read(
    listing: Listing, picture: Picture, how: Mapping[str, Any], faults: list[tuple[str, str]]
) -> Iterator[np.ndarray]:
    """The values of a sound; a fault more where it has none."""
    from core.samples.sounds import sound_values

    try:
        yield sound_values(listing.root / picture.name, how)
    except ValueError as error:
        faults.append((picture.name, str(error)))


def _refuse(faults: Sequence[tuple[str, str]], listing: Listing, given: CustomSource) -> None:
    """Raises DataError for sounds that cannot be read, unless they are skipped."""
    if faults and (not given.skip_corrupt or len(faults) == len(listing.pictures)):
        raise _fault(faults, len(listing.pictures), DAMAGED_HINT)


def _fault(faults: Sequence[tuple[str, str]], count: int, hint: str) -> DataError:
    names = [name for name, _ in faults]
    more = f" and {len(names) - NAMED:,} more" if len(names) > NAMED else ""
    name, why = faults[0]
    if count == 1 or len(names) == 1:
        return DataError(f"{name} {why}.", hint)
    listed = f"{', '.join(names[:NAMED])}{more}"
    return DataError(
        f"{len(names):,} of {count:,} sounds cannot be read: {listed}. {name} {why}.", hint
    )


def _check_classes(listing: Listing, given: CustomSource) -> None:
    """Raises DataError for a class of which no sound can be read."""
    for name, count in zip(listing.classes, listing.counts, strict=True):
        if not count:
            raise DataError(
                f"No sound of the class {name} of {given.path} can be read.",
                "Repair its files, or delete the folder.",
            )


def _about(how: Mapping[str, Any]) -> str:
    length = f"{how['samples'] / how['rate']:g} seconds at {how['rate']:,} samples a second"
    if not how["mels"]:
        return f"Each is read as a wave of {length}."
    step = 1000 * how["hop"] / how["rate"]
    return (
        f"Each is read as a spectrogram of {length}: the loudness of {how['mels']} bands of pitch "
        f"(mel), every {step:g} ms, from 0 (-80 dB) to 1 (0 dB)."
    )


def _notes(
    headers: Sequence[Header], how: Mapping[str, Any], settings: SoundSettings, gone: int
) -> list[str]:
    """What is done to sounds that are not alike, a sentence each."""
    rate, seconds, count = how["rate"], how["samples"] / how["rate"], len(headers)
    notes = [f"Left out: {gone:,} sounds that cannot be read."] if gone else []
    others = Counter(header.rate for header in headers if header.rate != rate)
    if others:
        named = ", ".join(f"{each:,}" for each in sorted(others))
        notes.append(
            f"Resampled to {rate:,} samples a second: {others.total():,} of {count:,} sounds "
            f"({named})."
        )
    tiny = 1 / rate
    found = {
        f"Cut off after {seconds:g} s": sum(h.seconds > seconds + tiny for h in headers),
        f"Followed by silence up to {seconds:g} s": sum(
            h.seconds < seconds - tiny for h in headers
        ),
        "Channels averaged": sum(h.channels > 1 for h in headers),
    }
    return [*notes, *(f"{what}: {n:,} of {count:,} sounds." for what, n in found.items() if n)]
