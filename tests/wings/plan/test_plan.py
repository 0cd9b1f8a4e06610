"""A plan past one machine: rings, memory of each device, what fits and what would help."""

import pytest

from core.common.errors import TrainingError
from core.settings.step_settings import StepSettings
from core.wings.plan.links import LINKS, Interconnect, Ring, slowest
from core.wings.plan.memory import device_memory, largest_batch
from core.wings.plan.plan import Machines, Plan, communication_s, plan
from core.wings.plan.sizes import NetworkSizes, WeightSize
from core.wings.plan.step_time import StepTime

GB, MB = 1_000_000_000, 1_000_000
FAST = Interconnect("fast", "a fast link", 1 * GB, 0.001)
SMALL = NetworkSizes(
    weights=(
        WeightSize((10, 100), 4000, True, "stage1"),
        WeightSize((6, 100), 2400, True, "stage2"),
        WeightSize((100,), 400, False, ""),
    ),
    buffers=80,
    state=12_800,
    kept=1000,
    sample=500,
    temporary=100,
)
LARGE = NetworkSizes(
    (WeightSize((1000, 1_000_000), 4 * GB, True, ""),), 0, 8 * GB, 0, 10 * MB, 2 * MB
)
TIMES = StepTime("this CPU", ((8, 10.0), (64, 66.0)))


def machines(gpus: int, memory: int, count: int = 1, link: str = "pcie") -> Machines:
    return Machines(gpus, count, memory, LINKS[link], LINKS["ethernet"])


def made(sizes: NetworkSizes, given: Machines, batch: int = 64, accumulate: int = 1) -> Plan:
    return plan(sizes, TIMES, given, StepSettings(batch, accumulate), "float32")


def test_a_ring_passes_nearly_all_bytes_twice_to_reduce_and_once_to_gather() -> None:
    ring = Ring(4, FAST)
    assert ring.all_reduce_s(100 * MB) == pytest.approx(2 * (0.75 * 0.1 + 0.003))
    assert ring.all_gather_s(100 * MB) == pytest.approx(0.75 * 0.1 + 0.003)


def test_a_ring_through_machines_is_as_slow_as_its_slowest_link() -> None:
    assert slowest(LINKS["nvlink"], LINKS["ethernet"], 1).name == "nvlink"
    assert slowest(LINKS["nvlink"], LINKS["ethernet"], 2).name == "ethernet"
    assert slowest(LINKS["pcie"], LINKS["infiniband"], 2).name == "pcie"


def test_each_process_of_ddp_has_everything_and_room_to_add_in_order() -> None:
    memory = device_memory(SMALL, "ddp", 4, 2)
    assert (memory.weights, memory.gradients, memory.optimizer) == (6880, 6400, 12_800)
    assert memory.communication == 5 * 6400
    assert (memory.kept, memory.temporary) == (2000, 200)
    assert memory.total == 6880 + 6400 + 12_800 + 32_000 + 2200


def test_above_100_mb_ddp_adds_one_weight_at_a_time() -> None:
    assert device_memory(LARGE, "ddp", 8, 1).communication == 4 * GB


def test_fsdp_shards_rows_and_gathers_two_groups() -> None:
    memory = device_memory(SMALL, "fsdp", 4, 2)
    assert memory.weights == 3 * 400 + 2 * 400 + 25 * 4 + 80
    assert memory.gradients == 3 * 400 + 2 * 400
    assert memory.optimizer == 12_800 * 2000 // 6400
    assert memory.communication == 4000 + 2400 + 2 * 4000
    assert memory.whole == 6880
    assert memory.fixed == 2100 + 80 + 2000 + 4000 + 14_400 + 6880


def test_one_device_exchanges_nothing() -> None:
    assert device_memory(SMALL, "ddp", 1, 2).communication == 0
    assert communication_s(SMALL, "ddp", Ring(1, FAST)) == 0.0


def test_the_largest_batch_fills_the_device_and_no_more() -> None:
    usable = 100_000
    batch = largest_batch(SMALL, "ddp", 4, usable)
    assert batch == 68
    assert device_memory(SMALL, "ddp", 4, batch).total <= usable
    assert device_memory(SMALL, "ddp", 4, batch + 1).total > usable


def test_small_weights_are_gathered_and_large_ones_reduced() -> None:
    ring = Ring(4, Interconnect("free", "no latency", 1 * GB, 0.0))
    assert communication_s(SMALL, "ddp", ring) == pytest.approx(3 * 6400 / GB)
    assert communication_s(LARGE, "ddp", ring) == pytest.approx(2 * 0.75 * 4)
    assert communication_s(LARGE, "fsdp", ring) == pytest.approx(3 * 0.75 * 4)


def test_times_lie_on_the_line_through_what_was_measured() -> None:
    assert TIMES.at(8) == 10.0
    assert TIMES.at(36) == pytest.approx(38.0)
    assert TIMES.at(4) == pytest.approx(5.0)
    assert StepTime("a GPU, as given", ((64, 32.0),)).at(16) == pytest.approx(8.0)


def test_a_step_is_shared_and_its_speed_is_that_of_one_process_and_the_ring() -> None:
    found = made(SMALL, machines(8, GB))
    ddp, fsdp = found.ways
    assert (found.samples, found.batch, found.accumulate) == (64, 8, 8)
    assert found.single_ms == 66.0
    assert ddp.calculation_ms == 10.0
    assert ddp.communication_ms == pytest.approx(0.07, abs=0.01)
    assert ddp.speed_up == pytest.approx(66.0 / ddp.step_ms)
    assert ddp.fits
    assert fsdp.fits
    assert ddp.helps == ()


def test_a_batch_that_cannot_be_divided_is_refused() -> None:
    with pytest.raises(TrainingError, match="A batch of 30 samples cannot be divided among 8"):
        made(SMALL, machines(8, GB), batch=30)


def test_weights_that_do_not_fit_are_to_be_sharded() -> None:
    ddp, fsdp = made(LARGE, machines(8, 22 * GB, link="nvlink")).ways
    assert not ddp.fits
    assert ddp.helps[0] == (
        "Weights, gradients and optimizer state do not fit on one GPU: shard them with "
        "--sharding fsdp."
    )
    assert fsdp.fits


def test_a_batch_that_does_not_fit_is_to_be_accumulated() -> None:
    hungry = NetworkSizes(SMALL.weights, 0, 12_800, 0, 100 * MB, 20 * MB)
    (way,) = made(hungry, machines(1, 2 * GB)).ways
    assert (way.fits, way.largest_batch) == (False, 14)
    assert way.helps[0] == (
        "Set batch_size to 8 and accumulate to 8: the same 64 samples per step in smaller batches."
    )
    assert way.helps[1].startswith("Set precision to bfloat16")
    assert "torch.utils.checkpoint" in way.helps[2]


def test_a_sample_that_does_not_fit_needs_another_gpu() -> None:
    hungry = NetworkSizes(SMALL.weights, 0, 12_800, 0, 3 * GB, 0)
    (way,) = made(hungry, machines(1, 2 * GB)).ways
    assert way.helps[0].startswith("One sample does not fit")


def test_communication_that_takes_most_of_a_step_is_noted() -> None:
    ddp, _ = made(LARGE, machines(8, 80 * GB, 2, "nvlink"), batch=128).ways
    assert ddp.helps[-1].startswith("Communication takes 100 % of a step over 10 Gb Ethernet")
