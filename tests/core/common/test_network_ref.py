"""References to networks are keys of caches and cross to worker processes."""

import pickle
from pathlib import Path

import pytest
from streamlit.runtime.caching.cache_type import CacheType
from streamlit.runtime.caching.hashing import update_hash

from core.common.network_ref import (
    CheckpointRef,
    DrawnRef,
    ImportedRef,
    Moment,
    NetworkRef,
    PartRef,
    ProjectRef,
    RunRef,
)

ALL: list[NetworkRef | Moment] = [
    RunRef(Path("runs/a b"), "1"),
    RunRef(Path("runs/a b"), "2"),
    RunRef(Path("runs/b"), "1"),
    CheckpointRef(Path("runs/a b"), "last", "1"),
    CheckpointRef(Path("runs/a b"), "epoch-000003", "1"),
    ProjectRef("{}"),
    PartRef("{}"),
    ImportedRef("{}", Path("a b.safetensors"), "1"),
    ImportedRef("{}", Path("a b.safetensors"), "2"),
    DrawnRef("{}", Path("runs/a b"), "1"),
    Moment(Path("runs/a b"), 3),
    Moment(Path("runs/a b"), None, "1"),
]


def streamlit_key(value: object) -> bytes:
    """The key that st.cache_data makes of an argument."""
    import hashlib

    hasher = hashlib.md5(usedforsecurity=False)
    update_hash(value, hasher, CacheType.DATA)
    return hasher.digest()


def test_each_reference_is_a_key_of_its_own() -> None:
    assert len(set(ALL)) == 12
    assert len({streamlit_key(ref) for ref in ALL}) == 12


@pytest.mark.parametrize("ref", ALL, ids=repr)
def test_a_copy_from_another_process_is_the_same_key(ref: NetworkRef) -> None:
    copy = pickle.loads(pickle.dumps(ref))
    assert copy is not ref
    assert (copy, hash(copy)) == (ref, hash(ref))
    assert streamlit_key(copy) == streamlit_key(ref)


def test_a_reference_without_a_drawing_of_its_own_names_the_folder_of_its_run() -> None:
    assert [type(ref).__name__ for ref in ALL if not hasattr(ref, "text")] == [
        "RunRef", "RunRef", "RunRef", "CheckpointRef", "CheckpointRef", "Moment", "Moment",
    ]  # fmt: skip
