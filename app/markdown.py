"""Text from files and runs, made safe for Streamlit's Markdown labels."""

import re

_PUNCTUATION = re.compile(r"([\\`*_{}\[\]()<>#+\-.!|:$~^=&\"'@/%,;?])")
_NAME = re.compile(r":(?=\S)")
_SPACE = re.compile(r"[\s\x00-\x1f\x7f]+")


def escape_markdown(text: object, limit: int = 200) -> str:
    """Write `text` so that Markdown shows it letter for letter, on one line.

    A word joiner after a colon keeps ":name:" from becoming an icon: those are replaced after
    the escapes are read. Longer text than `limit` characters ends in an ellipsis.
    """
    line = _SPACE.sub(" ", str(text)).strip()
    if len(line) > limit:
        line = line[: limit - 1] + "…"
    return _PUNCTUATION.sub(r"\\\1", _NAME.sub(":\u2060", line))
