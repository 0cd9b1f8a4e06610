"""A folder of sounds: what is read of it, and what of strange files."""

import os

import numpy as np
import pytest
import soundfile
import torch

from core.data import DataError, Unread, load, read_settings
from core.data.facts.metadata import read_own
from core.data.pictures.layout import SOUNDS
from core.data.sounds import folder
from core.samples.sounds import loudness, mel_filters, sound_header, sound_values
from tests.core.data.sound_sets import KINDS, write_sounds

SET = {"source": "SoundFolder", "root": "data/s"}


@pytest.fixture
def sounds(workspace):
    write_sounds(workspace / "data/s")
    return workspace / "data/s"


def facts():
    found = read_own(SET)
    assert found is not None
    return found


def test_it_is_not_read_before_somebody_asks(sounds):
    with pytest.raises(Unread):
        read_settings(SET)


def test_a_folder_becomes_spectrograms_with_a_class_each(sounds):
    source = facts().source
    assert (source.kind, source.shape, source.samples) == ("image", (1, 64, 26), 24)
    assert source.classes == KINDS
    data = load(SET, source.shape, (3,))
    assert data.inputs.shape == (24, 1, 64, 26)
    assert data.labels is not None
    assert data.labels.tolist() == [0] * 8 + [1] * 8 + [2] * 8
    assert float(data.inputs.min()) >= 0
    assert float(data.inputs.max()) <= 1


def test_waves_are_what_the_files_hold(sounds):
    data = {**SET, "form": "wave"}
    found = read_own(data)
    assert found is not None
    assert (found.source.kind, found.source.shape) == ("wave", (1, 2000))
    loaded = load(data, (1, 2000), (3,))
    first, rate = soundfile.read(sounds / "chirp/chirp_000.wav", dtype="float32")
    assert rate == 8000
    assert torch.equal(loaded.inputs[0, 0], torch.from_numpy(first))


def test_a_normalised_wave_has_one_mean_and_one_deviation(sounds):
    data = {**SET, "form": "wave", "normalize": True}
    read_own(data)
    loaded = load(data, (1, 2000), (3,))
    learned = loaded.training()[0]
    assert loaded.mean is not None
    assert loaded.mean.shape == (1, 1)
    assert float(learned.mean()) == pytest.approx(0, abs=1e-5)
    assert float(learned.std(correction=0)) == pytest.approx(1, abs=1e-5)


def test_what_files_differ_in_is_said(workspace):
    root = workspace / "data/s"
    write_sounds(root, each=10, rates=(16000, 16000, 16000, 16000, 22050))
    soundfile.write(root / "tone/long.wav", np.zeros((32000, 2)), 16000)
    found = facts()
    assert found.layout["sound"]["rate"] == 16000
    assert found.layout["notes"] == [
        "Resampled to 16,000 samples a second: 6 of 31 sounds (22,050).",
        "Cut off after 0.25 s: 1 of 31 sounds.",
        "Channels averaged: 1 of 31 sounds.",
    ]


def test_a_resampled_tone_keeps_its_pitch_and_loudness(workspace):
    t = np.arange(44100) / 44100
    file = workspace / "a.wav"
    soundfile.write(file, np.sin(2 * np.pi * 440 * t), 44100, subtype="FLOAT")
    wave = sound_values(file, {"rate": 16000, "samples": 16000})[0]
    expected = np.sin(2 * np.pi * 440 * np.arange(16000) / 16000)
    assert np.abs(wave - expected)[100:-100].max() < 1e-3


def test_filters_are_triangles_by_the_formula_of_mel():
    rate, mels, window = 16000, 40, 400
    found = mel_filters(rate, mels, window)
    top = 2595 * np.log10(1 + 8000 / 700)
    edges = [700 * (10 ** (top * k / 41 / 2595) - 1) for k in range(42)]
    for k in (0, 7, 39):
        low, peak, high = edges[k : k + 3]
        for place in range(found.shape[1]):
            hertz = 8000 * place / (found.shape[1] - 1)
            one = max(0.0, min((hertz - low) / (peak - low), (high - hertz) / (high - peak)))
            assert found[k, place] == pytest.approx(one, abs=1e-9)
    assert (found.sum(1) > 0).all()


@pytest.mark.parametrize(("amplitude", "decibels"), [(1.0, 0.0), (0.1, -20.0), (0.001, -60.0)])
def test_a_tone_is_as_loud_as_its_decibels_say(amplitude, decibels):
    wave = amplitude * np.sin(2 * np.pi * 3000 * np.arange(16000) / 16000)
    seen = loudness(wave.astype(np.float32), mel_filters(16000, 64, 400), 400, 160)
    assert seen.shape == (64, 101)
    assert 80 * (seen[:, 50].max() - 1) == pytest.approx(decibels, abs=1.5)


def test_high_pitch_is_above():
    def row(hertz):
        wave = np.sin(2 * np.pi * hertz * np.arange(16000) / 16000).astype(np.float32)
        return int(loudness(wave, mel_filters(16000, 64, 400), 400, 160)[:, 50].argmax())

    assert row(6000) < row(2000) < row(300)


def test_a_spectrogram_is_the_loudness_of_plain_torch():
    wave = np.random.default_rng(1).normal(size=4000).astype(np.float32)
    mel = mel_filters(8000, 32, 200)
    size = 2 * (mel.shape[1] - 1)
    frames = torch.nn.functional.pad(torch.from_numpy(wave).double(), (100, 100)).unfold(0, 200, 80)
    window = torch.hann_window(200, periodic=True, dtype=torch.float64)
    spectrum = torch.fft.rfft(frames * window, size).abs() ** 2
    power = spectrum @ torch.from_numpy(mel).T * 4 / (size * float((window**2).sum()))
    expected = (1 + power.clamp_min(1e-8).log10() / 8).clamp(0, 1).T.flip(0)
    assert np.allclose(loudness(wave, mel, 200, 80), expected.numpy(), atol=1e-5)


def _wav(path, frames=100, **changes):
    soundfile.write(path, np.zeros(frames, np.float32), 8000, **changes)
    return path


def _text(path):
    path.write_text("this is no sound\n" * 20)


def _cut(path):
    content = _wav(path, 4000).read_bytes()
    path.write_bytes(content[:1000])


def _cut_flac(path):
    whole = path.with_name("whole.flac")
    soundfile.write(whole, np.random.default_rng(0).normal(size=2000) / 9, 8000, format="FLAC")
    path.write_bytes(whole.read_bytes()[:2000])
    whole.unlink()


def _many_channels(path):
    soundfile.write(path, np.zeros((20, 200), np.float32), 8000, format="WAV")


def _endless(path):
    """A header with 4 billion samples above a few bytes."""
    content = bytearray(_wav(path).read_bytes())
    content[4:8] = content[40:44] = (0xFFFF_FFF0).to_bytes(4, "little")
    path.write_bytes(content)


def _slow(path):
    content = bytearray(_wav(path).read_bytes())
    content[24:28] = (1).to_bytes(4, "little")
    path.write_bytes(content)


def _not_numbers(path):
    soundfile.write(path, np.full(2000, np.nan), 8000, format="WAV", subtype="FLOAT")


STRANGE = {
    "a text": (_text, "tone/x.wav is not a sound file (WAV, FLAC or OGG)."),
    "nothing": (lambda path: path.write_bytes(b""), "tone/x.wav is empty."),
    "no samples": (lambda path: _wav(path, 0), "tone/x.wav has no samples."),
    "cut off": (_cut, "tone/x.wav is cut off: its header states 8,044 bytes but it has 1,000."),
    "200 channels": (
        _many_channels,
        "tone/x.wav has 200 channels, but at most 16 are read.",
    ),
    "endless": (_endless, "tone/x.wav is cut off: its header states 4,294,967,288 bytes but it "
                          "has 244."),
    "1 sample a second": (
        _slow,
        "tone/x.wav has 1 samples a second, but 1,000 to 384,000 are read.",
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", STRANGE)
def test_a_strange_file_is_named_and_can_be_left_out(sounds, kind):
    make, message = STRANGE[kind]
    make(sounds / "tone/x.wav")
    with pytest.raises(DataError) as error:
        read_own(SET)
    assert error.value.message == message
    found = read_own({**SET, "skip_corrupt": True})
    assert found is not None
    assert (found.source.samples, found.layout["left_out"]) == (24, ["tone/x.wav"])


@pytest.mark.parametrize(
    ("make", "name", "message"),
    [
        (_not_numbers, "x.wav", "holds NaN or infinite values"),
        (_cut_flac, "x.flac", "is damaged: "),
    ],
)
def test_what_only_reading_shows_is_named_when_it_trains(sounds, make, name, message):
    make(sounds / f"tone/{name}")
    found = facts()
    with pytest.raises(DataError, match=f"tone/{name} ") as error:
        load(SET, found.source.shape, (3,))
    assert message in error.value.message
    skipped = read_own({**SET, "skip_corrupt": True})
    assert skipped is not None
    assert skipped.source.samples == 24
    assert len(load({**SET, "skip_corrupt": True}, skipped.source.shape, (3,)).inputs) == 24


def test_links_and_pipes_are_refused_without_opening_them(sounds):
    os.mkfifo(sounds / "tone/x.wav")
    with pytest.raises(DataError, match=r"tone/x\.wav is a link or not a regular file"):
        read_own(SET)
    (sounds / "tone/x.wav").unlink()
    (sounds / "tone/x.wav").symlink_to(sounds / "tone/tone_000.wav")
    with pytest.raises(DataError, match=r"tone/x\.wav is a link or not a regular file"):
        read_own(SET)


def test_more_than_memory_should_hold_is_refused(sounds, monkeypatch):
    monkeypatch.setattr(folder, "MOST_BYTES", 4 * 24 * 64 * 26 - 1)
    with pytest.raises(DataError, match="The 24 sounds of data/s need"):
        read_own(SET)


def test_other_formats_are_said(sounds):
    (sounds / "tone/x.mp3").write_bytes(b"ID3")
    (sounds / "notes.txt").write_text("hello")
    assert facts().layout["notes"] == [
        "Skipped: 1 sound in a format that cannot be read (.mp3). Save them as WAV, FLAC or OGG.",
        "Skipped: 1 of 26 files, which are not sounds.",
    ]


def test_the_function_of_scripts_knows_the_same_endings(sounds):
    for ending in SOUNDS.endings:
        (sounds / f"tone/y{ending.upper()}").write_bytes(b"")
    found = [path.name for path, _ in folder.sound_files(str(sounds), ["tone"])]
    assert {f"y{ending.upper()}" for ending in SOUNDS.endings} < set(found)


@pytest.mark.parametrize(
    ("key", "value"),
    [("form", "picture"), ("rate", 100), ("rate", 8000.5), ("seconds", 0), ("mels", 500)],
)
def test_a_setting_out_of_its_range_is_named(key, value):
    with pytest.raises(DataError, match=f"data.{key} is "):
        read_settings({**SET, key: value})


def test_a_long_sound_has_no_more_frames_than_a_network_can_bear(sounds):
    found = read_own({**SET, "seconds": 60})
    assert found is not None
    assert found.source.shape == (1, 64, 257)


def test_a_header_is_read_from_bytes_as_from_a_file(sounds):
    file = sounds / "tone/tone_000.wav"
    assert sound_header(file.read_bytes()) == sound_header(file) == (8000, 2000, 1)
