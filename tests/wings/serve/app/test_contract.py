"""What /openapi.json says is what the server does: a client made from it alone is answered."""

from random import Random

import pytest
from jsonschema import Draft202012Validator
from starlette.testclient import TestClient

from app.wings.serve.served import Served, served
from core.project.templates import load_template
from tests.wings.serve.app.conftest import asking
from tests.wings.serve.app.generated_client import GeneratedClient, picture

FORMS = {
    "image/png": picture("PNG"),
    "image/jpeg": picture("JPEG", (300, 200)),
    "image/webp": picture("WEBP"),
    "application/octet-stream": bytes(4 * 64),
    "text/plain": b"3",
    "text/csv": b"age,sex,bmi,bp,s1,s2,s3,s4,s5,s6\n1,2,3,4,5,6,7,8,9,10\n0,0,0,0,0,0,0,0,0,0\n",
}
TEMPLATES = {
    "lenet_digits": ["image/png", "image/jpeg", "image/webp", "application/octet-stream"],
    "quantiles_diabetes": ["text/csv", "application/octet-stream"],
    "bert_text": ["text/plain"],
    "two_inputs_diabetes": ["text/csv"],
    "siamese_digits": [],
    "seq2seq_dates": ["text/plain"],
    "multilabel_digits": ["image/png", "image/jpeg", "image/webp", "application/octet-stream"],
    "ctc_digit_rows": ["image/png", "image/jpeg", "image/webp", "application/octet-stream"],
    "lstm_waves": ["application/octet-stream"],
    "dcgan_digits": ["image/png", "image/jpeg", "image/webp", "application/octet-stream"],
}


def generated(http: TestClient) -> GeneratedClient:
    return GeneratedClient(http, http.get("/openapi.json").json(), Random(0))


def sizes(net: Served) -> int:
    shape = net.interface["inputs"][-1]
    count = 4
    for length in shape.get("read") or shape["shape"]:
        count *= length
    return count


@pytest.mark.gate
@pytest.mark.parametrize("name", TEMPLATES)
def test_a_client_made_from_the_document_is_answered_as_it_says(name: str) -> None:
    net = served(load_template(name))
    with asking(net) as http:
        client = generated(http)
        for schema in client.document["components"]["schemas"].values():
            Draft202012Validator.check_schema(schema)
        assert client.media("/predict") == ["application/json", *TEMPLATES[name]]
        for _ in range(4):
            status, answer = client.ask("/predict", "application/json")
            assert (status, answer["run"]) == (200, load_template(name).name)
        for media in TEMPLATES[name]:
            body = bytes(sizes(net)) if media == "application/octet-stream" else FORMS[media]
            got = http.post("/predict", content=body, headers={"content-type": media})
            client.check("/predict", got.status_code, got.json())
            assert (got.status_code, len(got.json()["predictions"])) == (
                200, 2 if media == "text/csv" else 1,
            )  # fmt: skip


def test_the_document_names_input_classes_and_limits(client: TestClient) -> None:
    document = client.get("/openapi.json").json()
    assert document["openapi"] == "3.1.0"
    assert list(document["paths"]) == ["/predict", "/health", "/ready", "/metrics"]
    parts = document["components"]["schemas"]
    assert parts["Sample"]["required"] == ["image"]
    assert parts["Request"]["properties"]["samples"]["maxItems"] == 64
    shares = parts["Prediction"]["properties"]["logits"]["properties"]["probabilities"]
    assert list(shares["properties"]) == [str(digit) for digit in range(10)]
    assert "security" not in document


def test_a_server_with_a_token_says_so_in_its_document(lenet: Served) -> None:
    with asking(lenet, token="secret") as http:
        document = http.get("/openapi.json", headers={"authorization": "Bearer secret"}).json()
    assert document["security"] == [{"token": []}]
