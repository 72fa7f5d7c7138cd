"""XLSX into rows: the first visible sheet that holds anything."""

import io
import re
import struct
import zipfile
import zlib

from python_calamine import CalamineError, CalamineSheet, CalamineWorkbook, SheetTypeEnum, SheetVisibleEnum

from ragassay.formats.delimited import column_names
from ragassay.formats.jsonl import Row
from ragassay.formats.reading import Reading

UNPACKED_LIMIT = 512 << 20
CELL_LIMIT = 10_000_000
ZIP_MAGIC = b"PK\x03\x04"
_CELL = re.compile(rb"""<(?:\w+:)?c\s[^>]*?\br=["']([A-Z]{1,3})(\d{1,7})["']""")
_CHUNK = 1 << 20
_BROKEN_ZIP = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    NotImplementedError,
    RuntimeError,
    OSError,
    EOFError,
    ValueError,
)


def xlsx_rows(data: bytes, reading: Reading) -> list[Row]:
    """Rows under the first line that holds anything, which is the header; `line` is the row as the sheet numbers it.

    Raises `FaultyInput` for a broken or unreasonably large workbook before its cells are laid out in memory.
    """
    _check_size(data, reading)
    try:
        workbook = CalamineWorkbook.from_filelike(io.BytesIO(data))
        sheet = _first_sheet(workbook, reading)
        values = sheet.to_python(skip_empty_area=False) if sheet else []
    except (CalamineError, OSError, ValueError) as error:
        raise _broken(str(error), reading) from None
    lines = [(number, cells) for number, cells in enumerate(values, start=1) if any(cell != "" for cell in cells)]
    if not lines:
        raise reading.stop(
            "empty_file", "the workbook holds no records", expected="a header row and at least one record"
        )
    number, header = lines[0]
    names = column_names([str(cell) for cell in header], number, reading)
    return [
        Row(line, {name: cell for name, cell in zip(names, cells, strict=False) if cell != ""})
        for line, cells in lines[1:]
    ]


def _first_sheet(workbook: CalamineWorkbook, reading: Reading) -> CalamineSheet | None:
    names = [
        sheet.name
        for sheet in workbook.sheets_metadata
        if sheet.typ == SheetTypeEnum.WorkSheet and sheet.visible == SheetVisibleEnum.Visible
    ]
    for name in names:
        sheet = workbook.get_sheet_by_name(name)
        if sheet.total_height:
            if len(workbook.sheets_metadata) > 1:
                reading.note("sheet", f"only the sheet {name!r} was read", name)
            return sheet
    return None


def _check_size(data: bytes, reading: Reading) -> None:
    """A few kilobytes can unpack to gigabytes, and one cell in the last corner makes a dense table of 17 billion."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            if sum(entry.file_size for entry in archive.infolist()) > UNPACKED_LIMIT:
                raise reading.stop(
                    "too_large",
                    f"unpacks to more than {UNPACKED_LIMIT >> 20} MiB",
                    remedy="save the sheet as CSV or Parquet",
                )
            for entry in archive.infolist():
                if entry.filename.startswith("xl/worksheets/") and entry.filename.endswith(".xml"):
                    _check_extent(archive, entry, reading)
    except _BROKEN_ZIP as error:
        raise _broken(str(error), reading) from None


def _check_extent(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, reading: Reading) -> None:
    columns, rows, rest = 0, 0, b""
    with archive.open(entry) as stream:
        while chunk := stream.read(_CHUNK):
            text = rest + chunk
            for found in _CELL.finditer(text):
                columns = max(columns, _column(found[1]))
                rows = max(rows, int(found[2]))
            rest = text[-64:]
    if columns * rows > CELL_LIMIT:
        raise reading.stop(
            "too_large",
            f"{entry.filename} spans {rows} rows and {columns} columns",
            expected=f"at most {CELL_LIMIT} cells",
            remedy="delete the stray cells below and to the right of the table, or save it as CSV",
        )


def _column(letters: bytes) -> int:
    number = 0
    for letter in letters:
        number = number * 26 + letter - 64
    return number


def _broken(reason: str, reading: Reading) -> Exception:
    return reading.stop(
        "broken_file",
        f"no readable XLSX workbook: {reason}",
        remedy="open it in a spreadsheet and save it as .xlsx again",
    )
