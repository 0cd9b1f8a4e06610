"""Our routes are found below the path that Streamlit serves its pages under, and at the root."""

import argparse
import asyncio

import pytest
import streamlit as st

from app.cli.workbench import base_path
from app.server.base_path import BasePath


def asked(monkeypatch: pytest.MonkeyPatch, base: str, path: str) -> str:
    """The path that the routes see."""
    seen: list[str] = []

    async def application(scope, receive, send):
        seen.append(scope["path"])

    monkeypatch.setattr(st, "get_option", {"server.baseUrlPath": base}.get)
    scope = {"type": "http", "path": path, "raw_path": path.encode()}
    asyncio.run(BasePath(application)(scope, None, None))  # type: ignore[arg-type]
    return seen[0]


@pytest.mark.parametrize("base", ["user/ann", "/user/ann", "/user/ann/"])
def test_a_route_is_found_below_the_base_path(monkeypatch: pytest.MonkeyPatch, base: str):
    assert asked(monkeypatch, base, "/user/ann/api/ll/canvas") == "/api/ll/canvas"
    assert asked(monkeypatch, base, "/api/ll/canvas") == "/api/ll/canvas"


@pytest.mark.parametrize(
    "path", ["/user/anna/api/ll/canvas", "/user/ann/build", "/x/api/ll/canvas"]
)
def test_no_other_path_is_changed(monkeypatch: pytest.MonkeyPatch, path: str):
    assert asked(monkeypatch, "user/ann", path) == path


def test_without_a_base_path_nothing_is_taken_off(monkeypatch: pytest.MonkeyPatch):
    assert asked(monkeypatch, "", "/api/ll/runs/a") == "/api/ll/runs/a"


def test_the_command_takes_a_path_of_an_address():
    assert base_path("/user/ann/") == "user/ann"
    assert base_path("") == ""
    for wrong in ("user ann", "a//b", "a/../b", "http://a", "ä"):
        with pytest.raises(argparse.ArgumentTypeError, match="is not a URL path"):
            base_path(wrong)
