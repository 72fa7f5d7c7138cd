"""Judge and people on the same cases, kept apart: what corrects a judge is known only where both can be seen."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from msgspec import structs

from ragassay.judges.human import NAME, with_people
from ragassay.judges.judging import Bench, judge_cases
from ragassay.judges.remembering import Remembering
from ragassay.records import AnyLabel, Case, Failure, JudgeCard, Judged, Opinion

NOT_LABELLED = Failure(error="not_labelled")


class Apart(NamedTuple):
    """What was said of each case: by people over the judge, by the judge as if nobody had labelled, by people alone,
    and by nobody, where only what code decides is left.
    """

    card: JudgeCard
    together: Sequence[Judged]
    judge: Sequence[Judged]
    people: Sequence[Judged]
    nobody: Sequence[Judged]


async def judge_apart(bench: Bench, labels: Sequence[AnyLabel], cases: Sequence[Case]) -> Apart:
    """Every case judged as if nobody had labelled, then with people's labels over that.

    The second pass asks the judge only what the first did not. Labelled claims are put to the judge too: without that,
    nobody could tell how far it errs.
    """
    bench = bench._replace(judge=Remembering(bench.judge))
    unaided = await judge_cases(bench._replace(relevance=None, embedder=None), cases)
    seated = with_people(bench, labels) or bench
    together = await judge_cases(seated, cases)
    return Apart(
        card=seated.judge.card,
        together=together,
        judge=[_with_context(alone, both) for alone, both in zip(unaided, together, strict=True)],
        people=_kept(together, lambda opinion: opinion.judge == NAME),
        nobody=_kept(together, lambda _: False),
    )


def _with_context(alone: Judged, both: Judged) -> Judged:
    """What no label of a claim touches, asked for once."""
    return structs.replace(
        alone, questions=both.questions, direct=both.direct, relevance=both.relevance, sufficiency=both.sufficiency
    )


def _kept(judged: Sequence[Judged], keeps: Callable[[Opinion], bool]) -> list[Judged]:
    """Without every opinion of a judge that is not kept; what code found, which is nobody's opinion, stays."""

    def outcome(found: Opinion | Failure) -> Opinion | Failure:
        return found if isinstance(found, Opinion) and (not found.judge or keeps(found)) else NOT_LABELLED

    return [
        structs.replace(
            case,
            support=tuple(structs.replace(each, outcome=outcome(each.outcome)) for each in case.support),
            entailment=tuple(structs.replace(each, outcome=outcome(each.outcome)) for each in case.entailment),
            questions=(),
            direct=None,
            relevance=(),
            sufficiency=None,
        )
        for case in judged
    ]
