"""Citations as a judge sees them: each link tied to the claims of its statement, and what the cited passage says."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import polars as pl

from ragassay.matrices.schema import SCHEMAS
from ragassay.records import Case, Claim, Failure, Judged, Opinion
from ragassay.text.overlap import token_overlap

Row = dict[str, object]


class View(NamedTuple):
    """One judged answer: its claims, what each passage says of each claim, pairs that support a claim jointly."""

    claims: Sequence[Claim]
    positions: Mapping[str, int]
    outcomes: Mapping[tuple[int, int], Opinion | Failure]
    joint: Mapping[int, frozenset[int]]

    def supporters(self, claim: int) -> set[int]:
        """Positions of the passages that support a claim, alone or together."""
        alone = {place for (number, place), outcome in self.outcomes.items() if number == claim and supports(outcome)}
        return alone | set(self.joint.get(claim, ()))


def supports(outcome: Opinion | Failure | None) -> bool:
    return isinstance(outcome, Opinion) and outcome.verdict == "supports"


def judged_citations(citations: pl.DataFrame, cases: Sequence[Case], judged: Sequence[Judged]) -> pl.DataFrame:
    """Matrix `citations` with one row per claim and link. Links of queries that nobody judged stay as they are; where
    judging a whole query failed, each of its links did.
    """
    views: dict[object, View] = {}
    failures: dict[object, Failure] = {}
    for case, each in zip(cases, judged, strict=True):
        if case.answer is not None and case.passages is not None:
            views[case.query] = _view(case, each)
            failures |= {case.query: each.failure} if each.failure else {}
    rows: list[Row] = []
    for (query,), part in citations.group_by("query", maintain_order=True):
        links = part.to_dicts()
        if query in failures:
            rows += [_failed(link, failures[query]) for link in links]
        else:
            rows += _judge_links(links, views[query]) if query in views else links
    return pl.DataFrame(rows, schema=SCHEMAS["citations"])


def _failed(link: Row, failure: Failure) -> Row:
    return link if link["missing"] else {**link, "error": failure.error}


def _view(case: Case, judged: Judged) -> View:
    own = [each for each in judged.support if each.side == "answer"]
    single = {(each.number, each.passages[0]): each.outcome for each in own if len(each.passages) == 1}
    joint = {each.number: frozenset(each.passages) for each in own if len(each.passages) > 1 and supports(each.outcome)}
    claims = [claim for claim in judged.claims if claim.side == "answer" and claim.checkable]
    positions = {passage.id: place for place, passage in reversed(list(enumerate(case.passages or ())))}
    return View(claims, positions, single, joint)


def _judge_links(links: Sequence[Row], view: View) -> list[Row]:
    statements = {row["statement"]: str(row["text"]) for row in links if row["statement"] is not None}
    by_statement = _claims_by_statement(view.claims, statements)
    rows: list[Row] = []
    for link in links:
        if link["statement"] is None:
            rows.append({**link, **_listed(link, view)})
        elif link["missing"]:
            rows += [{**link, "claim": number} for number in by_statement.get(link["statement"], ())]
        else:
            numbers = by_statement.get(link["statement"], ())
            rows += [{**link, "claim": number, **_said(link, number, view)} for number in numbers]
            rows += [] if numbers else [{**link, "supports": False, "unrelated": True}]
    return with_redundant(rows)


def _claims_by_statement(claims: Iterable[Claim], statements: Mapping[object, str]) -> dict[object, list[int]]:
    """Claim numbers by the statement that they were read from: the one that shares most of their words."""
    found: dict[object, list[int]] = {}
    for claim in claims:
        shared = {number: token_overlap(claim.text, text) or 0.0 for number, text in statements.items()}
        if shared:
            found.setdefault(max(shared, key=lambda number: shared[number]), []).append(claim.number)
    return found


def _said(link: Row, claim: int, view: View) -> Row:
    """What the cited passage says of a claim, and the faults that follow."""
    place = view.positions.get(str(link["passage"]))
    if place is None:
        return {
            "supports": False,
            "wrong_source": bool(view.supporters(claim)),
            "unrelated": not view.supporters(claim),
        }
    outcome = view.outcomes.get((claim, place))
    if isinstance(outcome, Failure):
        return {"error": outcome.error}
    if outcome is None:
        return {}
    supporters = view.supporters(claim)
    return {
        "supports": place in supporters,
        "contradicting": outcome.verdict == "contradicts",
        "wrong_source": place not in supporters and bool(supporters),
        "unrelated": outcome.verdict == "neutral" and not supporters,
        "disputed": outcome.disputed,
    }


def _listed(link: Row, view: View) -> Row:
    """A source that is listed without a mark: it rests under any claim it supports, or is unrelated."""
    place = view.positions.get(str(link["passage"]))
    is_used = place is not None and any(place in view.supporters(claim.number) for claim in view.claims)
    return {"supports": is_used, "unrelated": not is_used}


def with_redundant(rows: Sequence[Row]) -> list[Row]:
    """Marks every supporting link of a claim after the first as redundant; it still counts as supported."""
    seen: set[object] = set()
    marked: list[Row] = []
    for row in rows:
        is_support = row.get("supports") is True and row["claim"] is not None
        marked.append({**row, "redundant": row["claim"] in seen} if is_support else row)
        if is_support:
            seen.add(row["claim"])
    return marked
