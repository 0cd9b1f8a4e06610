"""Networks that are served: one trained run, and templates as they are."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from app.wings.serve.application import application
from app.wings.serve.limits import Limits
from app.wings.serve.served import Served, served
from core.analyse import analyse_project
from core.prepare.create import prepare
from core.project.templates import load_template
from core.runs.listing import view_run
from core.worker.launch import start, wait

HOME = "http://localhost:8600"


@pytest.fixture(scope="session")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a finished run: LeNet on the digits, one epoch."""
    project = load_template("lenet_digits")
    folder = tmp_path_factory.mktemp("served")
    made = prepare(project, analyse_project(project), folder, {"epochs": 1, "threads": 1})
    start(made)
    wait(made)
    assert view_run(made).state == "finished", (made / "log.txt").read_text()
    return made


@pytest.fixture(scope="session")
def lenet(run: Path) -> Served:
    return served(run)


@contextmanager
def asking(
    net: Served, limits: Limits | None = None, token: str = "", hosts: tuple[str, ...] = ()
) -> Iterator[TestClient]:
    """A client of a server in this process."""
    app = application(net, limits or Limits(), token, hosts)
    with TestClient(app, base_url=HOME, raise_server_exceptions=False) as client:
        yield client


@pytest.fixture
def client(lenet: Served) -> Iterator[TestClient]:
    with asking(lenet) as made:
        yield made
