"""The versions between git's conflict markers."""

import pytest

from core.wings.merge.marked_text import MarkedText, split_versions

BOTH = "a\n<<<<<<< HEAD\nb\n=======\nc\n>>>>>>> feature\nd\n"
THREE = "a\n<<<<<<< HEAD\nb\n||||||| 1234567\nz\n=======\nc\n>>>>>>> feature\nd\n"


def test_lines_between_markers_belong_to_one_version_and_others_to_both():
    assert split_versions(BOTH) == MarkedText(None, "a\nb\nd\n", "a\nc\nd\n", "HEAD", "feature")


def test_the_base_is_read_where_git_wrote_it():
    assert split_versions(THREE) == MarkedText(
        "a\nz\nd\n", "a\nb\nd\n", "a\nc\nd\n", "HEAD", "feature"
    )


def test_several_conflicts_and_windows_line_ends():
    text = (BOTH + BOTH).replace("\n", "\r\n")
    found = split_versions(text)
    assert found is not None
    assert found.ours == "a\r\nb\r\nd\r\na\r\nb\r\nd\r\n"
    assert found.theirs == "a\r\nc\r\nd\r\na\r\nc\r\nd\r\n"


@pytest.mark.parametrize(
    "text",
    [
        "<<<<<<< HEAD\nb\n",
        "<<<<<<< HEAD\nb\n=======\nc\n",
        "=======\n",
        ">>>>>>> feature\n",
        "<<<<<<< HEAD\n<<<<<<< HEAD\n=======\n>>>>>>> x\n",
        "<<<<<<< HEAD\n>>>>>>> x\n",
    ],
)
def test_markers_that_are_not_whole_are_not_taken_apart(text):
    assert split_versions(text) is None
