"""Whatever is sent, the answer is a sentence: never a fault of the server, never a traceback."""

import gzip
import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st
from starlette.testclient import TestClient

from app.wings.serve.served import Served, served
from core.project.templates import load_template
from tests.wings.serve.app.conftest import asking
from tests.wings.serve.app.generated_client import picture

PLAIN = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20)
ANY = st.recursive(
    PLAIN | st.builds(lambda: 10**400),
    lambda inner: (
        st.lists(inner, max_size=9) | st.dictionaries(st.text(max_size=9), inner, max_size=4)
    ),
    max_leaves=20,
)
MEDIA = st.sampled_from(
    ["", "application/json", "text/plain", "text/csv", "application/octet-stream", "image/png",
     "image/gif", "multipart/form-data; boundary=x", "application/json; charset=utf-16"]
)  # fmt: skip


@pytest.fixture(scope="module")
def clients(lenet: Served) -> Iterator[dict[str, TestClient]]:
    names = served(load_template("rnn_letter_names"))
    rows = served(load_template("mlp_iris"))
    with asking(lenet) as a, asking(names) as b, asking(rows) as c:
        yield {"image": a, "name": b, "features": c}


def refused(got: Any) -> None:
    """Check that an answer is a prediction, or a sentence with a status of its own."""
    body = got.json()
    if got.status_code == 200:
        assert body["predictions"]
        return
    assert 400 <= got.status_code < 500, got.text
    assert body["ok"] is False
    assert body["error"]["message"].endswith((".", "…"))
    assert "Traceback" not in got.text


@pytest.mark.gate
@examples(max_examples=40)
@given(sample=ANY, prepared=st.booleans(), raw=st.booleans() | PLAIN)
def test_any_json_for_an_input_is_answered_in_words(
    clients: dict[str, TestClient], sample: Any, prepared: bool, raw: Any
) -> None:
    for name, client in clients.items():
        body = {"samples": [{name: sample}], "prepared": prepared, "raw": raw}
        refused(client.post("/predict", content=json.dumps(body)))


@examples(max_examples=40)
@given(
    body=st.binary(max_size=400) | ANY.map(lambda value: json.dumps(value).encode()), media=MEDIA
)
def test_any_body_of_any_type_is_answered_in_words(
    clients: dict[str, TestClient], body: bytes, media: str
) -> None:
    for client in clients.values():
        refused(client.post("/predict", content=body, headers={"content-type": media}))


FLAT = [0.0] * 64
WRONG: dict[str, tuple[str, Any, int, str]] = {
    "no json": ("image", b"{", 400, "The body is not JSON: Expecting property name enclosed in "
                "double quotes: line 1 column 2 (char 1)."),
    "too deep": ("image", b"[" * 100_000, 400, "The body is not JSON: it is nested too deeply."),
    "no text": ("image", b"\xff\x8b", 400, "The body is not JSON: it is not UTF-8 text."),
    "long number": ("image", b"9" * 5000, 400,
                    "The body is not JSON: a number has more than 4,300 digits."),
    "not finite": ("image", b'{"samples": [NaN]}', 400,
                   "The body is not JSON: NaN is not a number."),
    "no samples": ("image", {}, 422, "The body needs a list called samples."),
    "none": ("image", {"samples": []}, 422, "There are no samples."),
    "many": ("image", {"samples": [{"image": FLAT}] * 65}, 422,
             "A request may hold 64 samples but has 65."),
    "lacks it": ("image", {"samples": [{}]}, 422, "Sample 0 has no image."),
    "strange": ("image", {"samples": [{"image": FLAT, "img": 1}]}, 422,
                "Sample 0 has 'img', which is not an input."),
    "shape": ("image", {"samples": [{"image": [[0, 0], [0, 0]]}]}, 422,
              "image needs the shape (1, 8, 8) but receives (1, 2, 2)."),
    "ragged": ("image", {"samples": [{"image": [[0, 0], [0]]}]}, 422,
               "image needs numbers of the shape (1, 8, 8) but received something else."),
    "bytes": ("image", {"samples": [{"image": [255] * 64}]}, 422,
              "image needs brightness from 0 to 1 but holds values from 255 to 255."),
    "large": ("features", {"samples": [{"features": [1e300, 1, 1, 1]}]}, 422,
              "features holds a number that does not fit into float32."),
    "row": ("features", {"samples": [{"features": [1, 2, 3]}]}, 422,
            "features needs its 4 columns but receives 3."),
    "column": ("features", {"samples": [{"features": {"sepal_length": 1}}]}, 422,
               "features has no column 'sepal_width'."),
    "cell": ("features", {"samples": [{"features": [1, 2, 3, "four"]}]}, 422,
             "features needs a number for petal_width but receives 'four'."),
    "letter": ("name", {"samples": [{"name": "\u00e4"}]}, 422,
               "name holds '\u00e4', a character that is not in the training data."),
}  # fmt: skip


def test_a_row_without_the_name_of_its_input_gets_an_example(
    clients: dict[str, TestClient],
) -> None:
    sample = {"sepal_length": 1, "sepal_width": 2, "petal_length": 3, "petal_width": 4}
    answer = clients["features"].post("/predict", json={"samples": [sample]})
    assert answer.json()["error"]["hint"] == 'Write {"features": {"sepal_length": ..., ...}}.'


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_named_with_the_input_and_the_numbers(
    clients: dict[str, TestClient], name: str
) -> None:
    which, body, status, words = WRONG[name]
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    got = clients[which].post("/predict", content=content)
    assert (got.status_code, got.json()["error"]["message"]) == (status, words)


@pytest.mark.parametrize("charset", ["idna", "undefined", "zlib", "punycode"])
def test_a_charset_of_no_text_is_refused_in_words(
    clients: dict[str, TestClient], charset: str
) -> None:
    media = {"content-type": f"text/csv; charset={charset}"}
    got = clients["features"].post("/predict", content=b"a" * 70 + b".\xff", headers=media)
    assert (got.status_code, got.json()["error"]["message"]) == (
        422, "features is not UTF-8 text.",
    )  # fmt: skip


@pytest.mark.parametrize("encoding", ["gzip", "br", "identity, gzip"])
def test_a_packed_body_is_refused_in_words(clients: dict[str, TestClient], encoding: str) -> None:
    sample = json.dumps({"samples": [{"image": FLAT}]}).encode()
    packed = {"content-encoding": encoding}
    got = clients["image"].post("/predict", content=gzip.compress(sample), headers=packed)
    assert got.status_code == 415
    assert got.json()["error"] == {
        "place": "",
        "message": "The server does not unpack request bodies: "
        f"Content-Encoding is {encoding}.",
        "hint": "Send the body as it is, without Content-Encoding.",
    }  # fmt: skip
    plain = {"content-encoding": "Identity"}
    assert clients["image"].post("/predict", content=sample, headers=plain).status_code == 200


def test_types_and_sizes_of_other_bodies(clients: dict[str, TestClient]) -> None:
    image = clients["image"]

    def post(content: bytes, media: str) -> tuple[int, str]:
        got = image.post("/predict", content=content, headers={"content-type": media})
        return got.status_code, got.json()["error"]["message"]

    assert post(b"x", "text/html") == (
        415, "The body needs to be application/json, image/png, image/jpeg, image/webp or "
        "application/octet-stream but is text/html.",
    )  # fmt: skip
    assert len(post(b"x", "a" * 8000)[1]) < 250
    assert post(bytes(300), "application/octet-stream") == (
        422, "image needs 256 bytes for each sample, float32 (1, 8, 8), but the body has 300.",
    )  # fmt: skip
    assert post(picture("PNG")[:60], "image/png") == (422, "image is not a readable picture.")
