"""What is wrong with a dataset as a measuring instrument, for people and for programs."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec
from rich.console import Console

from ragassay.records import Notice
from ragassay.reports.figures import counted, plural
from ragassay.reports.outline import Column, Section, Span, Table, code, said
from ragassay.reports.terminal import print_section


class Linted(NamedTuple):
    """`spoiling` are findings with which a number would mislead; `others` are good to know.

    `unlabelled` counts the queries without gold that nobody says must be refused; `slices` and `origins` count queries.
    """

    queries: int
    unlabelled: int
    spoiling: Sequence[Notice]
    others: Sequence[Notice]
    slices: Mapping[str, int]
    origins: Mapping[str, int]


def render_lint(linted: Linted, console: Console) -> None:
    """Print the findings, then what the dataset consists of."""
    for section in (_findings(linted), _contents(linted)):
        print_section(section, console)


def lint_json(linted: Linted) -> bytes:
    """One strict JSON document with everything found."""
    return msgspec.json.encode(linted._asdict(), order="sorted")


def lock_json(path: Path) -> bytes:
    """One strict JSON document: where the lock is."""
    return msgspec.json.encode({"lock": str(path)})


def _findings(linted: Linted) -> Section:
    if not linted.spoiling and not linted.others:
        return Section("Findings", (said("Nothing stands in the way of measuring with this dataset.", "good"),))
    rows = tuple(
        (
            Span("spoils" if is_spoiling else "note", "bad" if is_spoiling else "plain"),
            code(each.code),
            Span(f"{each.count:,}"),
            Span(f"{each.message}: {'; '.join(each.samples)}" if each.samples else each.message),
        )
        for is_spoiling, found in ((True, linted.spoiling), (False, linted.others))
        for each in found
    )
    columns = (Column(""), Column("finding"), Column("n", "right"), Column("what it means"))
    return Section("Findings", (Table("", columns, rows),))


def _contents(linted: Linted) -> Section:
    rows = tuple((code(label), Span(f"{count:,}")) for label, count in linted.slices.items())
    without = f"; {linted.unlabelled:,} without relevant ids, for which nothing tells what should be found"
    size = plural(linted.queries, "query", "queries") + (without if linted.unlabelled else "")
    origins = counted(linted.origins) or "nobody said where they come from"
    table = Table("", (Column("slice"), Column("queries", "right")), rows)
    return Section("What it holds", (said(f"{size}."), said(f"Origins: {origins}."), table))
