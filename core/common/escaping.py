"""Text of strangers, such as names in a file, as a language takes it: as text, and as nothing else.

Everything that is written for people or programs goes through one of these; JSON, Python source and
command lines have `json`, `core.source.literal` and `shlex`.
"""

import html
import re

LONGEST = 300
_COMMANDING = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff"
    "\ufff9-\ufffb\U000e0000-\U000e007f\ud800-\udfff]"
)
"""What a terminal or an editor obeys or hides: control characters but tab and line feed, marks of
direction, halves of characters."""
_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", "@": "&#64;"}
_MARKS = re.compile(r"[\\`*_\[\]|~$!]|^[#+-]")
_LISTED = re.compile(r"^(\d+)([.)])")
_TICKS = re.compile("`+")
_NO_XML = re.compile("[\ufffe\uffff]")
"""Characters that no XML document may hold, besides those that `one_line` shows escaped."""
_FORMULA = tuple("=+-@|%\uff1d\uff0b\uff0d\uff20")
"""How a formula begins for some spreadsheet; the last four are wide forms of the first."""


def visible(text: str) -> str:
    """A text as a terminal shows it and does not obey it.

    Names in a file may hold ESC [2J, which clears a screen, or ESC ]52, which writes the clipboard,
    or turn the direction of what follows: they appear as \\x1b and \\u202e.
    """
    return _COMMANDING.sub(lambda found: _escape(found[0]), text)


def _escape(letter: str) -> str:
    number = ord(letter)
    return f"\\x{number:02x}" if number < 256 else f"\\u{number:04x}"


def json_visible(text: str) -> str:
    """A JSON document whose strings hold nothing that a terminal obeys: they have its escapes."""
    return _COMMANDING.sub(lambda found: _json_escape(found[0]), text)


def _json_escape(letter: str) -> str:
    pair = letter.encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{pair[i : i + 4]}" for i in range(0, len(pair), 4))


def one_line(text: object) -> str:
    """A text as one line of a file, such as the name of a class; what ends a line is a space."""
    return visible(" ".join(str(text).splitlines()))


def xml(text: object) -> str:
    """A text as one line of an element or an attribute of XML, SVG or HTML."""
    return _NO_XML.sub("\ufffd", html.escape(one_line(text), quote=True))


def markdown(text: object, longest: int | None = LONGEST) -> str:
    """A text as words of Markdown: no link, picture, HTML, heading, list or row of a table.

    More than `longest` characters end in an ellipsis.
    """
    line = visible(" ".join(str(text).split()))
    line = line if longest is None or len(line) <= longest else line[: longest - 1] + "…"
    line = "".join(_ENTITIES.get(letter, letter) for letter in line)
    line = _LISTED.sub(r"\1\\\2", _MARKS.sub(r"\\\g<0>", line))
    return line.replace("://", ":&#47;/").replace("www.", "www&#46;")


def markdown_code(text: object) -> str:
    """A text in Markdown's code font, within more backticks than it has itself."""
    line = visible(" ".join(str(text).split())) or " "
    ticks = "`" * (1 + max((len(run) for run in _TICKS.findall(line)), default=0))
    room = " " if line.startswith("`") or line.endswith("`") else ""
    return f"{ticks}{room}{line}{room}{ticks}".replace("|", "\\|")


def markdown_block(text: str) -> str:
    """Lines of text as a block of code in Markdown, within a longer fence than they have."""
    lines = visible(text).rstrip("\n")
    ticks = "`" * max(3, 1 + max((len(run) for run in _TICKS.findall(lines)), default=0))
    return f"{ticks}\n{lines}\n{ticks}"


def spreadsheet(text: object) -> str:
    """A text as a cell of a CSV file that no spreadsheet takes for a formula."""
    line = one_line(text)
    return f"'{line}" if line.lstrip()[:1] in _FORMULA else line


def c_string(text: str) -> str:
    """A text as a string of C, C++ or protobuf's text form: all but printable ASCII escaped."""
    escaped = (
        chr(byte) if 32 <= byte < 127 and byte not in b'"\\?' else f"\\{byte:03o}"
        for byte in text.encode("utf-8", "replace")
    )
    return f'"{"".join(escaped)}"'
