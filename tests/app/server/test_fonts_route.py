"""The typefaces come from this server, whole, and nothing else comes by their address."""

import pytest
from starlette.testclient import TestClient

from app.server.api.fonts import FOLDER
from app.server.first_page import head
from app.server.main import ROUTES
from core.common import fonts


@pytest.fixture(scope="module")
def client() -> TestClient:
    from starlette.applications import Starlette

    return TestClient(Starlette(routes=ROUTES))


@pytest.mark.parametrize("face", fonts.FACES, ids=lambda face: face.file)
def test_a_file_is_answered_to_be_kept(client: TestClient, face: fonts.Face) -> None:
    answer = client.get(f"{FOLDER}{face.file}")
    assert answer.content == fonts.content(face.file)
    assert answer.headers["content-type"] == "font/woff2"
    assert answer.headers["cache-control"].startswith("private, max-age=")


@pytest.mark.parametrize("name", ["OFL.txt", "__init__.py", "..%2f__init__.py", "none.woff2"])
def test_no_other_file_is(client: TestClient, name: str) -> None:
    assert client.get(f"{FOLDER}{name}").status_code == 404


def test_the_first_page_asks_for_them_below_its_own_address() -> None:
    assert all(f'url(".{FOLDER}{face.file}")' in head() for face in fonts.FACES)
    assert f'href=".{FOLDER}{fonts.FACES[0].file}" as="font"' in head()
