"""The cells of an XLSX file's first sheet, read with care: a zip of XML from anybody.

No more is unpacked than ``MAX_UNPACKED`` bytes, no file of the zip is written anywhere or named by it, and a document
type declaration (entities, external files) ends the reading.
"""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from collections.abc import Callable
from xml.parsers import expat

from .text import Unreadable

MAX_UNPACKED = 8 * 1024 * 1024
MAX_FILES = 200
MAX_CELLS = 60_000
_SHEET = re.compile(r"xl/worksheets/sheet\d+\.xml")
_STRINGS = "xl/sharedStrings.xml"
_CELL = re.compile(r"([A-Z]{1,3})(\d{1,7})")
Rows = dict[int, dict[int, str]]
"""By row (from 1) and column (from 0)."""


def cells(data: bytes) -> Rows:
    """Raises Unreadable."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as package:
            parts = _parts(package)
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, RuntimeError, ValueError) as error:
        raise Unreadable("no XLSX file") from error
    sheets = sorted((name for name in parts if _SHEET.fullmatch(name)), key=lambda name: (len(name), name))
    if not sheets:
        raise Unreadable("no sheet in it")
    strings = _strings(parts[_STRINGS]) if _STRINGS in parts else []
    return _Sheet(strings).read(parts[sheets[0]])


def _parts(package: zipfile.ZipFile) -> dict[str, bytes]:
    """The files of it that matter; what they unpack to is counted as it is read, whatever the zip says of itself."""
    infos = package.infolist()
    if len(infos) > MAX_FILES:
        raise Unreadable("too many files in it")
    parts: dict[str, bytes] = {}
    left = MAX_UNPACKED
    for info in infos:
        if info.filename == _STRINGS or _SHEET.fullmatch(info.filename):
            with package.open(info) as file:
                unpacked = file.read(left + 1)
            left -= len(unpacked)
            if left < 0:
                raise Unreadable("too large")
            parts[info.filename] = unpacked
    return parts


def _parse(
    document: bytes, start: Callable[[str, dict[str, str]], None], end: Callable[[str], None],
    text: Callable[[str], None],
) -> None:  # fmt: skip
    def refused(*_: object) -> int:
        raise Unreadable("a document type declaration")

    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartDoctypeDeclHandler = refused
    parser.EntityDeclHandler = refused
    parser.ExternalEntityRefHandler = refused
    parser.StartElementHandler = lambda name, attributes: start(_local(name), attributes)
    parser.EndElementHandler = lambda name: end(_local(name))
    parser.CharacterDataHandler = text
    try:
        parser.Parse(document, True)
    except expat.ExpatError as error:
        raise Unreadable("a part of it is no XML") from error


def _local(name: str) -> str:
    return name.rpartition(":")[2]


def _strings(document: bytes) -> list[str]:
    """The shared strings; a string may be in several runs, of which phonetic ones are left out."""
    strings: list[str] = []
    inside: list[str] = []

    def start(name: str, _: dict[str, str]) -> None:
        inside.append(name)
        if name == "si":
            strings.append("")
            if len(strings) > MAX_CELLS:
                raise Unreadable("too many strings")

    def end(_: str) -> None:
        inside.pop()

    def text(data: str) -> None:
        if strings and inside[-1] == "t" and "rPh" not in inside:
            strings[-1] += data

    _parse(document, start, end, text)
    return strings


class _Sheet:
    def __init__(self, strings: list[str]) -> None:
        self._strings = strings
        self._rows: Rows = {}
        self._count = 0
        self._at: tuple[int, int] | None = None
        self._type = ""
        self._value = ""
        self._reads = False

    def read(self, document: bytes) -> Rows:
        _parse(document, self._start, self._end, self._text)
        return self._rows

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        if name == "c":
            place = _CELL.fullmatch(attributes.get("r", ""))
            self._at = (int(place[2]), _column(place[1])) if place else None
            self._type, self._value = attributes.get("t", ""), ""
        self._reads = name in ("v", "t")

    def _end(self, name: str) -> None:
        self._reads = False
        if name != "c" or self._at is None or not self._value:
            return
        self._count += 1
        if self._count > MAX_CELLS:
            raise Unreadable("too many cells")
        row, column = self._at
        self._rows.setdefault(row, {})[column] = self._shown()

    def _text(self, data: str) -> None:
        if self._reads:
            self._value += data

    def _shown(self) -> str:
        if self._type != "s":
            return self._value
        place = int(self._value) if self._value.isascii() and self._value.isdigit() else -1
        if not 0 <= place < len(self._strings):
            raise Unreadable("a cell without its text")
        return self._strings[place]


def _column(letters: str) -> int:
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - ord("A") + 1
    return number - 1
