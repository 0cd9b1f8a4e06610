"""CHANGELOG.md and the version: releases in order, dated, short; one version everywhere."""

import re
import subprocess
import sys
import tomllib
from datetime import date
from pathlib import Path

import pytest

from app.cli import main
from app.pages.shared.guide import last_release
from core.common import version
from core.common.version import layerloom_version

ROOT = Path(__file__).resolve().parents[1]
CHANGELOG = (ROOT / "CHANGELOG.md").read_text("utf-8")
GROUPS = ["Added", "Changed", "Fixed", "Security", "Project file"]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]


def sections() -> dict[str, str]:
    """Return the text of each section of the changelog by its heading."""
    parts = re.split(r"^## (.*)\n", CHANGELOG, flags=re.MULTILINE)[1:]
    return dict(zip(parts[::2], parts[1::2], strict=True))


RELEASES = {head: text for head, text in sections().items() if head != "Unreleased"}


def test_the_newest_release_is_the_version_of_the_package() -> None:
    assert next(iter(sections())) == "Unreleased"
    assert next(iter(RELEASES)).split(" - ")[0] == PROJECT["version"]


def test_releases_fall_by_number_and_date() -> None:
    heads = [head.split(" - ") for head in RELEASES]
    numbers = [tuple(map(int, number.split("."))) for number, _ in heads]
    dates = [date.fromisoformat(day) for _, day in heads]
    assert numbers[-1] == (0, 1, 0)
    assert numbers == sorted(set(numbers), reverse=True)
    assert dates == sorted(dates, reverse=True)


@pytest.mark.parametrize("head", RELEASES)
def test_a_release_has_five_to_fifteen_entries_in_known_groups(head: str) -> None:
    entries = re.findall(r"^- ", RELEASES[head], re.MULTILINE)
    assert 5 <= len(entries) <= 15
    groups = re.findall(r"^### (.*)$", RELEASES[head], re.MULTILINE)
    assert groups == [group for group in GROUPS if group in groups]
    assert groups[-1] == "Project file"


def test_the_command_prints_the_version_of_the_package(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--version"])
    assert ended.value.code == 0
    assert capsys.readouterr().out == f"layerloom {PROJECT['version']}\n"


@pytest.mark.gate
def test_the_version_needs_neither_torch_nor_streamlit() -> None:
    code = """
import sys
from app.cli import main
try:
    main(["--version"])
finally:
    print(sorted({"torch", "streamlit"} & set(sys.modules)))
"""
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=True)
    assert done.stdout.splitlines() == [f"layerloom {PROJECT['version']}", "[]"]


def test_a_checkout_knows_its_version_and_the_project_of_another_does_not_count(
    tmp_path: Path,
) -> None:
    assert layerloom_version() == PROJECT["version"]
    file = tmp_path / "pyproject.toml"
    assert version._from_checkout(file) == ""
    file.write_text('[project]\nname = "other"\nversion = "9.1"\n', "utf-8")
    assert version._from_checkout(file) == ""
    file.write_text('[project]\nname = "layerloom"\nversion = "9.1"\n', "utf-8")
    assert version._from_checkout(file) == "9.1"


def test_what_is_new_is_the_newest_release_and_nothing_unreleased() -> None:
    text = (
        "# Changelog\n\n## Unreleased\n\n### Added\n- Later.\n\n"
        "## 0.2.0 - 2026-11-21\n\n### Added\n- One\n  line.\n\n### Fixed\n- Two.\n\n"
        "## 0.1.0 - 2026-11-20\n\n### Added\n- Old.\n"
    )
    assert last_release(text) == (
        "#### 0.2.0 - 2026-11-21\n\n**Added**\n- One\n  line.\n\n**Fixed**\n- Two."
    )
    assert last_release("# Changelog\n\n## Unreleased\n- Later.\n") == ""


def test_the_readme_counts_the_templates_there_are() -> None:
    templates = len(list((ROOT / "projects").glob("*.loom.json")))
    assert f"one of {templates} templates" in (ROOT / "README.md").read_text("utf-8")
