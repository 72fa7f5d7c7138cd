"""Samples and metrics under the names that ragas gives them, counted by the dictionary's definitions.

`docs/ragas.md` lists where a value differs, and why.
"""

from msgspec import Struct
from msgspec.structs import replace

from ragassay.flow import RunStopped
from ragassay.judges.judging import Bench, judge_case
from ragassay.judges.protocol import Judge
from ragassay.judges.together import finished
from ragassay.matrices import build, cases, with_judgements
from ragassay.metrics.dictionary import DICTIONARY
from ragassay.metrics.evidence import gather
from ragassay.records import Answer, Case, DatasetCard, Failure, Judged, Query, Result, Side, Stance, Support

_ID = "sample"


class Sample(Struct, frozen=True, kw_only=True):
    """One turn. None means not recorded: an empty tuple of contexts is a system that found nothing."""

    user_input: str
    response: str | None = None
    retrieved_contexts: tuple[str, ...] | None = None
    reference: str | None = None


class Score(Struct, frozen=True, kw_only=True):
    """`value` None: there is none, and `reason` says why. Else `reason` lists what lowered it, if anything did."""

    value: float | None
    reason: str


class _Judged:
    """A metric of the dictionary for one sample, on what a judge says of the contexts."""

    _metric: str
    _side: Side

    def __init__(self, judge: Judge) -> None:
        self._judge = judge

    def score(self, sample: Sample) -> Score:
        """As `ascore`; blocks until the judge has answered, in a notebook too."""
        return finished(self._closing(sample))

    async def ascore(self, sample: Sample) -> Score:
        """Never raises for what a judge says or fails to say."""
        contexts = sample.retrieved_contexts
        card = DatasetCard(k=(max(len(contexts or ()), 1),))
        query = Query(id=_ID, question=sample.user_input, reference=sample.reference)
        answer = Answer(query=_ID, answer=sample.response, retrieved=None if contexts is None else _results(contexts))
        (case,) = cases([query], [answer], None, card)
        try:
            judged = await judge_case(Bench(self._judge), self._shown(case))
        except RunStopped as stopped:
            return Score(value=None, reason=str(stopped))
        matrices, _ = build([query], [answer], None, card)
        evidence = gather(with_judgements(matrices, [case], [judged]), "expected")
        metric = DICTIONARY[self._metric]
        fractions = metric.measure(evidence, metric.choose(card.k[0] if metric.cutoff == "required" else None))
        state = int(fractions.state[0])
        if state:
            return Score(value=None, reason=_absent(fractions.absences[state - 1], judged))
        return Score(value=float(fractions.numerator[0] / fractions.denominator[0]), reason=self._lowered(judged))

    async def _closing(self, sample: Sample) -> Score:
        try:
            return await self.ascore(sample)
        finally:
            await self._judge.close()

    def _shown(self, case: Case) -> Case:
        """What the judge may see: the side asked about, never the other one."""
        return replace(case, reference=None) if self._side == "answer" else replace(case, answer=None)

    def _lowered(self, judged: Judged) -> str:
        supported, opposed = (_claims_with(judged, verdict) for verdict in ("supports", "contradicts"))
        return "; ".join(
            f"{'contradicted' if claim.number in opposed else 'not mentioned'}: {claim.text}"
            for claim in judged.claims
            if claim.checkable and claim.number not in supported
        )


class Faithfulness(_Judged):
    """Checkable claims of the response that the contexts support / its checkable claims: `grounded_claim_rate`."""

    _metric, _side = "grounded_claim_rate", "answer"


class ContextRecall(_Judged):
    """Claims of the reference that the contexts support / its claims: `context_recall`."""

    _metric, _side = "context_recall", "reference"


class ContextPrecision(_Judged):
    """Whether contexts that support the reference stand first: `context_precision@k`, k = number of contexts."""

    _metric, _side = "context_precision", "reference"

    def _lowered(self, judged: Judged) -> str:
        places = {each.passages[0] for each in judged.support}
        if not places:
            return "no context"
        useful = {each.passages[0] for each in judged.support if _is(each, "supports")}
        lowering = [place for place in sorted(places - useful) if not useful or place < max(useful)]
        return f"of no use: {', '.join(f'context {place + 1}' for place in lowering)}" if lowering else ""


def _results(contexts: tuple[str, ...]) -> tuple[Result, ...]:
    return tuple(Result(passage=f"#{number}", text=text) for number, text in enumerate(contexts, start=1))


def _claims_with(judged: Judged, verdict: Stance) -> set[int]:
    return {each.number for each in judged.support if _is(each, verdict)}


def _is(support: Support, verdict: Stance) -> bool:
    return not isinstance(support.outcome, Failure) and support.outcome.verdict == verdict


def _absent(absence: str, judged: Judged) -> str:
    failures = [judged.failure] if judged.failure else []
    failures += [each.outcome for each in judged.support if isinstance(each.outcome, Failure)]
    if not absence.startswith("error:") or not failures:
        return absence
    told = (f"{failure.error}{f' ({failure.detail})' if failure.detail else ''}" for failure in failures)
    return "; ".join(dict.fromkeys(told))
