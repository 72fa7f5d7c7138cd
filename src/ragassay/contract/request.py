"""One request on its way through the stages. What a stage decides is returned and remembered, never raised."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, date, datetime
from time import perf_counter
from types import TracebackType
from typing import NamedTuple, Self

from msgspec.structs import replace

from ragassay.contract import wording
from ragassay.contract.admission import Admissible
from ragassay.contract.asking import Asker, Work
from ragassay.contract.claims import Spoken, cited, mended, spoken, verify_decision
from ragassay.contract.expansion import Dictionary
from ragassay.contract.judges import LONGEST, Graded, Standing, graded, verified
from ragassay.contract.parameters import missing, parameters
from ragassay.contract.recording import Recorder
from ragassay.contract.stages import failed_decision, grade_decision, passage_id, removed_ids, search_decision, titled
from ragassay.records import (
    Answer,
    Citation,
    Compared,
    Decision,
    Failure,
    Requester,
    Result,
    ScoreKind,
    Stage,
    StageOutcome,
    Terms,
    Trail,
)

_LONGEST_REWRITE = 4_000
_SUPPORTED: Standing = "supported"
_NOTHING = Graded(0.0, 0.0)
_Takes = Callable[[Decision, float], Decision]
_BEFORE: Mapping[Stage, Stage] = {"grade": "search", "verify": "grade"}


class Asked(NamedTuple):
    """What the user wants to know, and on which grounds they may be told."""

    id: str
    question: str
    requester: Requester | None = None
    scope: Mapping[str, str] = {}
    as_of: date | None = None


class Means(NamedTuple):
    """What a contract lends to its requests."""

    terms: Terms
    hash: str
    score_kind: ScoreKind
    dictionary: Dictionary
    asker: Asker
    recorder: Recorder | None


class Reply(NamedTuple):
    """What the user is told: the answer as verified, or why there is none. `citations` name what was retrieved."""

    text: str
    outcome: StageOutcome
    citations: tuple[Citation, ...]
    trail: Trail


class Request:
    """The stages for one question, to be called in their order; `rewrite`, `expand` and `filter` may be left out.

    After a stop every later stage returns that stop. One request belongs to one thread or task. As a context manager
    it is finished, and recorded, at the end of the block.
    """

    def __init__(self, means: Means, asked: Asked, admissible: Admissible) -> None:
        self.question = asked.question
        self.rewritten: str | None = None
        self.admissible = admissible
        self.passages: tuple[Result, ...] = ()
        self.citations: tuple[Citation, ...] = ()
        self.answer: str | None = None
        self._means = means
        self._asked = asked
        self._decisions: list[Decision] = []
        self._synonyms: tuple[str, ...] = ()
        self._found: tuple[Result, ...] | None = None
        self._error: str | None = None
        self._started = self._last = perf_counter()
        self._retrieval_ms: float | None = None
        self._is_finished = False

    @property
    def standalone(self) -> str:
        """The question as it is searched and graded: rewritten where it was."""
        return self.rewritten if self.rewritten is not None else self.question

    @property
    def queries(self) -> tuple[str, ...]:
        """What to search for: the question, its rewriting, and that with synonyms from the dictionary behind it."""
        expanded = (" ".join((self.standalone, *self._synonyms)),) if self._synonyms else ()
        return tuple(dict.fromkeys((self.question, self.standalone, *expanded)))

    @property
    def stop(self) -> Decision | None:
        """The decision at which the request stopped; None while it proceeds."""
        return self._decisions[-1] if self._decisions and not self._decisions[-1].proceeds else None

    @property
    def trail(self) -> Trail:
        terms = self._means.terms
        decisions = tuple(self._decisions)
        return Trail(contract=terms.name, version=terms.version, hash=self._means.hash, decisions=decisions)

    @property
    def reply(self) -> Reply:
        """What to tell the user now."""
        stop = self.stop
        text = stop.message or "" if stop is not None else self.answer or ""
        return Reply(text, self.trail.outcome, () if stop is not None else self.citations, self.trail)

    def rewrite(self, question: str) -> Decision:
        """Takes the question as rewritten to stand alone. One that loses a name, number or code is not taken."""
        with self._deciding("rewrite") as deciding:
            if deciding.is_open:
                deciding.decision = self._rewrite(question)
        return deciding.result

    def expand(self) -> Decision:
        """Adds synonyms from the dictionary of the contract to `queries`."""
        with self._deciding("expand") as deciding:
            if deciding.is_open:
                self._synonyms = self._means.dictionary.synonyms(self.standalone)
                reason = "expanded" if self._synonyms else "nothing_to_expand"
                deciding.decision = Decision(stage="expand", outcome="proceed", reason=reason)
        return deciding.result

    def filter(self) -> Decision:
        """Whether anything at all may be searched; what, is in `admissible`. To be called before the search."""
        with self._deciding("filter") as deciding:
            if deciding.is_open and self.admissible.is_empty():
                message = self._refusal("search")
                deciding.decision = Decision(
                    stage="filter", outcome="abstain", reason="nothing_admissible", message=message
                )
            elif deciding.is_open:
                deciding.decision = Decision(stage="filter", outcome="proceed", reason="admissible")
        return deciding.result

    def search(self, results: Iterable[Result]) -> Decision:
        """Looks at what the search brought; `passages` are what is admissible and scores well enough, in its order."""
        with self._deciding("search") as deciding:
            if deciding.is_open:
                self._retrieval_ms = _milliseconds(self._last)
                deciding.decision = self._search(tuple(results))
        return deciding.result

    def grade(self) -> Decision:
        """Whether the passages answer the question, before a model writes. Blocks no longer than the budget."""
        with self._deciding("grade") as deciding:
            if deciding.is_open:
                work, budget = self._grading(), self._means.terms.budget.grade
                deciding.decision = self._graded(self._means.asker.ask(work, budget) if work else _NOTHING)
        return deciding.result

    async def agrade(self) -> Decision:
        """The same, while the event loop goes on."""
        with self._deciding("grade") as deciding:
            if deciding.is_open:
                work, budget = self._grading(), self._means.terms.budget.grade
                deciding.decision = self._graded(await self._means.asker.aask(work, budget) if work else _NOTHING)
        return deciding.result

    def verify(self, answer: str, citations: Sequence[Citation] | None = None) -> Decision:
        """Checks the claims of an answer against the passages, and its citations against what was retrieved.

        `answer` of the request is then what may be shown. Blocks no longer than the budget.
        """
        with self._deciding("verify") as deciding:
            if deciding.is_open:
                said, budget = spoken(answer[: LONGEST + 1]), self._means.terms.budget.verify
                work = self._verifying(said)
                standings = self._means.asker.ask(work, budget) if work else _unsupported(said)
                deciding.decision = self._verified(said, citations, standings)
        return deciding.result

    async def averify(self, answer: str, citations: Sequence[Citation] | None = None) -> Decision:
        """The same, while the event loop goes on."""
        with self._deciding("verify") as deciding:
            if deciding.is_open:
                said, budget = spoken(answer[: LONGEST + 1]), self._means.terms.budget.verify
                work = self._verifying(said)
                standings = await self._means.asker.aask(work, budget) if work else _unsupported(said)
                deciding.decision = self._verified(said, citations, standings)
        return deciding.result

    def finish(self) -> None:
        """Hands the observation to the recorder, once. The end of the `with` block does it."""
        if self._is_finished:
            return
        self._is_finished = True
        if self._means.recorder is not None:
            self._means.recorder.record(self.observation())

    def observation(self) -> Answer:
        """The request as metrics count it. `candidates` are what the search gave, `retrieved` what was left of it;
        nothing was `packed` where the request stopped before a model wrote."""
        reached = {each.stage for each in self._decisions if each.proceeds}
        reply = self.reply
        return Answer(
            query=self._asked.id,
            answer=reply.text or None,
            candidates=self._found,
            retrieved=self.passages if self._found is not None else None,
            packed=tuple(map(passage_id, self.passages)) if "grade" in reached else None,
            score_kind=self._means.score_kind,
            citations=reply.citations,
            retrieval_ms=self._retrieval_ms,
            total_ms=_milliseconds(self._started),
            complete=self._error is None,
            error=self._error,
            time=datetime.now(UTC).isoformat(timespec="milliseconds"),
            outcome=reply.outcome,
            actions=reply.trail.as_actions(),
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, raised: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is not None:
            self._error = f"application_raised: {kind.__name__}"
        self.finish()

    def _deciding(self, stage: Stage) -> "_Deciding":
        before = _BEFORE.get(stage)
        places = {each.stage: place for place, each in enumerate(self._decisions)}
        is_due = before is None or places.get(before, -1) >= max(places.get("search", -1), 0)
        barrier = None if is_due else self._blocked(stage, "out_of_order")
        return _Deciding(lambda error: self._blocked(stage, "internal_error", error), self.stop, barrier, self._take)

    def _blocked(self, stage: Stage, reason: str, error: str | None = None) -> Decision:
        message = wording.unchecked(self.question)
        return Decision(stage=stage, outcome="block", reason=reason, error=error, message=message)

    def _take(self, decision: Decision, started: float) -> Decision:
        self._last = perf_counter()
        taken = replace(decision, ms=round((self._last - started) * 1000, 3))
        self._decisions.append(taken)
        return taken

    def _rewrite(self, question: str) -> Decision:
        lost = missing(parameters(self.question), [question])
        if lost:
            removed = (removed_ids("lost", list(lost)),)
            return Decision(stage="rewrite", outcome="proceed", reason="rewriting_lost_something", removed=removed)
        if not question.strip() or len(question) > _LONGEST_REWRITE:
            return Decision(stage="rewrite", outcome="proceed", reason="rewriting_unusable")
        self.rewritten = question
        return Decision(stage="rewrite", outcome="proceed", reason="rewritten")

    def _search(self, results: tuple[Result, ...]) -> Decision:
        self._found = results
        means = self._means
        decision, self.passages = search_decision(means.terms.search, means.score_kind, results, self.admissible)
        return decision if decision.proceeds else replace(decision, message=self._refusal("search"))

    def _texts(self) -> list[str]:
        return [each.text for each in self.passages if each.text]

    def _titled_texts(self) -> list[str]:
        title = self.admissible.title
        return [titled(title(each.document, each.revision), each.text) for each in self.passages if each.text]

    def _grading(self) -> Work[Graded | Failure] | None:
        """What to ask about the context; None where there is none to ask about."""
        question, texts = self.standalone, self._titled_texts()
        return (lambda judges: graded(judges, question, texts)) if texts else None

    def _graded(self, said: Graded | Failure) -> Decision:
        terms = self._means.terms.grade
        if isinstance(said, Failure):
            decision = grade_decision(terms, None, None, _error(said))
        else:
            decision = grade_decision(terms, said.sufficiency, said.relevancy)
        return decision if decision.proceeds else self._with_message(decision)

    def _verifying(self, said: Spoken) -> Work[list[Standing] | Failure] | None:
        claims, texts = said.claim_texts, self._texts()
        return (lambda judges: verified(judges, claims, texts)) if claims and texts else None

    def _verified(
        self, said: Spoken, citations: Sequence[Citation] | None, standings: list[Standing] | Failure
    ) -> Decision:
        terms = self._means.terms.verify
        if not said.text.strip() or len(said.answer) > LONGEST:
            reason = "answer_too_long" if said.text.strip() else "empty_answer"
            return self._with_message(Decision(stage="verify", outcome="block", reason=reason))
        found = cited(said, citations, self.passages)
        failure = standings if isinstance(standings, Failure) else None
        known = [_SUPPORTED] * len(said.claims) if isinstance(standings, Failure) else standings
        decision = verify_decision(terms, said, known, found)
        if failure is not None and decision.proceeds:
            decision = failed_decision("verify", terms.when_judge_fails, _error(failure), removed=decision.removed)
        if decision.proceeds:
            text = mended(terms, said, known, found, lambda fault: wording.mark(self.question, fault))
            if not text:
                decision = replace(decision, outcome="block", reason=decision.removed[0].reason)
            else:
                self.answer, self.citations = text, found.citations
        rate = known.count(_SUPPORTED) / len(known) if known and failure is None else None
        decision = replace(decision, numbers=(Compared(name="grounded_claim_rate", value=rate),))
        return decision if decision.proceeds else self._with_message(decision)

    def _with_message(self, decision: Decision) -> Decision:
        is_checked = decision.reason != "judge_failed"
        return replace(
            decision, message=self._refusal(decision.stage) if is_checked else wording.unchecked(self.question)
        )

    def _refusal(self, stage: str) -> str:
        """What the user is told, from what they may read of what was found."""
        may_see = [each for each in self._found or () if self.admissible.allows(each.document, each.revision)]
        titled = [self.admissible.title(each.document, each.revision) for each in may_see]
        titles = [title for title in titled if title]
        texts = [*titles, *(each.text for each in may_see if each.text)]
        return wording.refusal(self.question, stage, missing(parameters(self.question), texts), titles)


class _Deciding:
    """The time and the outcome of one stage; what is raised inside of it becomes a block. After a stop nothing runs."""

    def __init__(
        self, failed: Callable[[str], Decision], stop: Decision | None, barrier: Decision | None, take: _Takes
    ) -> None:
        self.is_open = stop is None and barrier is None
        self.decision = stop or barrier
        self._is_stopped = stop is not None
        self._failed = failed
        self._take = take
        self._started = perf_counter()

    @property
    def result(self) -> Decision:
        return self.decision or self._failed("undecided")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, raised: BaseException | None, trace: TracebackType | None
    ) -> bool:
        if kind is not None and not issubclass(kind, Exception):
            return False
        if kind is not None:
            self.decision = self._failed(kind.__name__)
        if not self._is_stopped:
            self.decision = self._take(self.result, self._started)
        return True


def _unsupported(said: Spoken) -> list[Standing]:
    """Claims with no text to support them."""
    return ["unsupported"] * len(said.claims)


def _error(failure: Failure) -> str:
    return failure.error if failure.detail is None else f"{failure.error}: {failure.detail}"


def _milliseconds(start: float) -> float:
    return round((perf_counter() - start) * 1000, 3)
