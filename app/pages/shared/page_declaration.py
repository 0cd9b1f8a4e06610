"""What a page declares of itself: its name, its place in the bar and its purpose."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Page:
    """A page. name: in code and, but for the start page, in the address.

    purpose: what it is for, shown where it needs a project and none is open. steady: it is always
    in the bar; others are in its menu, and in the bar while they were used last. hidden: it is in
    neither. about: it is about the open project,
    so that the browser's tab bears its name and a lesson may lead there. notices: it shows notices
    about the open project. canvas: it has a canvas, which shows by itself that another tab edits
    the project. linked: the words of the link to it, by the name of the page that has the link.
    after: for a page of a wing, the name of the page that it stands behind in the bar.
    """

    name: str
    title: str
    icon: str
    render: Callable[[], None]
    purpose: str = ""
    steady: bool = False
    hidden: bool = False
    about: bool = True
    notices: bool = True
    canvas: bool = False
    linked: Mapping[str, str] = field(default_factory=dict[str, str])
    after: str = ""
