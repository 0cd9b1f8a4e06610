"""What the tests of access share: axe-core, and an empty Streamlit page to compare with."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import ROOT, end, free_port, wait_for
from tests.browser.patience import PATIENCE_MS
from tests.browser.rest import until

FRONTEND = ROOT / "app" / "canvas" / "frontend"
AXE = FRONTEND / "node_modules" / "axe-core" / "axe.min.js"
EMPTY_PAGE = """
import streamlit as st

st.set_page_config('Empty')
st.title('Empty')
st.button('Helped', help='Streamlit puts help beside the page, in no landmark of it.')
"""
CALM = "() => document.getAnimations().every(a => a.playState !== 'running')"
RUN = """async (rules) => (await axe.run(document, {
    resultTypes: ['violations'], ...(rules ? {runOnly: rules} : {})})).violations.flatMap(
    v => v.nodes.map(n => ({rule: v.id, where: n.target.flat().join(' >> '), html: n.html,
                            why: n.failureSummary})))"""


def axe_script() -> str:
    """Return axe-core, installing the canvas's locked packages first where npm is at hand."""
    if not AXE.exists() and shutil.which("npm"):
        subprocess.run(["npm", "ci"], cwd=FRONTEND, check=True, capture_output=True, timeout=300)
    if not AXE.exists():
        pytest.skip("axe-core is not here: run `npm ci` in app/canvas/frontend")
    return AXE.read_text("utf-8")


def violations(page: Page, axe: str, rules: list[str] | None = None) -> list[dict[str, Any]]:
    """Return what axe-core finds wrong with the page, shadow roots included. rules: these only."""
    page.wait_for_function(CALM)
    if not page.evaluate("() => 'axe' in window"):
        page.evaluate(axe)  # not a script tag: so it needs no leave of the page's own rules
    return page.evaluate(RUN, rules)


def describe(found: list[dict[str, Any]]) -> str:
    """One paragraph for each violation."""
    return "\n\n".join(f"{f['rule']}: {f['where']}\n{f['html'][:300]}\n{f['why']}" for f in found)


def empty_streamlit(folder: Path):
    """Serve a Streamlit page with nothing but a title; yield its address."""
    script, log, port = folder / "empty.py", folder / "empty.log", free_port()
    script.write_text(EMPTY_PAGE)
    options = ["--server.headless=true", f"--server.port={port}", "--server.fileWatcherType=none"]
    command = [sys.executable, "-m", "streamlit", "run", str(script), *options]
    environment = os.environ | {"STREAMLIT_BROWSER_GATHER_USAGE_STATS": "false"}
    with log.open("w") as file:
        process = subprocess.Popen(
            command, cwd=folder, env=environment, stdout=file, stderr=subprocess.STDOUT
        )
    try:
        wait_for(f"http://localhost:{port}", process, log)
        yield f"http://localhost:{port}"
    finally:
        end(process)


def checked(page: Page, patience_ms: int = PATIENCE_MS) -> None:
    """Wait until the canvas has the answer to the last edit."""
    status = page.get_by_test_id("status")
    expect(status).to_have_attribute("data-status", "checked", timeout=patience_ms)


def open_lenet(page: Page, address: str) -> None:
    page.goto(address)
    page.locator(".st-key-open_template_lenet_digits button").click()
    checked(page, 60_000)


def focused(page: Page) -> str:
    """What has the focus, inside the canvas too: the block's id, its test id, or its class."""
    return page.evaluate(
        "() => { let e = document.activeElement;"
        " while (e?.shadowRoot?.activeElement) e = e.shadowRoot.activeElement;"
        " return e?.dataset?.id || e?.dataset?.testid || e?.className || ''; }"
    )


def expect_focus(page: Page, wanted: str) -> None:
    until(page, lambda: focused(page) == wanted, f"{wanted} never has the focus")


def press(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)
        page.wait_for_timeout(80)
