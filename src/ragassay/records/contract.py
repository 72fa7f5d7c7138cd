"""A contract between a RAG application and its users: what each stage must reach before the next one may run."""

from typing import Any, Literal, get_args

from msgspec import Struct, field, to_builtins

from ragassay.records.answer import ScoreKind

Stage = Literal["rewrite", "expand", "filter", "search", "grade", "verify"]
StageOutcome = Literal["proceed", "clarify", "abstain", "block"]
"""`clarify` asks the user back, `abstain` says that nothing suitable was found, `block` withholds an answer or stops
because a stage could not be checked."""
Strictness = Literal["strict", "known", "off"]
"""`strict` admits what is known to be admissible, `known` removes what is known not to be, `off` does not look."""
FaultAction = Literal["refuse", "repair", "mark"]
WhenFails = Literal["open", "closed"]

ASCENDING: tuple[ScoreKind, ...] = ("distance",)
"""Score kinds of which a lower score is better."""
THRESHOLD_KINDS: tuple[ScoreKind, ...] = tuple(kind for kind in get_args(ScoreKind) if kind != "unknown")
"""Score kinds that may have a threshold: a score whose kind nobody knows cannot be compared with anything."""


def _default_thresholds() -> dict[ScoreKind, float]:
    return {"similarity": 0.7}


class FilterTerms(Struct, frozen=True, kw_only=True):
    """Which documents may be searched at all. Access is strict unless said otherwise; of revision and scope much is
    often not recorded, so only what is known to be wrong is removed. A document that the corpus lacks is never
    admitted while one of the three is on."""

    access: Strictness = "strict"
    revision: Strictness = "known"
    scope: Strictness = "known"

    @property
    def is_off(self) -> bool:
        return self.access == self.revision == self.scope == "off"


class SearchTerms(Struct, frozen=True, kw_only=True):
    """The threshold per score kind, in the unit of the score: at least, for a distance at most."""

    thresholds: dict[ScoreKind, float] = field(default_factory=_default_thresholds)


class GradeTerms(Struct, frozen=True, kw_only=True):
    """What the context must reach before the model writes: calibrated probabilities, 0 to 1."""

    context_sufficiency: float = 0.8
    context_relevancy: float = 0.7
    when_judge_fails: WhenFails = "closed"


class VerifyTerms(Struct, frozen=True, kw_only=True):
    """What becomes of an answer with a faulty claim or citation.

    `refuse` withholds the answer, `repair` takes the sentence (of `citation`: the citation) out, `mark` leaves it and
    says so in the text. An answer of which repairs leave nothing is withheld.
    """

    unsupported: FaultAction = "repair"
    contradicted: FaultAction = "refuse"
    citation: FaultAction = "repair"
    when_judge_fails: WhenFails = "closed"


class ExpandTerms(Struct, frozen=True, kw_only=True):
    """The domain dictionary: what stands for a word or phrase. No other synonym is ever added."""

    synonyms: dict[str, tuple[str, ...]] = {}


class BudgetTerms(Struct, frozen=True, kw_only=True):
    """Milliseconds that a judge has at a stage; then the stage goes on without it, as `when_judge_fails` says."""

    grade: float = 500.0
    verify: float = 2000.0


class Terms(Struct, frozen=True, kw_only=True):
    """Everything that a contract file says."""

    name: str
    version: str = "1"
    filter: FilterTerms = FilterTerms()
    search: SearchTerms = SearchTerms()
    grade: GradeTerms = GradeTerms()
    verify: VerifyTerms = VerifyTerms()
    expand: ExpandTerms = ExpandTerms()
    budget: BudgetTerms = BudgetTerms()


class Compared(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A number beside what it had to reach. `value` None: it could not be had."""

    name: str
    value: float | None
    at_least: float | None = None
    at_most: float | None = None

    @property
    def is_reached(self) -> bool:
        if self.value is None:
            return False
        low = self.at_least is None or self.value >= self.at_least
        return low and (self.at_most is None or self.value <= self.at_most)


class Removed(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a stage took out, and why: ids of passages, markers of citations, or sentences as they stood.

    `ids` is a sample of at most 20; `count` is all of them.
    """

    reason: str
    count: int
    ids: tuple[str, ...] = ()


class Decision(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What one stage decided. `reason` is a code, `message` what to tell the user where the request stops here.

    `failed` says that the judge gave nothing in time and the stage went on without it (`open`) or stopped (`closed`);
    `error` then names what happened: never a text from the judge. `ms` is the stage's own time, in milliseconds.
    """

    stage: Stage
    outcome: StageOutcome
    reason: str
    numbers: tuple[Compared, ...] = ()
    removed: tuple[Removed, ...] = ()
    ms: float = 0.0
    failed: WhenFails | None = None
    error: str | None = None
    message: str | None = None

    @property
    def proceeds(self) -> bool:
        return self.outcome == "proceed"


class Trail(Struct, frozen=True, kw_only=True):
    """The decisions on one request, in order, and under which contract they were taken."""

    contract: str
    version: str
    hash: str
    decisions: tuple[Decision, ...] = ()

    @property
    def stop(self) -> Decision | None:
        """The decision at which the request stopped; None while it proceeds."""
        last = self.decisions[-1] if self.decisions else None
        return last if last is not None and not last.proceeds else None

    @property
    def outcome(self) -> StageOutcome:
        return self.stop.outcome if self.stop is not None else "proceed"

    def as_actions(self) -> tuple[dict[str, Any], ...]:
        """The decisions as an observation holds them: one action each."""
        head = {"contract": self.contract, "version": self.version, "hash": self.hash}
        return tuple({**head, **to_builtins(decision)} for decision in self.decisions)
