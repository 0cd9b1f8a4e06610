"""How a rank ends: nothing of the process group is left that could abort its process on exit."""

from pathlib import Path

import pytest
import torch.distributed as dist

from core.worker.rank_environment import RankEnvironment, rendezvous_file
from core.worker.rank_worker import leave


@pytest.mark.parametrize("rank", [0, 1])
def test_a_rank_ends_its_process_group_and_the_first_removes_their_file(
    tmp_path: Path, rank: int
) -> None:
    environment = RankEnvironment(rank=rank, world=2, local=rank, rendezvous="1.0")
    file = rendezvous_file(tmp_path, environment)
    file.touch()
    store = dist.HashStore()  # pyright: ignore[reportPrivateImportUsage]
    dist.init_process_group("gloo", store=store, rank=0, world_size=1)
    leave(tmp_path, environment)
    assert not dist.is_initialized()
    assert file.exists() == (rank == 1)


def test_a_process_by_itself_has_nothing_to_leave(tmp_path: Path) -> None:
    leave(tmp_path, RankEnvironment())
