"""What people should decide of a run: claims, citations, passages and answers on which what was found may be wrong."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, cast

import msgspec
import polars as pl

from ragassay.formats.labels import item_id
from ragassay.formats.review import Beside, Disputed
from ragassay.formats.runs import StoredRun
from ragassay.matrices import Matrices, cases
from ragassay.metrics.claims import context_rows
from ragassay.records import AnyLabel, Case, DatasetCard, Query, Side

RATERS = "raters differ"
GOLD = ("reference", "required")
Row = Mapping[str, Any]
Key = tuple[str, Side, int]


class Material(NamedTuple):
    """A run by query: what was asked, what the judge was shown, what was answered."""

    queries: Mapping[str, Query]
    cases: Mapping[str, Case]
    answers: Mapping[str, str]
    matrices: Matrices

    def passage(self, query: str, passage: str | None) -> tuple[str, ...]:
        """The text of a passage, where the run holds it."""
        case = self.cases.get(query)
        return tuple(each.text for each in (case.passages if case else None) or () if each.id == passage)[:1]


def disputed(stored: StoredRun, history: Sequence[AnyLabel], wanted: Collection[str] = ()) -> list[Disputed]:
    """Everything of a run that people should decide, with the texts that it was judged by.

    Of the `wanted` queries every claim and every citation is among them, however sure the judge is.
    """
    known = cases(stored.queries, stored.answers, None, DatasetCard(k=stored.run.card.k))
    material = Material(
        queries={query.id: query for query in stored.queries},
        cases={case.query: case for case in known},
        answers={each.query: each.answer for each in stored.answers if each.answer is not None},
        matrices=stored.matrices,
    )
    seen: dict[str | None, int] = {}
    for label in history:
        seen[label.id] = seen.get(label.id, 0) + 1
    found = [*_claims(material, wanted), *_citations(material, wanted), *_passages(material), *_refusals(material)]
    asked = [(row, material.queries[row.query]) for row in found if row.query in material.queries]
    return [
        msgspec.structs.replace(row, question=query.question, critical=query.critical, seen=seen.get(row.id, 0))
        for row, query in asked
    ]


def _claims(material: Material, wanted: Collection[str]) -> Iterator[Disputed]:
    claims = {_key(row): row for row in material.matrices.claims.iter_rows(named=True)}
    sizes = _counted((row["query"], row["side"]) for row in claims.values() if row["checkable"])
    for key, beside, rows in _groups(material.matrices, wanted):
        text, best = claims[key]["text"], max(rows, key=_probability)
        context = _texts(material.cases.get(key[0]), beside, rows)
        yield Disputed(
            kind="claim",
            id=item_id("claim", "\n".join((key[0], key[1], beside, text)), *context),
            query=key[0],
            side=key[1],
            beside=beside,
            shares=sizes.get(key[:2], 1),
            text=text,
            context=context,
            **_opinion(best),
        )


def _citations(material: Material, wanted: Collection[str]) -> Iterator[Disputed]:
    """Links on which the judge is unsure, or raters differ; the claims of one statement are one link."""
    asked = pl.col("disputed") | pl.col("query").is_in(list(wanted))
    links = material.matrices.citations.filter(~pl.col("missing"))
    places = ["query", "statement", "passage", "marker"]
    sizes = _counted(key[:1] for key in links.select(places).unique().iter_rows())
    for row in links.filter(asked).unique(places, maintain_order=True).iter_rows(named=True):
        of_link = (
            (pl.col("query") == row["query"])
            & (pl.col("side") == "answer")
            & (pl.col("claim") == row["claim"])
            & (pl.col("passage") == row["passage"])
        )
        opinions = material.matrices.support.filter(of_link & pl.col("second").is_null()).to_dicts()
        said: dict[str, Any] = _opinion(opinions[0]) if opinions else {"reason": RATERS}
        said["verdict"] = "supports" if row["supports"] else "contradicts" if row["contradicting"] else "neutral"
        text = row["text"] or ""
        yield Disputed(
            kind="citation",
            id=item_id("citation", row["query"], text, row["passage"] or "", row["marker"] or ""),
            query=row["query"],
            shares=sizes[(row["query"],)],
            text=text,
            passage=row["passage"],
            marker=row["marker"],
            context=material.passage(row["query"], row["passage"]),
            **said,
        )


def _passages(material: Material) -> Iterator[Disputed]:
    """Passages whose use hangs on verdicts that are open, and those on which raters differ."""
    context = context_rows(material.matrices)
    sizes = _counted((query,) for query in context["query"])
    support = material.matrices.support.filter(pl.col("side").is_in(GOLD) & pl.col("second").is_null())
    is_useful = ((pl.col("verdict") == "supports") & ~pl.col("disputed")).any()
    best = support.sort("probability", descending=True, nulls_last=True).group_by("query", "position")
    judged = best.agg(
        (pl.col("disputed").any() & ~is_useful).alias("open"), pl.col("probability", "quote", "verdict").first()
    )
    rows = context.join(judged, on=["query", "position"], how="left")
    asked = rows.filter(pl.col("disputed") | (pl.col("open") & pl.col("useful").is_null()))
    for row in asked.iter_rows(named=True):
        passage = row["passage"] or row["document"]
        question = material.queries[row["query"]].question if row["query"] in material.queries else None
        yield Disputed(
            kind="passage",
            id=item_id("passage", row["query"], passage),
            query=row["query"],
            shares=sizes[(row["query"],)],
            text=question or "",
            passage=passage,
            context=material.passage(row["query"], passage),
            verdict="useful" if row["verdict"] == "supports" else "not useful",
            probability=row["probability"],
            quote=row["quote"],
            reason=RATERS if row["disputed"] else None,
        )


def _refusals(material: Material) -> Iterator[Disputed]:
    """Answers whose wording says other than what is expected, or half of it, and those on which raters differ."""
    refused, spoke = pl.col("observed") == "refused", pl.col("observed").is_in(["answered", "partial"])
    clash = (refused & (pl.col("expected") == "answer")) | (spoke & (pl.col("expected") == "refuse"))
    asked = pl.col("disputed") | clash | (pl.col("observed") == "partial")
    for row in material.matrices.abstention.filter(asked.fill_null(False)).iter_rows(named=True):
        if row["query"] in material.answers:
            text = material.answers[row["query"]]
            yield Disputed(
                kind="refusal",
                id=item_id("refusal", row["query"], text),
                query=row["query"],
                text=text,
                verdict=row["observed"],
                reason=RATERS if row["disputed"] else f"expected: {row['expected'] or 'unknown'}",
            )


def _opinion(row: Row) -> dict[str, Any]:
    return {name: row[name] for name in ("quote", "verdict", "probability", "reason")}


def _counted(keys: Iterable[tuple[Any, ...]]) -> dict[tuple[Any, ...], int]:
    counts: dict[tuple[Any, ...], int] = {}
    for key in keys:
        counts[key] = counts.get(key, 0) + 1
    return counts


def _key(row: Row) -> Key:
    return row["query"], row["side"], row["claim"]


def _groups(matrices: Matrices, wanted: Collection[str]) -> Iterator[tuple[Key, Beside, list[Row]]]:
    """Claim, what it stands beside, and all verdicts there, where one of them is disputed or the query is wanted."""
    frames: list[tuple[pl.DataFrame, str | None]] = [(matrices.support, "context"), (matrices.entailment, None)]
    for frame, fixed in frames:
        groups: dict[tuple[Key, Beside], list[Row]] = {}
        for row in frame.iter_rows(named=True):
            groups.setdefault((_key(row), cast("Beside", fixed or row["other"])), []).append(row)
        for (key, beside), rows in groups.items():
            if key[0] in wanted or any(row["disputed"] for row in rows):
                yield key, beside, rows


def _texts(case: Case | None, beside: Beside, rows: Sequence[Row]) -> tuple[str, ...]:
    """The texts in order of the probability of support, each once; none where the run does not hold them."""
    if case is None:
        return ()
    if beside != "context":
        text = {"answer": case.answer, "reference": case.reference}.get(beside)
        return () if text is None else (text,)
    passages = [passage.text for passage in case.passages or ()]
    ranked = sorted(rows, key=_probability, reverse=True)
    places: list[int] = [place for row in ranked for place in (row["position"], row["second"]) if place is not None]
    return tuple(dict.fromkeys(passages[place - 1] for place in places if place <= len(passages)))


def _probability(row: Row) -> float:
    return -1.0 if row["probability"] is None else row["probability"]
