"""The archive of a bundle: a zip of stored members one after the other, and nothing else.

Written without compression, times or rights, so that the same members are the same bytes on any
machine. Read strictly: what our writer could not have written is refused before a member is read,
so no archive can hide members, overlap them, inflate them or contain links.
"""

import os
import stat
import struct
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO

from core.files.messages import fail, quote

MOST_MEMBERS = 20_000
LARGEST_BYTES = (2 << 30) - 1
"""Maximum size of an archive with 32-bit sizes."""
LONGEST_NAME = 400
CHUNK = 1 << 20
ANEW = "Ask the sender for a new copy of the bundle."
_END = struct.Struct("<4s4H2LH")
_CENTRAL = struct.Struct("<4s6H3L5H2L")
_LOCAL = struct.Struct("<4s5H3L2H")
_TIME = (1980, 1, 1, 0, 0, 0)
_PLAIN_FILE = (stat.S_IFREG | 0o644) << 16
UTF8 = 0x800
"""The only flag of a member: that its name is not ASCII."""


@dataclass(frozen=True)
class ArchiveMember:
    """A member: where its bytes begin in the archive, how many they are, their checksum."""

    name: str
    start: int
    size: int
    crc: int


def write_archive(file: BinaryIO, members: Sequence[tuple[str, bytes | Path]]) -> None:
    """Write members, in their order, to a file. Raises OSError."""
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        for name, content in members:
            info = zipfile.ZipInfo(name, _TIME)
            info.create_system, info.external_attr = 3, _PLAIN_FILE
            if isinstance(content, bytes):
                archive.writestr(info, content)
                continue
            info.file_size = content.stat().st_size
            with archive.open(info, "w") as target, content.open("rb") as source:
                while chunk := source.read(CHUNK):
                    target.write(chunk)


def list_members(file: BinaryIO) -> list[ArchiveMember]:
    """The members of an archive, in their order. Raises ProjectError for any other archive."""
    size = file.seek(0, os.SEEK_END)
    if size > LARGEST_BYTES:
        fail(
            "",
            f"is larger than {LARGEST_BYTES >> 20} MB.",
            "Share fewer runs, or leave the data out.",
        )
    count, start, length = _read_end(file, size)
    file.seek(start)
    directory = file.read(length)
    entries, at, expected = list[ArchiveMember](), 0, 0
    for _ in range(count):
        entry, at, offset = _read_central(directory, at)
        if offset != expected:
            fail(
                _shown(entry.name),
                "does not start where the previous file in the bundle ends.",
                ANEW,
            )
        entries.append(_read_local(file, entry, offset))
        expected = entries[-1].start + entry.size
        if expected > start:
            fail(_shown(entry.name), "is longer than the bundle.", ANEW)
    if at != length or expected != start:
        fail("", "contains bytes outside its files.", ANEW)
    return entries


def _read_end(file: BinaryIO, size: int) -> tuple[int, int, int]:
    """How many members there are; where their directory begins, and its length."""
    if size < _END.size:
        fail("", "is not a bundle: the file is too short.", ANEW)
    file.seek(size - _END.size)
    mark, disk, first, here, count, length, start, comment = _END.unpack(file.read(_END.size))
    if mark != b"PK\5\6" or comment:
        fail("", "is not a bundle, or is incomplete: its end is missing.", ANEW)
    if disk or first or here != count:
        fail("", "is one part of a split archive.", ANEW)
    if count > MOST_MEMBERS:
        fail("", f"has {count:,} files; at most {MOST_MEMBERS:,} are allowed.", ANEW)
    if start + length + _END.size != size or length > count * (_CENTRAL.size + LONGEST_NAME):
        fail("", "contains bytes outside its files.", ANEW)
    return count, start, length


def _read_central(directory: bytes, at: int) -> tuple[ArchiveMember, int, int]:
    """A member as the directory has it, where its next one begins, and where its own header is."""
    if len(directory) - at < _CENTRAL.size:
        fail("", "is incomplete: the list of its files ends too early.", ANEW)
    (
        mark,
        _,
        _,
        flags,
        method,
        _,
        _,
        crc,
        packed,
        size,
        named,
        extra,
        comment,
        disk,
        kind,
        attributes,
        offset,
    ) = _CENTRAL.unpack_from(directory, at)
    begin = at + _CENTRAL.size
    name = _name(directory[begin : begin + named], flags)
    if mark != b"PK\1\2" or extra or comment or disk or kind:
        fail(_shown(name), "has zip fields that bundles do not use.", ANEW)
    if method or packed != size:
        fail(_shown(name), "is compressed; files in a bundle are not.", ANEW)
    if attributes != _PLAIN_FILE:
        fail(_shown(name), "is a link or a folder, not a plain file.", ANEW)
    return ArchiveMember(name, 0, size, crc), begin + named, offset


def _name(raw: bytes, flags: int) -> str:
    if flags & ~UTF8:
        fail("", "contains a file that is encrypted or of unknown length.", ANEW)
    try:
        name = raw.decode("utf-8" if flags else "ascii")
    except UnicodeDecodeError:
        fail("", "contains a file name that is not valid text.", ANEW)
    if not 0 < len(raw) <= LONGEST_NAME:
        fail(
            "", f"contains a file name of {len(raw)} bytes; 1 to {LONGEST_NAME} are allowed.", ANEW
        )
    return name


def _read_local(file: BinaryIO, entry: ArchiveMember, offset: int) -> ArchiveMember:
    """The member with the offset of its bytes; its own header agrees with the directory."""
    file.seek(offset)
    head = file.read(_LOCAL.size)
    if len(head) < _LOCAL.size:
        fail(_shown(entry.name), "is listed but missing from the bundle.", ANEW)
    mark, _, flags, method, _, _, _, packed, size, named, extra = _LOCAL.unpack(head)
    same = (packed, size, method, extra) == (entry.size, entry.size, 0, 0)
    if mark != b"PK\3\4" or not same or _name(file.read(named), flags) != entry.name:
        fail(
            _shown(entry.name),
            "has another name or size in its own header than in the list of files.",
            ANEW,
        )
    return replace(entry, start=offset + _LOCAL.size + named)


def _shown(name: str) -> str:
    return quote(name)


def chunks(file: BinaryIO, entry: ArchiveMember) -> Iterator[bytes]:
    """The bytes of a member, a part at a time."""
    file.seek(entry.start)
    left = entry.size
    while left:
        chunk = file.read(min(CHUNK, left))
        if not chunk:
            fail(_shown(entry.name), "ends too early.", ANEW)
        left -= len(chunk)
        yield chunk
