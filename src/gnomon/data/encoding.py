"""Bytes to text: which encoding a file is written in, and streams of its text."""

from __future__ import annotations

import codecs
import io
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, cast

from gnomon.core.errors import UnreadableSource
from gnomon.core.patterns import regex

_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_CHUNK = 1 << 20
_PROBES = 24
_TWO = "gnomon-two-encodings"
_FEW = 8
_WESTERN = regex(r"[\udc80-\udcff][A-Za-z]")
_ASCII = bytes([9, 10, 13, *range(32, 127)])


@dataclass(frozen=True)
class Encoding:
    """How bytes become text.

    Args:
        name: Codec of Python's standard library.
        errors: ``strict``, or ``replace`` where some bytes fit no encoding.
        warning: What to tell the reader, where the choice was not certain.
    """

    name: str
    errors: str = "strict"
    warning: str | None = None

    @property
    def plain(self) -> bool:
        """Whether DuckDB reads the bytes as they are."""
        return self.name == "utf-8" and self.errors == "strict"

    @property
    def lenient(self) -> str:
        """What to do with bytes that do not fit, so that every file is read to its end."""
        return self.errors if self.errors == _TWO else "replace"


def open_bytes(path: Path) -> IO[bytes]:
    """The bytes of ``path``, decompressed where its first bytes say gzip or zstd."""
    with path.open("rb") as f:
        magic = f.read(4)
    if magic[:2] == b"\x1f\x8b":
        import gzip

        return cast("IO[bytes]", gzip.open(path, "rb"))
    if magic == b"\x28\xb5\x2f\xfd":
        import pyarrow as pa

        return io.BufferedReader(cast("io.RawIOBase", pa.CompressedInputStream(pa.OSFile(str(path)), "zstd")))
    return path.open("rb")


def is_compressed(path: Path) -> bool:
    """Whether the first bytes say gzip or zstd."""
    with path.open("rb") as f:
        magic = f.read(4)
    return magic[:2] == b"\x1f\x8b" or magic == b"\x28\xb5\x2f\xfd"


def detect_encoding(path: Path, *, whole: bool) -> Encoding:
    """The encoding of ``path``, from all of its bytes or, unless ``whole``, from its start and places spread over it.

    Raises:
        UnreadableSource: The bytes are not text.
    """
    with open_bytes(path) as f:
        head = f.read(_CHUNK)
    for bom, name in _BOMS:
        if head.startswith(bom):
            return Encoding(name, "replace" if name != "utf-8-sig" else _errors_of(path, name))
    if wide := _wide_without_bom(head):
        return Encoding(
            wide, "replace", f"No byte-order mark: read as {wide.upper()} from the pattern of its bytes."
        )
    if not _is_ebcdic(head):
        _refuse_binary(path, head)
    invalid, multibyte, western = _survey(path, whole)
    if not invalid:
        return Encoding("utf-8")
    if multibyte > 4 * invalid and not western:
        return Encoding(
            "utf-8",
            "replace",
            f"{invalid} byte(s) are not valid UTF-8 and are shown as \ufffd; save the file again as UTF-8 to keep them.",
        )
    name = "cp037" if _is_ebcdic(head) else _single_byte(head)
    if name in ("cp1252", "latin-1") and _FEW * multibyte >= invalid:
        codecs.register_error(_TWO, _as_western)
        return Encoding(
            "utf-8",
            _TWO,
            "Some lines of the file are UTF-8 and some cp1252; each was read as what it is. If letters look wrong, save it as UTF-8.",
        )
    return Encoding(
        name,
        "replace",
        f"The file is not UTF-8; it was read as {name}. If letters look wrong, save it as UTF-8 or name its encoding.",
    )


def _as_western(error: UnicodeError) -> tuple[str, int]:
    """Bytes that are no UTF-8, as those of a file that was put together from two are meant."""
    if not isinstance(error, UnicodeDecodeError):
        raise error
    told = error.object[error.start : error.end]
    return told.decode("cp1252" if _decodes(told, "cp1252") else "latin-1"), error.end


def _errors_of(path: Path, name: str) -> str:
    with open_bytes(path) as f:
        decoder = codecs.getincrementaldecoder(name)("strict")
        try:
            for chunk in iter(lambda: f.read(_CHUNK), b""):
                decoder.decode(chunk)
        except UnicodeDecodeError:
            return "replace"
    return "strict"


def _wide_without_bom(head: bytes) -> str | None:
    """UTF-16 of mostly Latin text shows a zero in every other byte."""
    probe = head[:4096]
    if len(probe) < 8 or b"\0" not in probe:
        return None
    even, odd = probe[0::2].count(0) / len(probe[0::2]), probe[1::2].count(0) / len(probe[1::2])
    if odd > 0.6 and even < 0.05:
        return "utf-16-le"
    return "utf-16-be" if even > 0.6 and odd < 0.05 else None


_ENDS = ("\x85", "\u2028", "\u2029", "\x1e", "\x0b", "\x0c")
"""What ends lines where neither a line feed nor a carriage return does: on mainframes, in Unicode, in ASCII's own tables."""


def odd_line_end(path: Path, encoding: Encoding) -> str | None:
    """The sign that ends the lines of a file without a line feed or a carriage return at its start; None elsewhere."""
    with open_bytes(path) as f:
        head = f.read(_CHUNK >> 4)
    text = codecs.getincrementaldecoder(encoding.name)(encoding.lenient).decode(head)
    if "\n" in text or "\r" in text:
        return None
    return max((end for end in _ENDS if end in text), key=text.count, default=None)


def written_with_lines(path: Path, encoding: Encoding, end: str, target: Path) -> None:
    """Write the text of ``path`` as UTF-8 with a line feed wherever ``end`` stands."""
    with open_bytes(path) as source, target.open("w", encoding="utf-8", newline="") as out:
        text = io.TextIOWrapper(source, encoding=encoding.name, errors=encoding.lenient, newline="")
        for chunk in iter(lambda: text.read(_CHUNK), ""):
            out.write(chunk.replace(end, "\n"))


def _is_ebcdic(head: bytes) -> bool:
    """Whether bytes are text of a mainframe: nearly all letters, digits and blanks of its alphabet, none of them ASCII."""
    head = head[:65536]
    if 2 * (len(head) - len(head.translate(None, _ASCII))) >= len(head):
        return False
    text = head.decode("cp037")
    usual = sum(
        1 for c in text if (c.isascii() and (c.isalnum() or c in " ,;|\t\n\r\"'.:/-_")) or c == "\x85"
    )
    return usual >= 0.9 * len(text)


def _refuse_binary(path: Path, head: bytes) -> None:
    probe = head[:65536]
    control = sum(1 for b in probe if b < 32 and b not in (9, 10, 11, 12, 13, 27, 28, 29, 30, 31, 1))
    if probe and (probe.count(0) > max(2, len(probe) * 0.002) or control > max(4, len(probe) * 0.02)):
        raise UnreadableSource(
            f"{path.name} holds binary data, not text.",
            suggestions=["Check that the file is what its name says, or export it again as CSV or Parquet."],
        )


def _survey(path: Path, whole: bool) -> tuple[int, int, int]:
    """Bytes that are not UTF-8, characters of several bytes, and those of the bytes that no character cut in two leaves."""
    invalid = multibyte = western = 0
    decoder = codecs.getincrementaldecoder("utf-8")("surrogateescape")
    for chunk in _chunks(path, whole):
        if chunk.isascii():
            continue
        text = (
            decoder.decode(chunk) if whole else chunk[_boundary(chunk) :].decode("utf-8", "surrogateescape")
        )
        if not whole:
            text = text[:-3]
        bad = sum(1 for c in text if "\udc80" <= c <= "\udcff") if not _encodable(text) else 0
        invalid += bad
        western += len(_WESTERN.findall(text)) if bad else 0
        multibyte += sum(1 for c in text if c > "\x7f") - bad
    return invalid, multibyte, western


def _encodable(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _boundary(chunk: bytes) -> int:
    """Where the first whole character starts in a chunk cut anywhere."""
    start = 0
    while start < min(4, len(chunk)) and chunk[start] & 0xC0 == 0x80:
        start += 1
    return start


def _chunks(path: Path, whole: bool) -> Iterator[bytes]:
    with open_bytes(path) as f:
        if whole:
            yield from iter(lambda: f.read(_CHUNK), b"")
            return
        yield f.read(_CHUNK)
        if is_compressed(path):
            return
        size = path.stat().st_size
        for i in range(1, _PROBES):
            f.seek(size * i // _PROBES)
            yield f.read(_CHUNK // 8)


def _single_byte(head: bytes) -> str:
    """The likeliest of the older encodings for bytes that are not UTF-8."""
    high = [b for b in head if b >= 0x80]
    letters = sum(1 for b in head if 65 <= (b & 0xDF) <= 90)
    if high and len(high) > 0.5 * (letters + len(high)):
        cyrillic = sum(1 for b in high if b >= 0xC0) / len(high)
        for codec in ("shift_jis", "gb18030", "euc_kr", "big5"):
            if cyrillic < 0.95 and _decodes(head, codec):
                return codec
        if cyrillic > 0.9:
            return "cp1251"
    return "cp1252" if _decodes(head, "cp1252") else "latin-1"


def _decodes(head: bytes, codec: str) -> bool:
    try:
        codecs.getincrementaldecoder(codec)("strict").decode(head)
    except UnicodeDecodeError:
        return False
    return True
