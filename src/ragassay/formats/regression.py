"""`cases.jsonl` of a dataset folder: failures that are kept, with their evidence, and asked again.

They lie beside the queries and not in a store, because they are a part of what is asked: whoever has the dataset has
them, they are reviewed like its gold, and its lock pins them.
"""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import msgspec
from msgspec import structs

from ragassay.formats.atomic import replace_file
from ragassay.formats.bundle import Bundle
from ragassay.formats.folder import CASES_NAME, is_file
from ragassay.formats.reading import SAMPLES, Reading, near_miss
from ragassay.formats.tables import read_table
from ragassay.records import Fault, FaultyInput, Notice, PinnedCase, Query, Retired

KINDS = ("incident", "regression")
"""Kinds of cases, each a slice of its own."""


def read_cases(folder: Path) -> tuple[PinnedCase, ...]:
    """Every case of a dataset folder, retired ones too, in the order in which they were kept; none without a file.

    Raises `FaultyInput` with every fault.
    """
    path = folder / CASES_NAME
    if not is_file(path) or not path.stat().st_size:
        return ()
    reading = Reading(CASES_NAME)
    found: dict[str, PinnedCase] = {}
    for line, cells in read_table(path, reading).rows:
        reading.line = line
        try:
            case = msgspec.convert(cells, PinnedCase)
        except msgspec.ValidationError as error:
            message, _, place = str(error).partition(" - at ")
            remedy = "cases are written by `ragassay cases add`; restore the line from the history of the file"
            reading.fault("bad_case", message, field=place.strip("`").removeprefix("$.") or None, remedy=remedy)
            continue
        if found.setdefault(case.id, case) is not case:
            reading.fault("duplicate_case", "two cases have one id", field="id", value=case.id, remedy="remove one")
    reading.raise_faults()
    return tuple(found.values())


def add_case(folder: Path, case: PinnedCase) -> None:
    """Keep one more case. Raises `FaultyInput` where it is kept already, or the cases there cannot be read."""
    kept = read_cases(folder)
    if any(each.id == case.id for each in kept):
        message = "this failure of this run is kept already, or was retired"
        raise FaultyInput([Fault(code="case_exists", message=message, file=CASES_NAME, field="id", value=case.id)])
    _write(folder, (*kept, case))


def retire_case(folder: Path, case: str, retired: Retired) -> PinnedCase:
    """Ask a case no longer; it stays in the file with the reason.

    Raises `FaultyInput` where there is no such case, or it is retired already.
    """
    kept = read_cases(folder)
    by_id = {each.id: each for each in kept}
    if case not in by_id:
        raise FaultyInput([_unknown(case, near_miss(case, tuple(by_id)))])
    known = by_id[case].retired
    if known is not None:
        message = f"the case was retired on {known.date}: {known.reason}"
        raise FaultyInput([Fault(code="case_retired", message=message, file=CASES_NAME, field="id", value=case)])
    changed = structs.replace(by_id[case], retired=retired)
    _write(folder, [changed if each.id == case else each for each in kept])
    return changed


def _unknown(case: str, near: str | None) -> Fault:
    remedy = "`ragassay cases list` shows them" if near is None else f"did you mean {near!r}?"
    return Fault(
        code="unknown_case", message="no case has this id", file=CASES_NAME, field="id", value=case, remedy=remedy
    )


def _write(folder: Path, cases: Iterable[PinnedCase]) -> None:
    replace_file(folder / CASES_NAME, b"".join(msgspec.json.encode(each) + b"\n" for each in cases))


def unmarked(query: Query) -> Query:
    """The query without the slices that cases gave it."""
    return structs.replace(query, slices=tuple(name for name in query.slices if name not in KINDS))


def with_cases(bundle: Bundle, cases: Sequence[PinnedCase]) -> Bundle:
    """The bundle with every case that is not retired among its queries, in slices `incident` and `regression`.

    Where the dataset still holds the query, its wording and gold count, and a notice names those that changed since;
    a query that only a case holds is asked as it was kept.
    """
    live = [case for case in cases if case.retired is None]
    if not live:
        return bundle
    kinds: dict[str, set[str]] = {}
    pinned: dict[str, Query] = {}
    for case in live:
        kinds.setdefault(case.query.id, set()).add(case.kind)
        pinned[case.query.id] = case.query
    known = {query.id: query for query in bundle.queries}
    beyond = [query for name, query in pinned.items() if name not in known]
    changed = [name for name, query in pinned.items() if name in known and _plain(known[name]) != _plain(query)]
    return structs.replace(
        bundle,
        queries=tuple(_marked(query, kinds) for query in (*bundle.queries, *beyond)),
        notices=(*bundle.notices, *_notices([query.id for query in beyond], changed)),
        inputs=(*bundle.inputs, f"{CASES_NAME} ({len(live)} kept of {len(cases)})"),
    )


def _plain(query: Query) -> Query:
    """The query without its slices, which say nothing of what is asked and known."""
    return structs.replace(query, slices=())


def _marked(query: Query, kinds: Mapping[str, set[str]]) -> Query:
    added = tuple(name for name in KINDS if name in kinds.get(query.id, ()) and name not in query.slices)
    return structs.replace(query, slices=(*query.slices, *added)) if added else query


def _notices(beyond: Sequence[str], changed: Sequence[str]) -> list[Notice]:
    said = {
        "cases_beyond_dataset": ("queries that only the kept cases hold; they are asked too", beyond),
        "cases_changed": ("kept cases whose query the dataset has changed since; it is asked as it is now", changed),
    }
    return [
        Notice(code=code, count=len(ids), message=message, samples=tuple(ids[:SAMPLES]))
        for code, (message, ids) in said.items()
        if ids
    ]
