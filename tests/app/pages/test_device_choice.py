"""The Train form offers the devices that work here, and says so where the project's is not."""

from typing import Any

import pytest

from app.services import devices
from tests.app.tab import Tab


def words(boxes: Any) -> list[str]:
    """Without what keeps Markdown from reading signs in it."""
    return [box.value.replace("\\", "").replace("\u2060", "") for box in boxes]


@pytest.fixture
def elsewhere(lenet: Tab, monkeypatch: pytest.MonkeyPatch) -> Tab:
    """A project that was saved with cuda:1, on a machine with one other GPU."""
    entries = [
        {"device": "cpu", "name": "CPU", "fault": ""},
        {"device": "cuda:0", "name": "NVIDIA H100", "fault": ""},
        {"device": "mps", "name": "Apple GPU", "fault": "MPS backend out of memory"},
    ]
    monkeypatch.setattr(devices, "may_have_gpu", lambda: True)
    monkeypatch.setattr(devices, "trial", lambda: type("Trial", (), {"entries": entries}))
    lenet.document.change(training={**lenet.document.project.training, "device": "cuda:1"})
    return lenet.go("train")


def test_a_project_of_another_machine_opens_with_one_message_and_a_way_out(elsewhere: Tab) -> None:
    elsewhere.assert_calm()
    told = [text for text in words(elsewhere.at.warning) if "cuda:1" in text]
    assert told == [
        "This project trains on cuda:1, which this machine does not have or cannot use. Devices "
        "here: cpu, cuda:0. Choose one of them or auto; nothing else of the project depends on it."
    ]
    choice = elsewhere.at.selectbox(key=f"{elsewhere.document.doc_id}:device")
    assert (choice.options, choice.value) == (["auto", "cpu", "cuda:0", "cuda:1"], "cuda:1")
    assert (
        "mps is not available: one step of a small network fails on it (MPS backend out of memory)."
    ) in words(elsewhere.at.caption)


def test_another_device_is_chosen_in_place_and_the_message_goes(elsewhere: Tab) -> None:
    field = f"{elsewhere.document.doc_id}:device"
    elsewhere.at.selectbox(key=field).set_value("cuda:0").run()
    assert elsewhere.document.project.training["device"] == "cuda:0"
    assert [text for text in words(elsewhere.at.warning) if "cuda:1" in text] == []
    elsewhere.at.run()
    assert elsewhere.at.selectbox(key=field).options == ["auto", "cpu", "cuda:0"]
