"""Metadata of data without a file: texts inside every Python, and generated samples."""

from core.data.source import Source

PRINTED = "\n" + "".join(map(chr, range(32, 127)))
NAMED = "\0 -ABCDEFGHIJKLMNOPQRSTUVWXYZ"
DATED = "\0 ,-/0123456789abcdefghijklmnopqrstuvwxyz"
SCRIPTS = ("arabic", "cyrillic", "ethiopic", "greek", "latin", "yi")
DIGITS = tuple(str(digit) for digit in range(10))

MADE = (
    Source(
        "python_docs",
        "Python",
        "text",
        "characters",
        (),
        120_000,
        about="The first 120,000 characters of the language reference that ships with every "
        "Python. Another version of Python has a slightly different text.",
        targets=("next", "masked"),
        alphabet=PRINTED,
        windows=True,
    ),
    Source(
        "letter_names",
        "Python",
        "text",
        "names of letters",
        (16,),
        2622,
        classes=SCRIPTS,
        about="What Unicode 3.2, which is inside every Python, calls the letters of six scripts, "
        "without the name of the script itself: MUOX, ALPHA PSILI, HEH MEEM.",
        target_name="script",
        alphabet=NAMED,
    ),
    Source(
        "dates",
        "Python",
        "text",
        "dates",
        (20,),
        4000,
        about="Days from 1950 to 2049 as people write them, and as computers do: made by rule, "
        "after a well-known exercise in translation.",
        targets=("answer",),
        alphabet=DATED,
        answer=10,
    ),
    Source(
        "waves",
        "Python",
        "series",
        "waves",
        (64,),
        1000,
        about="Each is the sum of two sines of random length and phase with a little noise: made "
        "by rule, so the best possible answer is known to be off by about 0.05.",
        targets=("next",),
        target_name="next value",
    ),
    Source(
        "digit_pairs",
        "scikit-learn",
        "image",
        "pictures of two digits",
        (1, 8, 16),
        898,
        classes=DIGITS,
        about="Two handwritten digits side by side; each digit of the data set stands in one "
        "picture only.",
        targets=("labels", "input", "mask"),
        target_name="digits in it",
    ),
    Source(
        "digit_rows",
        "scikit-learn",
        "image",
        "rows of digits",
        (1, 8, 48),
        456,
        classes=DIGITS,
        about="Three to five handwritten digits side by side with gaps of chance, to be read from "
        "left to right. Made of the data set digits, each of which stands in one row only: real "
        "handwriting, but never touching, and all of one size.",
        targets=("sequence", "input", "mask"),
        target_name="digits in their order",
        longest=5,
    ),
)
OF_DIGITS = {"digit_pairs": "two_digits", "digit_rows": "digit_rows"}
"""Data sets made of the digits of scikit-learn, and the function of `reading` that does it."""
