"""Answers are the network's own: its classes, its probabilities, numbers in the data's unit.

A batch of another size runs other kernels, so that they are equal to rounding: 1e-5.
"""

import numpy as np
import pytest
import torch
from starlette.testclient import TestClient

from app.wings.serve.served import Served, served
from core.export.subject import Subject, subject_of
from core.project.templates import load_template
from tests.wings.serve.app.conftest import asking

CLOSE = 1e-5


def validated(subject: Subject, rows: int) -> tuple[torch.Tensor, ...]:
    assert subject.opened is not None
    return tuple(column[:rows] for column in subject.opened.dataset.all_validation()[0])


@pytest.mark.gate
def test_a_run_answers_its_validation_samples_as_it_did(run, client: TestClient) -> None:
    subject = subject_of(run)
    (inputs,) = validated(subject, 60)
    with torch.no_grad():
        wanted = subject.module(inputs)
    sent = {"samples": [{"image": x.tolist()} for x in inputs], "prepared": True, "raw": True}
    predictions = [p["logits"] for p in client.post("/predict", json=sent).json()["predictions"]]
    raw = torch.tensor([each["output"]["data"] for each in predictions])
    assert (raw - wanted).abs().max() < CLOSE
    assert [each["class"] for each in predictions] == [str(k) for k in wanted.argmax(1).tolist()]
    shares = torch.tensor([list(each["probabilities"].values()) for each in predictions])
    assert (shares - wanted.softmax(1)).abs().max() < CLOSE


def test_every_way_to_send_a_picture_gives_the_same_answer(client: TestClient) -> None:
    import base64
    import io

    from PIL import Image

    pixels = (np.arange(64, dtype=np.uint8) * 4).reshape(8, 8)
    buffer = io.BytesIO()
    Image.fromarray(pixels).save(buffer, "PNG")
    bright = (pixels / 255).astype("<f4")
    ways = [
        client.post("/predict", json={"samples": [{"image": bright.tolist()}]}),
        client.post("/predict", json={"samples": [{"image": bright[None].tolist()}]}),
        client.post("/predict", json={"samples": [{"image": bright.flatten().tolist()}]}),
        client.post(
            "/predict",
            json={"samples": [{"image": base64.b64encode(buffer.getvalue()).decode()}]},
        ),
        client.post("/predict", content=buffer.getvalue(), headers={"content-type": "image/png"}),
        client.post("/predict", content=bright.tobytes(),
                    headers={"content-type": "application/octet-stream"}),
    ]  # fmt: skip
    predictions = [way.json()["predictions"][0]["logits"] for way in ways]
    for each in predictions:
        assert each["class"] == predictions[0]["class"]
        assert each["probability"] == pytest.approx(predictions[0]["probability"], abs=CLOSE)


def test_rows_are_standardised_and_answers_are_in_the_unit_of_the_target() -> None:
    project = load_template("regression_diabetes")
    subject = subject_of(project)
    net = served(project)
    (spec,) = net.interface["inputs"]
    dataset = subject.opened.dataset  # type: ignore[union-attr]
    (prepared,) = validated(subject, 5)
    rows = prepared if dataset.mean is None else prepared * dataset.std + dataset.mean
    names = [field["name"] for field in spec["fields"]]
    table = "\n".join([",".join(names), *(",".join(map(repr, row)) for row in rows.tolist())])
    with torch.no_grad():
        wanted = subject.module(prepared) * dataset.target_std + dataset.target_mean
    with asking(net) as http:
        sent = {
            "samples": [{"features": dict(zip(names, row, strict=True))} for row in rows.tolist()]
        }
        by_name = http.post("/predict", json=sent)
        by_csv = http.post("/predict", content=table, headers={"content-type": "text/csv"})
    for got in (by_name, by_csv):
        predictions = [each["prediction"] for each in got.json()["predictions"]]
        assert {each["target"] for each in predictions} == {"disease progression after one year"}
        assert torch.tensor([each["value"] for each in predictions]).allclose(
            wanted.flatten(), rtol=1e-4, atol=1e-3
        )


@pytest.mark.gate
def test_an_answer_to_a_text_is_made_character_by_character() -> None:
    project = load_template("seq2seq_dates")
    subject, net = subject_of(project), served(project)
    letters = list(net.interface["inputs"][0]["alphabet"])
    asked = "3 may 1998"
    encoded = torch.tensor([[letters.index(x) for x in asked] + [0] * (20 - len(asked))])
    before = torch.zeros(1, 10, dtype=torch.int64)
    with torch.no_grad():
        for place in range(10):
            predicted = subject.module(encoded, before).argmax(-1)
            if place < 9:
                before[:, place + 1] = predicted[:, place]
    wanted = "".join(letters[k] for k in predicted[0].tolist()).partition("\0")[0]
    with asking(net) as http:
        got = http.post("/predict", content=asked, headers={"content-type": "text/plain"})
    assert got.json()["predictions"][0]["date"] == {"text": wanted}


def test_masked_characters_are_filled_in_and_nothing_else(lenet: Served) -> None:
    with asking(served(load_template("bert_text"))) as http:
        sent = {"samples": [{"text": "the le\u2588gth"}]}
        text = http.post("/predict", json=sent).json()["predictions"][0]["guess"]["text"]
    assert (len(text), text[:6], text[7:]) == (10, "the le", "gth")
