"""A series is typed, or read from a file of NumPy or CSV, on an exported page."""

import io
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from playwright.sync_api import Page, expect

from core.export.run import export_subject
from core.export.subject import subject_of
from core.project.templates import load_template
from tests.browser.test_exported_page import opened

pytestmark = pytest.mark.slow


def saved(array: np.ndarray) -> bytes:
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


def zipped(**arrays: np.ndarray) -> bytes:
    file = io.BytesIO()
    np.savez_compressed(file, **arrays)
    return file.getvalue()


WAVE = torch.linspace(-1, 1, 64).sin().double().numpy()
TWO = np.stack([WAVE, -WAVE])
FILES = {
    "wave.npy": saved(WAVE),
    "samples.npy": saved(np.asfortranarray(TWO.reshape(2, 64, 1))),
    "set.npz": zipped(y=np.array(["a", "b"]), x=TWO),
    "wave.csv": ("value\n" + "\n".join(map(repr, WAVE.tolist()))).encode(),
}
WRONG = {
    "short.csv": (b"1 2 3", "the network takes 64 numbers (64 × 1), but it has 3."),
    "cut.npy": (saved(WAVE)[:-8], "it is cut off."),
    "big.npy": (saved(np.full(64, 1e300)), "1e+300 is not finite in 32 bits."),
}


@pytest.fixture
def waves(page: Page, tmp_path: Path) -> Page:
    """The exported page of a network that reads a series."""
    subject = subject_of(load_template("lstm_waves"))
    opened(page, export_subject(subject, "web", tmp_path / "waves.html").path)
    return page


def test_a_series_is_typed_or_comes_of_a_file(waves: Page) -> None:
    answers, entry = waves.locator("#answers"), waves.get_by_label("Numbers")

    def answer(act: Callable[[], None]) -> str:
        runs = answers.get_attribute("data-runs")
        act()
        expect(answers).not_to_have_attribute("data-runs", str(runs))
        return waves.locator("#answers svg").inner_html()

    typed = answer(lambda: entry.fill(" ".join(map(repr, WAVE.tolist()))))
    for name in FILES:
        assert answer(lambda: entry.fill("0 " * 64)) != typed
        assert answer(lambda name=name: choose(waves, name, FILES[name])) == typed, name
        said = "The first of 2 samples is used." if name.startswith("s") else f"{name}: 64 numbers."
        expect(waves.get_by_text(said)).to_be_visible()


def test_a_file_that_does_not_fit_is_refused_in_words(waves: Page) -> None:
    for name, (content, said) in WRONG.items():
        choose(waves, name, content)
        expect(waves.get_by_role("alert")).to_have_text(f"{name} cannot be taken: {said}")
    waves.get_by_label("Numbers").fill("1 2 x")
    expect(waves.get_by_role("alert")).to_have_text(
        'The text cannot be taken: "x" is not a number.'
    )


def choose(page: Page, name: str, content: bytes) -> None:
    page.locator("input[type=file]").set_input_files(
        {"name": name, "mimeType": "application/octet-stream", "buffer": content}
    )
