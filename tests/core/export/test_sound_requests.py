"""A sound that is sent: as a body, in base64, as numbers; and what is no sound."""

import base64
import json
from typing import Any

import numpy as np
import pytest

from core.samples.contract import openapi
from core.samples.inputs import RequestError, sent
from core.samples.sounds import as_wav, sound_values
from tests.core.data.sound_sets import wave_of

HOW = {"rate": 8000, "samples": 2000, "mels": 32, "window": 200, "hop": 80}
SPEC = {"name": "sound", "dtype": "float32", "shape": (1, 32, 26), "kind": "sound",
        "column": "input", "read": (1, 32, 26), "sound": HOW}  # fmt: skip
INTERFACE: dict[str, Any] = {"inputs": [SPEC], "outputs": []}
WAV = as_wav(wave_of("chirp", 8000, 0.25, np.random.default_rng(0)), 8000)


def read(media: str, body: bytes) -> np.ndarray:
    (column,) = sent(INTERFACE, media, body, 4).columns
    assert column is not None
    return column


@pytest.fixture
def expected(tmp_path):
    (tmp_path / "a.wav").write_bytes(WAV)
    return sound_values(tmp_path / "a.wav", HOW)[None]


@pytest.mark.parametrize("media", ["audio/wav", "audio/x-wav", "audio/flac"])
def test_a_body_is_read_as_the_file_is(media, expected):
    assert np.array_equal(read(media, WAV), expected)


def test_base64_and_numbers_are_the_same(expected):
    text = base64.b64encode(WAV).decode()
    rows = [{"sound": f"data:audio/wav;base64,{text}"}, {"sound": expected[0].tolist()}]
    found = read("application/json", json.dumps({"samples": rows}).encode())
    assert np.array_equal(found, np.concatenate([expected, expected]))


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"hello", "sound is not a sound file (WAV, FLAC or OGG)."),
        (b"", "sound is empty."),
        (WAV[:500], "sound is cut off: its header states 4,044 bytes but it has 500."),
    ],
)
def test_what_is_no_sound_is_refused_by_name(body, message):
    with pytest.raises(RequestError) as error:
        read("audio/wav", body)
    assert (error.value.status, error.value.message) == (422, message)


def test_a_picture_is_refused_with_what_is_taken():
    with pytest.raises(RequestError, match="audio/wav"):
        read("image/png", b"\x89PNG")


def test_the_contract_says_what_may_be_sent():
    document = openapi(INTERFACE, "Sounds", "", 4, secured=False)
    content = document["paths"]["/predict"]["post"]["requestBody"]["content"]
    assert {"audio/wav", "audio/flac", "audio/ogg"} <= set(content)
