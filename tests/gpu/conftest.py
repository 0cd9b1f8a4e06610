"""Tests that need a GPU are skipped where there is none; others run on the processor as well.

`python -m pytest tests/gpu` in the root needs pytest, torch, networkx, safetensors and, for its
digits, scikit-learn; neither Streamlit nor Layerloom itself has to be installed.
"""

import os

import pytest
import torch

os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")  # read once, when CUDA starts
GPU = pytest.param("cuda", marks=pytest.mark.gpu)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if torch.cuda.is_available():
        return
    for item in items:
        if item.get_closest_marker("gpu"):
            item.add_marker(pytest.mark.skip(reason="torch finds no GPU"))


@pytest.fixture(params=["cpu", GPU])
def device(request: pytest.FixtureRequest) -> str:
    """Where to train."""
    return request.param
