"""A damaged checkpoint is refused and the one before it offered."""

import random
import zipfile
from pathlib import Path

import pytest
import torch

from core.common.errors import CheckpointError
from core.runs import checkpoint
from core.runs import checkpoint_records as records


def saved(tmp_path: Path) -> Path:
    (tmp_path / "ckpt").mkdir()
    for step in (7, 14):
        state = {"model": {"w": torch.full((50,), float(step))}, "epoch": 1, "step": step}
        checkpoint.save(tmp_path, "last", state)
    return tmp_path


def test_the_last_two_checkpoints_are_kept(tmp_path: Path) -> None:
    run_dir = saved(tmp_path)
    assert checkpoint.load(run_dir, "last")["step"] == 14
    assert checkpoint.load(run_dir, "previous")["step"] == 7
    assert checkpoint.intact(run_dir) == ["last", "previous"]


@pytest.mark.gate
def test_every_flipped_bit_and_every_cut_is_refused_and_the_previous_one_offered(
    tmp_path: Path,
) -> None:
    run_dir = saved(tmp_path)
    path = run_dir / "ckpt" / "last.pt"
    whole = path.read_bytes()
    rng = random.Random(0)
    for _ in range(300):
        broken = bytearray(whole)
        broken[rng.randrange(len(whole))] ^= 1 << rng.randrange(8)
        path.write_bytes(broken)
        with pytest.raises(CheckpointError, match=r"damaged.*Use the previous.*step 7"):
            checkpoint.verify(run_dir, "last")
    for part in range(20):
        path.write_bytes(whole[: len(whole) * part // 20])
        with pytest.raises(CheckpointError, match=r"damaged.*Use the previous.*step 7"):
            checkpoint.load(run_dir, "last")
    path.write_bytes(whole)
    assert checkpoint.load(run_dir, "last")["step"] == 14


def test_a_checkpoint_that_was_never_written_here_is_refused(tmp_path: Path) -> None:
    run_dir = saved(tmp_path)
    torch.save({"model": {}, "epoch": 0, "step": 0}, run_dir / "ckpt" / "last.pt")
    with pytest.raises(CheckpointError, match="damaged"):
        checkpoint.load(run_dir, "last")


def test_code_in_a_checkpoint_does_not_run_even_under_the_right_hash(tmp_path: Path) -> None:
    run_dir = saved(tmp_path)

    class Trap:
        def __reduce__(self) -> tuple[object, tuple[str]]:
            return (Path.touch, (Path(tmp_path / "sprung"),))  # type: ignore[return-value]

    state = {"model": Trap(), "epoch": 0, "step": 0}
    checkpoint.save(run_dir, "last", state)
    with pytest.raises(CheckpointError, match="cannot be read"):
        checkpoint.load(run_dir, "last")
    assert not (tmp_path / "sprung").exists()


def test_a_compressed_checkpoint_is_refused(tmp_path: Path) -> None:
    run_dir = saved(tmp_path)
    plain, packed = run_dir / "ckpt" / "last.pt", run_dir / "packed"
    with zipfile.ZipFile(plain) as old, zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            new.writestr(name, old.read(name))
    packed.replace(plain)
    entry = checkpoint.entry_of(plain, "last", {"epoch": 0, "step": 1})
    records.confirm(run_dir / "ckpt", entry)
    with pytest.raises(CheckpointError, match="compressed"):
        checkpoint.load(run_dir, "last")


STEPS_OF_SAVING = [(checkpoint, name) for name in (
    "_write", "_put_in_place", "_keep_previous", "sync_folder", "hash_of", "_entry_in_place",
)] + [(records, name) for name in ("announce", "confirm", "write_json")]  # fmt: skip


@pytest.mark.parametrize("crash", range(9))
def test_a_crash_at_any_moment_of_saving_leaves_a_good_last_checkpoint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, crash: int
) -> None:
    run_dir = saved(tmp_path)

    def die(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(*STEPS_OF_SAVING[crash], die)
    state = {"model": {"w": torch.zeros(50)}, "epoch": 2, "step": 21}
    with pytest.raises(KeyboardInterrupt):
        checkpoint.save(run_dir, "last", state)
    monkeypatch.undo()
    assert checkpoint.load(run_dir, "last")["step"] in (14, 21)
    checkpoint.save(run_dir, "last", {"model": {"w": torch.ones(50)}, "epoch": 3, "step": 28})
    assert checkpoint.load(run_dir, "last")["step"] == 28
    assert checkpoint.load(run_dir, "previous")["step"] in (14, 21)


def test_a_missing_checkpoint_says_what_there_is(tmp_path: Path) -> None:
    run_dir = saved(tmp_path)
    with pytest.raises(CheckpointError, match="There is no best checkpoint"):
        checkpoint.load(run_dir, "best")
    with pytest.raises(CheckpointError, match=r"no checkpoint called '\.\./spec'"):
        checkpoint.load(run_dir, "../spec")


WEIGHTS = {"w": torch.ones(3)}


@pytest.mark.parametrize(
    ("changed", "fault"),
    [
        ({"model": None}, "its model is None, not weights by name"),
        ({"model": [1, 2]}, "its model is list, not weights by name"),
        ({"model": {1: torch.ones(1)}}, "its model is dict, not weights by name"),
        ({"model": {"w": 3}}, "w is 3, not a tensor"),
        ({"ema": "no"}, "its ema is 'no', not weights by name"),
        ({"step": -7}, "its step is -7, not a whole number"),
        ({"epoch": -1}, "its epoch is -1, not a whole number"),
        (
            {"model": {"w": torch.zeros(1).expand(10**12)}},
            "it has a tensor of (1000000000000,) that is stored in fewer bytes",
        ),
        (
            {"optimiser": [{"state": (torch.zeros(1).expand(10**12),)}]},
            "it has a tensor of (1000000000000,) that is stored in fewer bytes",
        ),
        (
            {"model": {"w": torch.ones(3).to_sparse()}},
            "it has a tensor that is not stored as plain numbers",
        ),
    ],
)
def test_a_checkpoint_of_other_content_is_refused_in_words(
    tmp_path: Path, changed: dict[str, object], fault: str
) -> None:
    (tmp_path / "ckpt").mkdir()
    checkpoint.save(tmp_path, "last", {"model": WEIGHTS, "epoch": 1, "step": 7, **changed})
    with pytest.raises(CheckpointError) as refused:
        checkpoint.load(tmp_path, "last")
    assert refused.value.message == (f"The last checkpoint is not a valid checkpoint: {fault}.")


def test_weights_that_share_their_numbers_are_loaded(tmp_path: Path) -> None:
    (tmp_path / "ckpt").mkdir()
    places = torch.arange(8).expand(4, -1)
    state = {"model": {"a": WEIGHTS["w"], "b": WEIGHTS["w"], "places": places}}
    checkpoint.save(tmp_path, "last", {**state, "epoch": 1, "step": 7})
    assert checkpoint.load(tmp_path, "last")["model"]["places"].shape == (4, 8)


def test_a_damaged_checkpoint_that_a_manifest_vouches_for_is_read_or_refused(
    tmp_path: Path,
) -> None:
    run_dir = saved(tmp_path)
    path = run_dir / "ckpt" / "last.pt"
    whole, rng, refused = path.read_bytes(), random.Random(5), 0
    for _ in range(60):
        broken = bytearray(whole)
        broken[rng.randrange(len(whole))] = rng.randrange(256)
        path.write_bytes(broken)
        records.confirm(path.parent, checkpoint.entry_of(path, "last", {"epoch": 1, "step": 14}))
        try:
            checkpoint.load(run_dir, "last")
        except CheckpointError:
            refused += 1
    assert refused > 5
