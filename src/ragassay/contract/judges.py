"""Which judges stand in the request path, and what they are asked there."""

from collections.abc import Callable, Sequence
from itertools import islice
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from ragassay.records import Failure, Fault, FaultyInput, Opinion
from ragassay.text.normalise import comparable
from ragassay.text.sentences import sentences

if TYPE_CHECKING:
    from ragassay.judges.protocol import Judge, Relevance

T = TypeVar("T")

EMBEDDED = "embedded"
LONGEST = 200_000
"""Characters of context, or of an answer, that a judge is shown; more would outlive any deadline."""
MOST_PAIRS = 2_000
_CLOSING = " .;"


class Judges(NamedTuple):
    """Who grades the context, and who verifies claims. `joins`: a claim that no passage supports alone is put beside
    the two likeliest together, for judges that see one text at a time."""

    relevance: "Relevance"
    judge: "Judge"
    joins: bool = False


class Graded(NamedTuple):
    """Calibrated probabilities, 0 to 1."""

    sufficiency: float
    relevancy: float


Standing = str
"""Of a claim: `supported`, `contradicted` or `unsupported`."""


def maker(judges: "str | Judges | Callable[[], Judges]") -> Callable[[], Judges]:
    """What makes the judges, in the thread that will ask them. Raises `FaultyInput` for a name that is none."""
    if isinstance(judges, Judges):
        return lambda: judges
    if not isinstance(judges, str):
        return judges
    model, _, url = judges.removeprefix("llm:").rpartition("@")
    is_endpoint = judges.startswith("llm:") and bool(model and url)
    if judges != EMBEDDED and not is_endpoint and not (judges.endswith(".toml") and Path(judges).is_file()):
        raise FaultyInput([_unknown(judges)])
    return lambda: _named(judges)


async def warmed(judges: Judges) -> bool:
    """Asks once, so that what loads at the first question is loaded. A judge that may be paid is left alone."""
    await judges.relevance.relevance("Is it ready?", ["It is ready."])
    if judges.judge.card.kind == "embedded":
        await judges.judge.verify(["It is ready."], ["It was not ready."], [(0, 0)])
    return True


async def graded(judges: Judges, question: str, texts: Sequence[str]) -> Graded | Failure:
    """How far the texts are about the question, and whether they answer it. Without texts neither is anything."""
    if not texts:
        return Graded(0.0, 0.0)
    if len(question) + sum(map(len, texts)) > LONGEST:
        return Failure(error="too_long")
    related = _taken(await judges.relevance.relevance(question, texts), len(texts))
    sufficiency = await judges.relevance.sufficiency(question, texts)
    if related is None or not all(map(_is_probability, (*related, sufficiency))):
        return Failure(error="malformed")
    return Graded(float(sufficiency), float(max(related)))


async def verified(judges: Judges, claims: Sequence[str], texts: Sequence[str]) -> list[Standing] | Failure:
    """Per claim whether some text supports it. What any judgement lacks that could change this fails the whole. A claim
    that is a sentence of some text, word for word, is supported: no judge is asked whether it is.
    """
    if sum(map(len, claims)) + sum(map(len, texts)) > LONGEST or len(claims) * len(texts) > MOST_PAIRS:
        return Failure(error="too_long")
    quotable = {_bare(text[span.start : span.end]) for text in texts for span in sentences(text)}
    open_ = [place for place, claim in enumerate(claims) if _bare(claim) not in quotable]
    judged = await _judged(judges, [claims[place] for place in open_], texts)
    if isinstance(judged, Failure):
        return judged
    standings: list[Standing] = ["supported"] * len(claims)
    for place, standing in zip(open_, judged, strict=True):
        standings[place] = standing
    return standings


async def _judged(judges: Judges, claims: Sequence[str], texts: Sequence[str]) -> list[Standing] | Failure:
    pairs = [(claim, text) for claim in range(len(claims)) for text in range(len(texts))]
    said = _opinions(await judges.judge.verify(claims, texts, pairs) if pairs else (), len(pairs))
    if said is None:
        return Failure(error="malformed")
    width = len(texts)
    opinions = [said[place * width : (place + 1) * width] for place in range(len(claims))]
    standings = [_standing(each) for each in opinions]
    if judges.joins and width > 1:
        await _join(judges, claims, texts, opinions, standings)
    failed = next((each for each in standings if isinstance(each, Failure)), None)
    return failed if failed is not None else [each for each in standings if not isinstance(each, Failure)]


async def _join(
    judges: Judges,
    claims: Sequence[str],
    texts: Sequence[str],
    opinions: Sequence[Sequence[Opinion | Failure]],
    standings: list[Standing | Failure],
) -> None:
    """Puts what no passage supports alone beside the two likeliest, in the order of the context."""
    open_ = [place for place, standing in enumerate(standings) if standing == "unsupported"]
    if not open_:
        return
    joined = ["\n\n".join(texts[text] for text in _best_two(opinions[place])) for place in open_]
    pairs = [(number, number) for number in range(len(open_))]
    said = _opinions(await judges.judge.verify([claims[place] for place in open_], joined, pairs), len(pairs))
    if said is None:
        said = [Failure(error="malformed")] * len(pairs)
    for place, opinion in zip(open_, said, strict=True):
        if isinstance(opinion, Failure) or opinion.verdict == "supports":
            standings[place] = opinion if isinstance(opinion, Failure) else "supported"


def _opinions(said: Sequence[object], wanted: int) -> list[Opinion | Failure] | None:
    """One judgement per pair; None where it is not that."""
    found = [each for each in _taken(said, wanted) or () if isinstance(each, Opinion | Failure)]
    return found if len(found) == wanted else None


def _taken(said: Sequence[T], wanted: int) -> list[T] | None:
    """The items of a reply that has so many. A reply may be of any size and lie about it: no more is ever read."""
    if len(said) != wanted:
        return None
    taken = list(islice(iter(said), wanted + 1))
    return taken if len(taken) == wanted else None


def _best_two(opinions: Sequence[Opinion | Failure]) -> list[int]:
    weighed = [each.probability if isinstance(each, Opinion) else 0.0 for each in opinions]
    return sorted(sorted(range(len(weighed)), key=lambda place: -weighed[place])[:2])


def _standing(opinions: Sequence[Opinion | Failure]) -> Standing | Failure:
    verdicts = {each.verdict for each in opinions if isinstance(each, Opinion)}
    if "supports" in verdicts:
        return "supported"
    failed = next((each for each in opinions if isinstance(each, Failure)), None)
    if failed is not None:
        return Failure(error="judge", detail=failed.error[:40])
    return "contradicted" if "contradicts" in verdicts else "unsupported"


def _bare(sentence: str) -> str:
    return comparable(sentence).rstrip(_CLOSING)


def _is_probability(value: float) -> bool:
    return isfinite(value) and 0 <= value <= 1


def _named(name: str) -> Judges:
    """The judges of a name. One thread each: in a request path the other cores are the application's."""
    if name == EMBEDDED:
        from ragassay.judges.embedded import EmbeddedJudge  # noqa: PLC0415  numpy, which only this judge needs

        # Two of them, because each works in one thread, and a grade would wait for the claims of other requests.
        grading = EmbeddedJudge(threads=1, with_cross_encoder=False)
        return Judges(grading, EmbeddedJudge(threads=1), joins=True)
    from ragassay.judges.naming import bench_named  # noqa: PLC0415  SciPy and a web client

    bench = bench_named(name)
    if bench is None or bench.relevance is None:
        raise FaultyInput([_unknown(name)])
    return Judges(bench.relevance, bench.judge, bench.joins)


def _unknown(name: str) -> Fault:
    return Fault(
        code="unknown_judge",
        message="there is no judge of this name",
        field="judges",
        value=repr(name[:60]),
        expected=f"{EMBEDDED}, llm:MODEL@URL, or a .toml file that describes an endpoint",
    )
