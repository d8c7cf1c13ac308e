"""XLSX files made by hand, so that a test may also make wrong ones."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping, Sequence
from xml.sax.saxutils import escape

HEADINGS = (
    "Question - max 120 characters", "Answer 1 - max 75 characters", "Answer 2 - max 75 characters",
    "Answer 3 - max 75 characters", "Answer 4 - max 75 characters",
    "Time limit (sec) – 5, 10, 20, 30, 60, 90, 120, or 240 secs", "Correct answer(s) - choose at least one",
)  # fmt: skip
NAMESPACE = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'


def package(parts: Mapping[str, str | bytes]) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as file:
        for name, text in parts.items():
            file.writestr(name, text)
    return data.getvalue()


def cell(column: int, row: int, value: str | float, strings: list[str] | None) -> str:
    place = f"{chr(ord('A') + column)}{row}"
    if not isinstance(value, str):
        return f'<c r="{place}"><v>{value}</v></c>'
    if strings is None:
        return f'<c r="{place}" t="inlineStr"><is><t>{escape(value)}</t></is></c>'
    strings.append(value)
    return f'<c r="{place}" t="s"><v>{len(strings) - 1}</v></c>'


def kahoot(rows: Sequence[Sequence[str | float]], *, shared: bool = True, head_row: int = 8) -> bytes:
    """The template with instructions above; the first question is in the row below the headings."""
    strings: list[str] | None = [] if shared else None
    lines = [f'<row r="1">{cell(1, 1, "Quiz template", strings)}</row>']
    for number, values in enumerate([HEADINGS, *rows], head_row):
        made = "".join(cell(column, number, value, strings) for column, value in enumerate(values, 1) if value != "")
        lines.append(f'<row r="{number}">{made}</row>')
    parts: dict[str, str | bytes] = {
        "[Content_Types].xml": "<Types/>",
        "xl/worksheets/sheet1.xml": f"<worksheet {NAMESPACE}><sheetData>{''.join(lines)}</sheetData></worksheet>",
    }
    if strings is not None:
        made = "".join(f'<si><r><t xml:space="preserve">{escape(s)}</t></r></si>' for s in strings)
        parts["xl/sharedStrings.xml"] = f"<sst {NAMESPACE}>{made}</sst>"
    return package(parts)
