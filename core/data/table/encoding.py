"""The encoding of a text file: by its mark or zeros, UTF-8 where all of it is, else by letters."""

import codecs
import re
from pathlib import Path

from core.common.errors import DataError

UTF8 = "utf-8-sig"
FORMATS = (
    (b"PK\x03\x04", "a zip or an Excel workbook", "Save the sheet as CSV, or unpack the zip."),
    (b"\xd0\xcf\x11\xe0", "an Excel workbook", "Save the sheet as CSV."),
    (b"\x1f\x8b", "compressed by gzip", "Unpack it first."),
    (b"BZh", "compressed by bzip2", "Unpack it first."),
    (b"%PDF", "a PDF", "Copy its table into a spreadsheet, and save that as CSV."),
    (b"PAR1", "a Parquet file", "Save it as CSV: pandas.read_parquet(file).to_csv(...)."),
    (b"\x89HDF", "an HDF5 file", "Save its arrays as NPZ: numpy.savez(file, x=x, y=y)."),
    (b"\x93NUMPY", "an array of NumPy", "Save it as NPZ: numpy.savez(file, x=x, y=y)."),
    (b"SQLite format 3", "a database", "Save its table as CSV."),
)
"""What begins with these bytes whatever its name is, and the way out."""
MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
WINDOWS = "cp1252"
OTHERS = (WINDOWS, "cp1250", "cp1251", "cp1253", "koi8_r", "gb18030", "shift_jis", "big5", "euc_kr")
"""Encodings that a file which is not UTF-8 may have: those that spreadsheets still write."""
NAMES = {
    UTF8: "UTF-8",
    "utf-8": "UTF-8",
    "cp1252": "Windows-1252",
    "cp1250": "Windows-1250",
    "cp1251": "Windows-1251",
    "cp1253": "Windows-1253",
    "gb18030": "GB 18030",
    "shift_jis": "Shift JIS",
    "koi8_r": "KOI8-R",
    "big5": "Big5",
    "euc_kr": "EUC-KR",
    "latin-1": "Latin-1",
}
CHUNK, LOOKED_AT = 1 << 20, 1 << 16
_SIGNS = bytes.fromhex(
    "80 85 89 91 92 93 94 95 96 97 99 a0 a3 a5 a7 a9 ae b0 b1 b2 b3 b5 b7 bc bd be d7 f7"
)
"""Signs of Windows-1252 that tables of every language have: euro, degree, micro, quotes, dashes."""
_IN_A_WORD = re.compile("[\u00a1-\u00bf]\\w|\\w[\u00a1-\u00ae]\\w")


def title_of(encoding: str) -> str:
    """An encoding as people write it."""
    return NAMES.get(encoding, encoding.upper())


def encoding_of(path: Path, name: str) -> str:
    """The encoding that Python's `open` needs. Raises DataError for what is not text."""
    with path.open("rb") as file:
        start = file.read(CHUNK)
    for mark, what, hint in FORMATS:
        if start.startswith(mark) and (b"\0" in start or not start.isascii()):
            raise DataError(f"{name} is not text but {what}.", hint)
    marked = next((encoding for mark, encoding in MARKS if start.startswith(mark)), "")
    marked = marked or _by_zeros(start)
    if marked:
        return marked
    if b"\0" in start:
        raise DataError(
            f"{name} is not text: byte {start.index(0)} is 0.", "Save it as CSV or text in UTF-8."
        )
    if _all_of(path, "utf-8"):
        return UTF8
    return _by_letters(path)


def _by_zeros(start: bytes) -> str:
    """UTF-16 without a mark: every other byte of most characters is 0."""
    even, odd = start[0::2].count(0), start[1::2].count(0)
    half = len(start) // 2
    if half and odd > 0.6 * half and even < 0.05 * half:
        return "utf-16-le"
    return "utf-16-be" if half and even > 0.6 * half and odd < 0.05 * half else ""


def _all_of(path: Path, encoding: str) -> bool:
    decoder = codecs.getincrementaldecoder(encoding)()
    try:
        with path.open("rb") as file:
            while piece := file.read(CHUNK):
                decoder.decode(piece)
            decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True


def _by_letters(path: Path) -> str:
    """What charset-normalizer takes the lines with letters beyond ASCII for; else Windows-1252."""
    from charset_normalizer import from_bytes

    found: list[bytes] = []
    with path.open("rb") as file:
        for line in file:
            if not line.isascii():
                found.append(line)
            if sum(map(len, found)) > LOOKED_AT:
                break
    sample = b"".join(found)[: 2 * LOOKED_AT]
    if not any(byte > 127 and byte not in _SIGNS for byte in sample) and _all_of(path, WINDOWS):
        return WINDOWS  # one sign is too little to guess by, and may be half of a Chinese character
    best = from_bytes(sample, cp_isolation=list(OTHERS)).best()
    encoding = best.encoding if best else WINDOWS
    if encoding == "cp1250" and not _IN_A_WORD.search(sample.decode(WINDOWS, "replace")):
        encoding = WINDOWS  # both write German or French alike, and more people have this one
    return next((e for e in (encoding, WINDOWS) if _all_of(path, e)), "latin-1")
