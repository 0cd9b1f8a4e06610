"""A client made from an OpenAPI document alone: valid requests, and a check of each response."""

import base64
import io
import json
from dataclasses import dataclass
from random import Random
from typing import Any

from jsonschema import Draft202012Validator
from PIL import Image
from starlette.testclient import TestClient

Json = dict[str, Any]


@dataclass
class GeneratedClient:
    """Knows nothing of the server but its document."""

    http: TestClient
    document: Json
    random: Random

    def media(self, path: str) -> list[str]:
        """What bodies a path takes."""
        return list(self._operation(path)["requestBody"]["content"])

    def ask(self, path: str, media: str) -> tuple[int, Any]:
        """Send a request that the document allows, and hold the response against it."""
        schema = self._operation(path)["requestBody"]["content"][media]["schema"]
        body = self.made(schema)
        content = json.dumps(body).encode() if media == "application/json" else body.encode()
        got = self.http.post(path, content=content, headers={"content-type": media})
        self.check(path, got.status_code, got.json())
        return got.status_code, got.json()

    def check(self, path: str, status: int, body: Any) -> None:
        """Raise where a response is not what the document says of its status."""
        declared = self._operation(path)["responses"][str(status)]["content"]["application/json"]
        Draft202012Validator({**declared["schema"], **self._parts()}).validate(body)

    def made(self, schema: Json) -> Any:
        """A value that a schema allows."""
        if "$ref" in schema:
            return self.made(self.document["components"]["schemas"][schema["$ref"].split("/")[-1]])
        if "anyOf" in schema:
            return self.made(self.random.choice(schema["anyOf"]))
        if "enum" in schema:
            return self.random.choice(schema["enum"])
        return getattr(self, f"_{schema['type']}")(schema)

    def _object(self, schema: Json) -> Json:
        return {name: self.made(schema["properties"][name]) for name in schema["required"]}

    def _array(self, schema: Json) -> list[Any]:
        if "prefixItems" in schema:
            return [self.made(each) for each in schema["prefixItems"]]
        low = schema.get("minItems", 0)
        count = self.random.randint(low, min(schema.get("maxItems", low + 2), low + 2))
        return [self.made(schema["items"]) for _ in range(max(low, count))]

    def _number(self, schema: Json) -> float:
        return self.random.uniform(schema.get("minimum", -3), schema.get("maximum", 3))

    def _integer(self, schema: Json) -> int:
        return self.random.randint(schema.get("minimum", 0), schema.get("maximum", 1))

    def _string(self, schema: Json) -> str:
        if "contentMediaType" in schema:
            assert schema["contentMediaType"] == "image/png", schema
            return base64.b64encode(picture("PNG")).decode()
        letters = [chr(i) for i in range(32, 127) if _matches(schema["pattern"], chr(i))]
        length = self.random.randint(schema["minLength"], schema.get("maxLength", 99))
        return "".join(self.random.choices(letters, k=length))

    def _operation(self, path: str) -> Json:
        return self.document["paths"][path]["post"]

    def _parts(self) -> Json:
        return {"components": self.document["components"]}


def picture(kind: str, size: tuple[int, int] = (11, 9)) -> bytes:
    """A small picture file."""
    buffer = io.BytesIO()
    Image.linear_gradient("L").resize(size).convert("RGB").save(buffer, kind)
    return buffer.getvalue()


def _matches(pattern: str, text: str) -> bool:
    return Draft202012Validator({"pattern": pattern}).is_valid(text)
