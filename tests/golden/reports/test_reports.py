"""The reports of a fixed run, letter for letter."""

import pytest
from golden.reports.example import FOLDER, fixed, rendered

REPORTS = rendered(*fixed())


@pytest.mark.parametrize("file", ["terminal.txt", "report.md", "report.json"])
def test_a_report_reads_as_before(file):
    assert REPORTS[file] == (FOLDER / file).read_text(encoding="utf-8"), f"see {FOLDER / 'example.py'}"


def test_every_report_is_the_same_for_the_same_run():
    assert rendered(*fixed()) == REPORTS


def test_no_line_of_the_terminal_report_is_wider_than_a_terminal():
    assert max(len(line) for line in REPORTS["terminal.txt"].splitlines()) <= 80
