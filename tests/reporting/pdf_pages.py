"""The text of the PDF files that reports are written as, read without a tool of the system."""

import re
import zlib

_OBJECT = re.compile(rb"(\d+) 0 obj\s(.*?)\sendobj", re.S)
_STREAM = re.compile(rb"stream\r?\n(.*?)\nendstream", re.S)
_FONT = re.compile(rb"/(f\d+) (\d+) 0 R")
_TOKEN = re.compile(rb"/(f\d+) [\d.]+ Tf|(\()|\bET\b")
_IN_TEXT = re.compile(rb"\\([0-7]{1,3}|.)|([()])|([^\\()]+)", re.S)
_NAMED = {b"n": b"\n", b"r": b"\r", b"t": b"\t", b"b": b"\b", b"f": b"\f"}


def text_of(pdf: bytes) -> str:
    """Everything that the pages show, a line for each piece of text."""
    assert pdf.startswith(b"%PDF-") and pdf.rstrip().endswith(b"%%EOF")
    objects = {int(m[1]): m[2] for m in _OBJECT.finditer(pdf)}
    shown: list[str] = []
    for body in objects.values():
        held = re.search(rb"/Contents (\d+) 0 R", body)
        content = _content(objects[int(held[1])]) if held else _content(body) if b"/Form" in body else b""
        if b" Tf" in content:
            shown.append(_page(content, _fonts(objects, body)))
    return "\n".join(shown)


def _fonts(objects: dict[int, bytes], body: bytes) -> dict[bytes, dict[int, str]]:
    """The fonts of a page, which are named anew on each."""
    named = body.partition(b"stream")[0]
    for elsewhere in re.findall(rb"/(?:Resources|Font) (\d+) 0 R", named):
        named += objects[int(elsewhere)]
        named += b"".join(objects[int(n)] for n in re.findall(rb"/Font (\d+) 0 R", objects[int(elsewhere)]))
    return {m[1]: _signs(objects, int(m[2])) for m in _FONT.finditer(named)}


def _content(body: bytes) -> bytes:
    found = _STREAM.search(body)
    if found is None:
        return b""
    return zlib.decompress(found[1]) if b"/FlateDecode" in body[: found.start()] else found[1]


def _signs(objects: dict[int, bytes], font: int) -> dict[int, str]:
    """What the glyphs of a font stand for."""
    named = re.search(rb"/ToUnicode (\d+) 0 R", objects.get(font, b""))
    listed = _content(objects[int(named[1])]) if named else b""
    pairs = re.findall(rb"<([0-9A-F]{4})> <([0-9A-F]+)>\n", listed)
    return {int(g, 16): bytes.fromhex(s.decode()).decode("utf-16-be") for g, s in pairs}


def _page(content: bytes, fonts: dict[bytes, dict[int, str]]) -> str:
    font: dict[int, str] = {}
    parts: list[str] = []
    at = 0
    while found := _TOKEN.search(content, at):
        at = found.end()
        if found[1] is not None:
            font = fonts.get(found[1], {})
        elif found[2] is not None:
            codes, at = _literal(content, at)
            parts += [font.get(int.from_bytes(codes[i : i + 2]), "□") for i in range(0, len(codes), 2)]
        else:
            parts.append("\n")
    return "".join(parts)


def _literal(content: bytes, at: int) -> tuple[bytes, int]:
    """The bytes of a text in round brackets, which may hold others, and where it ends."""
    held, depth = b"", 1
    while found := _IN_TEXT.match(content, at):
        at = found.end()
        escaped, bracket, plain = found.groups()
        if bracket is not None:
            depth += 1 if bracket == b"(" else -1
            if not depth:
                break
        if escaped is not None:
            held += bytes([int(escaped, 8)]) if escaped[:1].isdigit() else _NAMED.get(escaped, escaped)
        else:
            held += bracket or plain
    return held, at
