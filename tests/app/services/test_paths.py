"""Names that files get, and run folders named from outside."""

import re

import pytest

from app.services import paths


@pytest.mark.parametrize(
    ("name", "stem"),
    [
        ("LeNet on digits (2)!", "lenet-on-digits-2"),
        ("../../etc/passwd", "etc-passwd"),
        ("神经 网络", "神经-网络"),
        ("a" * 60, "a" * 48),
        ("...", ""),
    ],
)
def test_a_file_is_named_after_the_words_of_the_project(name, stem):
    assert paths.stem(name) == stem


def test_a_file_that_python_may_import_has_plain_letters_only():
    assert paths.stem("Größe: A-b 神经", "_", re.ASCII) == "gr_e_a_b"


def test_a_run_is_found_by_its_name_only(tmp_path, monkeypatch):
    monkeypatch.setenv("LAYERLOOM_RUNS", str(tmp_path / "runs"))
    (tmp_path / "runs" / "lenet-001").mkdir(parents=True)
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "runs" / "linked").symlink_to(tmp_path / "elsewhere")
    assert paths.find_run("lenet-001") == tmp_path / "runs" / "lenet-001"
    for name in ("../elsewhere", "linked", "", ".", "lenet-001/", "lenet-001\n", "lenet-001\0"):
        assert paths.find_run(name) is None
