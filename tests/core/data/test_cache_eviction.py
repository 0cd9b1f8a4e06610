"""Decoded pictures keep within a limit: what was used longest ago goes, never what is in use."""

import errno
import os
import threading
import time
from collections import namedtuple
from pathlib import Path
from typing import Any

import pytest
import torch

from core.data import DataError, load
from core.data.facts.metadata import listing_of, read_own
from core.data.pictures import cache_eviction
from core.data.pictures.cache import PictureCache, find_cache, folder_of
from core.data.pictures.decoding import decode_pictures
from core.data.sources.custom_source import read_custom_source
from core.data.sources.paths import cache_folder
from tests.core.data.own_sets import write_pictures

SHAPE = (3, 4, 4)
BYTES = 6 * 3 * 4 * 4  # of the pixels of one cache: six pictures


@pytest.fixture
def caches(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> list[PictureCache]:
    """Three caches, the first used longest ago, with room for just these three."""
    found = [made(workspace, name) for name in "abc"]
    whole = sum(cache.size for cache in cache_eviction.cache_entries())
    assert 3 * BYTES < whole < 3 * (BYTES + 400)  # with the notes beside the pixels
    monkeypatch.setattr(cache_eviction, "LIMIT_BYTES", whole + BYTES // 2)
    for hours, cache in zip((3, 2, 1), found, strict=True):
        used(cache.folder, hours)
    return found


def made(workspace: Path, name: str, shape: tuple[int, int, int] = SHAPE) -> PictureCache:
    given = read_custom_source(source(workspace, name))
    assert given is not None
    return decode_pictures(listing_of(given), shape, False)


def source(workspace: Path, name: str) -> dict[str, str]:
    if not (workspace / "data" / name).exists():
        write_pictures(workspace / "data" / name, 2)
    return {"source": "ImageFolder", "root": f"data/{name}"}


def used(folder: Path, hours: float) -> None:
    """Let a cache have been used last so many hours ago."""
    at = time.time() - 3600 * hours
    os.utime(folder / "lock", (at, at))


def there(caches: list[PictureCache]) -> list[bool]:
    return [cache.pixels.is_file() for cache in caches]


def test_the_limit_is_20_gib():
    assert cache_eviction.LIMIT_BYTES == 21_474_836_480


def test_what_was_used_longest_ago_makes_room(workspace: Path, caches: list[PictureCache]):
    new = made(workspace, "d")
    assert there([*caches, new]) == [False, True, True, True]
    assert sorted(p.name for p in cache_folder().iterdir() if p.is_dir()) == sorted(
        cache.folder.name for cache in (*caches[1:], new)
    )
    used(new.folder, 0.5)
    assert there([made(workspace, "a"), *caches[1:], new]) == [True, False, True, True]


def test_a_use_is_what_counts_rather_than_the_making(workspace: Path, caches: list[PictureCache]):
    read_own(source(workspace, "a"))
    load(source(workspace, "a"), SHAPE, (3,))
    made(workspace, "d")
    assert there(caches) == [True, False, True]


def test_what_a_run_reads_stays_and_the_next_goes(workspace: Path, caches: list[PictureCache]):
    read_own(source(workspace, "a"))
    data = load(source(workspace, "a"), SHAPE, (3,))
    used(caches[0].folder, 99)
    made(workspace, "d")
    assert there(caches) == [True, False, True]
    before = data.inputs[torch.arange(6)]
    del data
    made(workspace, "e")
    assert there(caches) == [False, False, True]
    assert before.shape == (6, 3, 4, 4)


def test_where_all_are_in_use_more_than_the_limit_is_kept(
    workspace: Path, caches: list[PictureCache]
):
    held = [cache_eviction.hold(cache.folder) for cache in caches]
    new = made(workspace, "d")
    assert there([*caches, new]) == [True] * 4
    for lock in held:
        assert lock is not None
        lock.close()


def test_one_that_is_larger_than_the_limit_stands_alone(
    workspace: Path, caches: list[PictureCache], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(cache_eviction, "LIMIT_BYTES", 10)
    new = made(workspace, "d")
    assert there([*caches, new]) == [False, False, False, True]


def test_a_disk_that_is_full_is_freed_of_old_ones_before_there_is_an_error(
    workspace: Path, caches: list[PictureCache], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(cache_eviction, "LIMIT_BYTES", 1 << 40)
    full = cache_eviction.SPARE_BYTES + BYTES - 1

    def free() -> int:
        return full + (not caches[0].folder.exists())

    monkeypatch.setattr(cache_eviction, "free_bytes", free)
    monkeypatch.setattr("core.data.pictures.decoding.free_bytes", free)
    made(workspace, "d")
    assert there(caches) == [False, True, True]
    full -= 10
    with pytest.raises(DataError, match="The decoded pictures need 0 MB but 268 MB are free"):
        made(workspace, "e")


def test_what_would_not_fit_even_alone_throws_nothing_away(
    workspace: Path, caches: list[PictureCache], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(cache_eviction, "free_bytes", lambda: 1000)
    monkeypatch.setattr("core.data.pictures.decoding.free_bytes", lambda: 1000)
    with pytest.raises(DataError, match="The decoded pictures need 0 MB but 0 MB are free"):
        made(workspace, "d")
    assert there(caches) == [True] * 3


def test_what_is_decoded_already_needs_no_room_again(
    workspace: Path, caches: list[PictureCache], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(cache_eviction, "LIMIT_BYTES", 1 << 40)
    monkeypatch.setattr(
        cache_eviction, "free_bytes", lambda: cache_eviction.SPARE_BYTES + BYTES - 100
    )
    cache_eviction.make_room(cache_folder() / ("d" * 24), BYTES, done=100)
    assert there(caches) == [True] * 3
    cache_eviction.make_room(cache_folder() / ("d" * 24), BYTES, done=99)
    assert there(caches) == [False] * 3


@pytest.mark.parametrize("number", [errno.EACCES, errno.EROFS])
def test_a_cache_in_a_workspace_that_may_only_be_read_is_used(
    workspace: Path, caches: list[PictureCache], monkeypatch: pytest.MonkeyPatch, number: int
):
    opened = Path.open

    def refuse(self: Path, mode: str = "r", *more: Any, **others: Any) -> Any:
        if {"a", "w", "+"} & set(mode):
            raise OSError(number, os.strerror(number), str(self))
        return opened(self, mode, *more, **others)

    def refuse_time(*_: Any) -> None:
        raise OSError(number, os.strerror(number))

    read_own(source(workspace, "a"))
    monkeypatch.setattr(Path, "open", refuse)
    monkeypatch.setattr(os, "utime", refuse_time)
    data = load(source(workspace, "a"), SHAPE, (3,))
    assert data.inputs[torch.arange(6)].shape == (6, 3, 4, 4)


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("meta.json", '{"rows": 6, "damaged": [], "shape": 5}'),
        ("meta.json", '{"rows": 1e999, "damaged": [], "shape": [3, 4, 4]}'),
        ("meta.json", "[" * 100_000),
        ("progress.json", '{"done": 700, "damaged": []}'),
    ],
)
def test_a_cache_whose_notes_are_not_ours_is_made_again(
    workspace: Path, caches: list[PictureCache], file: str, text: str
):
    folder = caches[0].folder
    wanted = (folder / "pixels.u8").read_bytes()
    for note in ("meta.json", "progress.json"):
        (folder / note).unlink(missing_ok=True)
    (folder / "pixels.part").write_bytes(b"0" * 700 * 48)
    (folder / file).write_text(text)
    assert made(workspace, "a") == caches[0]
    assert (folder / "pixels.u8").read_bytes() == wanted


def test_what_else_lies_in_the_folder_is_left_alone(
    workspace: Path, caches: list[PictureCache], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(cache_eviction, "LIMIT_BYTES", 10)
    mine = cache_folder() / "mine"
    mine.mkdir()
    (cache_folder() / "facts-0").write_text("{}")
    outside = workspace / "outside"
    outside.mkdir()
    (outside / "kept").write_text("kept")
    (cache_folder() / ("0" * 24)).symlink_to(outside)
    made(workspace, "d")
    assert there(caches) == [False] * 3
    assert mine.is_dir()
    assert (cache_folder() / "facts-0").exists()
    assert (outside / "kept").read_text() == "kept"


def test_what_somebody_who_was_ended_left_is_swept(workspace: Path, caches: list[PictureCache]):
    left = cache_folder() / f".gone-{'0' * 24}-1"
    left.mkdir()
    (left / "pixels.u8").write_bytes(b"0" * 100)
    made(workspace, "d")
    assert not left.exists()


def test_one_that_cannot_be_moved_stays(
    workspace: Path, caches: list[PictureCache], monkeypatch: pytest.MonkeyPatch
):
    def refuse(self: Path, target: Path) -> Path:
        raise OSError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(Path, "rename", refuse)
    made(workspace, "d")
    assert there(caches) == [True] * 3


def test_whoever_waits_for_one_that_is_thrown_away_makes_it_again(
    workspace: Path, caches: list[PictureCache], monkeypatch: pytest.MonkeyPatch
):
    """The lock that was waited for is then that of a folder which is no longer there."""
    folder = caches[0].folder
    (folder / "meta.json").unlink()  # so that it has to be made
    maker = cache_eviction.hold(folder)  # as if another process had it
    assert maker is not None
    heard = threading.Event()
    found: list[PictureCache] = []
    given = read_custom_source(source(workspace, "a"))
    assert given is not None
    listing = listing_of(given)

    def wait_and_make() -> None:
        found.append(decode_pictures(listing, SHAPE, False, lambda *_: heard.set()))

    waits = threading.Thread(target=wait_and_make)
    waits.start()
    assert heard.wait(600)
    folder.rename(folder.with_name(".gone-meanwhile"))
    maker.close()
    waits.join(60)
    assert found == [find_cache(listing, SHAPE)]
    assert found[0].folder == folder_of(listing, SHAPE)


Usage = namedtuple("Usage", "f_bavail f_frsize")


def test_free_is_what_anybody_may_use(workspace: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(os, "statvfs", lambda _: Usage(3, 4096))
    assert cache_eviction.free_bytes() == 12_288
