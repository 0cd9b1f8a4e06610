"""Samples of one's own reach the network as the data set's do; what is no sample is said."""

import base64
import io
from pathlib import Path

import pytest
import torch
from PIL import Image

from core.common.network_ref import NetworkRef, ProjectRef
from core.data import DataError
from core.data.builtin.embedded import read_embedded
from core.data.builtin.handwriting import framed
from core.insight.one_sample.api import look
from core.insight.one_sample.custom_input import own_inputs, ways
from core.insight.one_sample.sample import choose, dataset_of

ROOT = Path(__file__).parents[4]


def ref_of(name: str) -> NetworkRef:
    return ProjectRef((ROOT / "projects" / f"{name}.loom.json").read_text())


def text_of(data: bytes) -> str:
    return base64.b64encode(data).decode()


def test_a_row_of_the_data_typed_again_gives_the_same_input() -> None:
    dataset = dataset_of(ref_of("mlp_iris"))
    assert dataset.mean is not None
    assert dataset.std is not None
    row = int(dataset.validation_indices[5])
    typed = dataset.inputs[row] * dataset.std + dataset.mean
    (given,) = own_inputs(dataset, {"row": [round(v, 3) for v in typed.tolist()]})
    assert torch.allclose(given[0], dataset.inputs[row], atol=1e-5)


def test_a_picture_of_a_digit_gives_the_same_input_as_the_digit() -> None:
    dataset = dataset_of(ref_of("lenet_digits"))
    images, _ = read_embedded("digits")
    pixels = torch.from_numpy(images[11, 0]).float() / 16
    file = io.BytesIO()
    Image.fromarray((pixels * 255).round().byte().numpy()).save(file, "PNG")
    (given,) = own_inputs(dataset, {"picture": text_of(file.getvalue())})
    assert torch.allclose(given[0], dataset.inputs[11], atol=0.01)


def test_a_text_of_the_data_typed_again_gives_the_same_input() -> None:
    ref = ref_of("gpt_text")
    dataset = dataset_of(ref)
    sample = choose(ref, {"part": "training", "index": 2}).inputs[0]
    text = "".join(dataset.info.origin.alphabet[k] for k in sample[0].tolist())
    (given,) = own_inputs(dataset, {"text": "left out " + text})
    assert torch.equal(given, sample)
    answer = look(ref, {"own": {"text": text}}, "")
    assert (answer["part"], answer["count"], answer["target"]) == ("", 0, "")
    assert len(answer["prediction"]["scores"]) == 10


def test_a_drawn_digit_fills_the_height_that_digits_have_in_the_data() -> None:
    ink = torch.zeros(56, 56)
    ink[20:40, 25:30] = 1.0  # a small stroke, not in the middle
    made = framed(ink, (8, 8), "digits")[0, 0]
    assert (made > 0.4).nonzero().tolist() == [[y, x] for y in range(8) for x in (3, 4)]
    assert framed(torch.zeros(56, 56), (8, 8), "digits").abs().sum() == 0
    assert framed(ink, (28, 28), "image_folder").shape == (1, 1, 28, 28)
    moved = framed(ink.roll((-9, 14), (0, 1)), (8, 8), "digits")
    assert torch.equal(moved, framed(ink, (8, 8), "digits"))  # wherever it was drawn


@pytest.mark.parametrize(
    ("name", "own", "message"),
    [
        ("mlp_iris", {"row": [1.0, 2.0]}, "The row needs 4 numbers but has 2."),
        ("mlp_iris", {"text": "four"}, "The row needs numbers."),
        ("lenet_digits", {"picture": text_of(b"no picture")}, "The picture"),
        ("lenet_digits", {"picture": "%"}, "The picture is incomplete."),
        ("lenet_digits", {"drawing": text_of(b"123"), "shape": [2, 2]}, "but has 3"),
        ("gpt_text", {"text": "a日b"}, "The text holds '日', a character that is not in"),
        ("gpt_text", {"text": ""}, "The text is empty."),
        ("siamese_digits", {"row": [1.0]}, "first, second"),
    ],
)
def test_what_is_no_sample_is_refused_in_one_sentence(name: str, own: object, message: str) -> None:
    with pytest.raises(DataError) as error:
        own_inputs(dataset_of(ref_of(name)), own)
    assert message in error.value.message


def test_how_a_sample_can_be_given_is_known_of_every_kind_of_data() -> None:
    assert ways(dataset_of(ref_of("lenet_digits"))) == {"kind": "image", "channels": 1}
    table = ways(dataset_of(ref_of("mlp_iris")))
    assert (table["kind"], table["length"]) == ("table", 4)
    assert next(name for name, _ in table["columns"]) == "sepal_length"
    assert ways(dataset_of(ref_of("lstm_waves")))["kind"] == "series"
    assert ways(dataset_of(ref_of("gpt_text"))) == {"kind": "text", "length": 64}
    assert ways(dataset_of(ref_of("seq2seq_dates")))["kind"] == ""
