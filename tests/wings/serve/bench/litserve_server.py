"""A network behind LitServe, as its users write it, to be compared with `layerloom serve`.

    python -m tests.wings.serve.bench.litserve_server TEMPLATE PORT

Requests and batches are those of `layerloom serve`: JSON with one sample, at most 64 at once, of
which the first waits for 2 ms.
"""

import sys
from typing import Any

import litserve
import torch
from fastapi import Request

from core.export.interface import interface_of
from core.export.subject import subject_of
from core.project.templates import load_template
from core.samples.inputs import data_shape, prepare

MOST, WINDOW_S = 64, 0.002


class Served(litserve.LitAPI):
    """A template's network with random weights."""

    def __init__(self, template: str, **settings: Any) -> None:
        super().__init__(**settings)
        self.template = template

    def setup(self, device: Any) -> None:
        subject = subject_of(load_template(self.template))
        self.network = subject.module.eval()
        self.spec = interface_of(subject).json()["inputs"][0]

    def decode_request(self, request: Request) -> torch.Tensor:  # which LitServe reads as JSON
        values = request["samples"][0][self.spec["name"]]
        return torch.tensor(values, dtype=torch.float32).view(data_shape(self.spec))

    def batch(self, inputs: Any) -> torch.Tensor:
        return torch.stack(inputs)

    def predict(self, x: torch.Tensor) -> torch.Tensor:
        with torch.inference_mode():
            return self.network(prepare(self.spec, x)).softmax(-1)

    def unbatch(self, output: Any) -> list[torch.Tensor]:
        return list(output)

    def encode_response(self, output: torch.Tensor) -> dict[str, Any]:
        found = {str(place): share for place, share in enumerate(output.tolist())}
        return {"class": str(int(output.argmax())), "probabilities": found}


def main() -> None:
    template, port = sys.argv[1], int(sys.argv[2])
    served = Served(template, max_batch_size=MOST, batch_timeout=WINDOW_S)
    server = litserve.LitServer(served, accelerator="cpu")
    server.run(host="127.0.0.1", port=port, num_api_servers=1, generate_client_file=False,
               log_level="warning")  # fmt: skip


if __name__ == "__main__":
    main()
