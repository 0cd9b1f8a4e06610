"""What a recording that fails leaves behind, and what keeps a step from being recorded at all."""

from contextlib import contextmanager, nullcontext
from typing import Any

import pytest
import torch

from core.engine.cuda_graph import cuda_graph
from tests.core.small_runs import project
from tests.gpu.engines import engine
from tests.gpu.tape import taped

POOL = (0, 7)
LSTM = {
    "nodes": {
        "rows": {"block": "Input", "settings": {"shape": [8, 8]}},
        "lstm": {
            "block": "LSTM",
            "settings": {"hidden_size": 4, "num_layers": 2, "dropout": 0.5, "batch_first": True},
        },
        "flat": {"block": "flatten", "settings": {"start_dim": 1}},
        "fc1": {"block": "Linear", "settings": {"out_features": 10}},
        "logits": {"block": "Output"},
    },
    "edges": ["rows -> lstm", "lstm -> flat", "flat -> fc1", "fc1 -> logits"],
}


class Stream:
    def wait_stream(self, other: "Stream") -> None: ...


class Generator:
    state = "counts for the recording"

    def clone_state(self) -> str:
        return "a copy"

    def graphsafe_set_state(self, state: str) -> None:
        self.state = state


class Fake:
    """torch.cuda as far as a recording asks it. ended: what ending it for the allocator raises."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, ended: Exception | None) -> None:
        self.calls = list[Any]()
        self.generator, self.here = Generator(), Stream()
        cuda = {
            "current_stream": lambda: self.here,
            "Stream": Stream,
            "stream": lambda _: nullcontext(),
            "CUDAGraph": lambda: self,
            "graph_pool_handle": lambda: POOL,
            "graph": self.graph,
            "set_stream": lambda stream: self.calls.append(("stream", stream)),
            "current_device": lambda: 0,
            "default_generators": (self.generator,),
            "get_sync_debug_mode": lambda: 0,
            "set_sync_debug_mode": lambda _: None,
        }
        for name, value in cuda.items():
            monkeypatch.setattr(torch.cuda, name, value)
        for name in ("_cuda_endAllocateToPool", "_cuda_releasePool"):
            monkeypatch.setattr(torch._C, name, self.noting(name, ended), raising=False)

    def noting(self, name: str, ended: Exception | None) -> Any:
        def call(device: int, pool: Any) -> None:
            self.calls.append((name, device, pool))
            if ended:
                raise ended

        return call

    def reset(self) -> None:
        self.calls.append("reset")

    @contextmanager
    def graph(self, graph: Any, pool: Any) -> Any:
        assert graph is self
        assert pool == POOL
        try:
            yield
        finally:
            raise RuntimeError("operation failed due to a previous error during capture")


def given_up(monkeypatch: pytest.MonkeyPatch, ended: Exception | None) -> Fake:
    """Record something that fails when it is recorded, after three goes that did not."""
    fake, goes = Fake(monkeypatch, ended), list[int]()

    def body() -> None:
        goes.append(len(goes))
        if len(goes) > 3:
            raise ValueError("no kernel for this")

    with pytest.raises(ValueError, match="no kernel for this"):
        cuda_graph(body)
    assert goes == [0, 1, 2, 3]
    assert fake.generator.state == "a copy"
    assert fake.calls[:2] == [("stream", fake.here), "reset"]
    return fake


def test_a_recording_that_fails_gives_its_memory_back(monkeypatch: pytest.MonkeyPatch) -> None:
    """Torch 2.11 would hold it to be under way: nothing is freed then, whatever runs out."""
    fake = given_up(monkeypatch, None)
    assert fake.calls[2:] == [
        ("_cuda_endAllocateToPool", 0, POOL),
        ("_cuda_releasePool", 0, POOL),
    ]


def test_memory_that_torch_gave_back_itself_is_not_given_back_twice(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    fake = given_up(monkeypatch, RuntimeError("not currently recording to mempool_id"))
    assert fake.calls[2:] == [("_cuda_endAllocateToPool", 0, POOL)]


def test_dropout_between_the_layers_of_an_lstm_is_not_recorded() -> None:
    """cuDNN draws it from memory that it takes anew after each random state that is set: what was
    recorded would go on writing where something else lies by then."""
    made = engine(found=project(LSTM, {"source": "digits"}), epochs=1, batch_size=64)
    made.capture(record=taped)
    assert made.captured is None
    assert made.uncaptured == (
        "the dropout between the layers of lstm uses memory that cuDNN allocates"
        " again for each step"
    )
