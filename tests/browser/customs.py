"""What the tests of custom blocks share: a project with code, and a hand for its dialogs."""

from typing import Any

from playwright.sync_api import Locator

from tests.browser.hand import Hand

GATED: dict[str, Any] = {
    "nodes": {
        "image": {"block": "Input", "settings": {"shape": [8, 4, 4]}},
        "gate1": {"block": "Gate", "settings": {"channels": 8}},
        "logits": {"block": "Output"},
    },
    "edges": ["image -> gate1", "gate1 -> logits"],
}
GATE = """class Gate(nn.Module):
    # {which}
    def __init__(self, channels: int, scale: float = 1.0) -> None:
        super().__init__()
        self.fc = nn.Linear(channels, channels)
        self.scale = scale

    def forward(self, x: Tensor) -> Tensor:
        weight = torch.sigmoid(self.fc(x.mean(dim=(2, 3))) * self.scale)
        return x * weight[:, :, None, None]"""


def gate(which: object) -> dict[str, Any]:
    """The parts of a file with the code of Gate: another code for each `which`."""
    lines = GATE.replace("{which}", str(which)).split("\n")
    return {"composites": {"Gate": {"python": lines}}}


def button(hand: Hand, name: str) -> Locator:
    """The last of that name: what a dialog drew before stays for a moment on a busy machine."""
    return hand.page.get_by_role("dialog").get_by_role("button", name=name).last


def area(hand: Hand) -> Locator:
    return hand.page.get_by_role("dialog").get_by_role("textbox", name="Code")


def code(hand: Hand) -> str:
    """What stands in the editor."""
    return "\n".join(area(hand).locator(".cm-line").all_text_contents()).replace("\u200b", "")


def write(hand: Hand, text: str) -> None:
    """Write code into the editor, in place of what is there, and have it checked."""
    area(hand).focus()
    hand.page.keyboard.press("Control+a")
    hand.page.keyboard.insert_text(text)
    button(hand, "Check").click()
