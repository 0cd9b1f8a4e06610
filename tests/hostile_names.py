"""Names that strangers give to columns, classes and files; none may do anything where it stands."""

import re

HOSTILE = (
    "two\nlines",
    "carriage\rreturn",
    "`code`",
    "```",
    "``` \n# fenced",
    "a|b",
    "|---|---|",
    "$(touch x)",
    "`touch x`",
    "; rm -rf x",
    "a && b",
    'say "hi"',
    "it's",
    '"""',
    "'''",
    "\x1b[31mred",
    "\x1b]52;c;x\x07",
    "\u202egnp.exe",
    "\u2066isolated\u2069",
    "long " * 200,
    "nul\x00here",
    "<script>alert(1)</script>",
    "</script><b>",
    "<img src=x onerror=alert(1)>",
    "{{7*7}}",
    "{x}",
    "${HOME}",
    "$title",
    "%s%n",
    "-->",
    "*/ int x; /*",
    "??/",
    "\\",
    "\\n",
    "[link](http://e.test)",
    "![p](http://e.test/p)",
    "http://e.test",
    "www.e.test",
    "me@e.test",
    "# heading",
    "- item",
    "1. first",
    "> quoted",
    "=cmd()|' /C calc'!A0",
    "key: value",
    "*bold* _it_ ~gone~",
    "&lt;",
    "line\u2028separator",
    "~~~",
    "   spaces   ",
    "\t",
    "Gr\u00f6\u00dfe \u00b5m \u4f60\u597d",
    "\U0001f600",
    'name: "x" }',
    "half \ud800 of one",
)
_COMMANDING = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]"
)


def commanding(text: str) -> list[str]:
    """The characters of a text that a terminal or an editor obeys; line and page are kept."""
    return _COMMANDING.findall(text)
