"""What a judge says: claims, and opinions about a claim beside a text. A judge is an instrument, and names itself."""

from typing import Literal

from msgspec import Struct

Side = Literal["answer", "reference", "required"]
Other = Literal["answer", "reference", "external"]
Stance = Literal["supports", "contradicts", "neutral"]
"""How a text stands to a claim."""
JudgeKind = Literal["embedded", "llm", "human", "panel"]
AnswerKind = Literal["answered", "partial", "refused", "clarified", "empty", "unreadable"]
"""What an assistant did with a question."""


class JudgeCard(Struct, frozen=True, kw_only=True):
    """Everything about a judge that can change its verdicts. `screens` says that people must confirm what matters.

    `settings` holds whatever else decides: model as returned by the provider, prompt hashes, parameters, thresholds.
    """

    name: str
    kind: JudgeKind
    version: str
    screens: bool
    settings: dict[str, str] = {}

    @property
    def is_people(self) -> bool:
        """Whether people decided all of it, and no model where they said nothing."""
        return self.kind == "human" and self.settings.get("otherwise", "human") == "human"


class Claim(Struct, frozen=True, kw_only=True):
    """A statement that is true or false. `start` and `end` mark it in its source text, where it is verbatim."""

    side: Side
    number: int
    text: str
    start: int | None = None
    end: int | None = None
    checkable: bool = True


class Opinion(Struct, frozen=True, kw_only=True, tag="opinion"):
    """What a judge holds of one claim beside one text.

    `probability` is that the text supports the claim, `contradiction` that it says the opposite. `quote` is a verbatim
    piece of the text on which the verdict rests. `disputed` marks an opinion in the judge's grey band, or one on which
    judges disagree: people decide it.
    """

    verdict: Stance
    probability: float
    contradiction: float = 0.0
    quote: str | None = None
    reason: str | None = None
    disputed: bool = False
    judge: str = ""


class Failure(Struct, frozen=True, kw_only=True, tag="failure"):
    """A judgement that could not be obtained: it has no value, and lowers the coverage. `error` is its name."""

    error: str
    detail: str | None = None


class Usage(Struct, frozen=True, kw_only=True):
    """What judging cost. None is unknown, which is not 0."""

    calls: int = 0
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost: float | None = None


class Passage(Struct, frozen=True, kw_only=True):
    """A passage of the context as the judge sees it."""

    id: str
    text: str


class Case(Struct, frozen=True, kw_only=True):
    """What there is to judge about one query: the answer without its citation marks, the context, the gold.

    `answer` None: nothing was answered, so only the gold side is judged. `passages` None: the context was not recorded.
    """

    query: str
    question: str
    answer: str | None = None
    reference: str | None = None
    required: tuple[str, ...] = ()
    passages: tuple[Passage, ...] | None = None


class Support(Struct, frozen=True, kw_only=True):
    """A claim beside one passage, or beside two at once. `passages` are indexes into the case's passages."""

    side: Side
    number: int
    passages: tuple[int, ...]
    outcome: Opinion | Failure


class Entailment(Struct, frozen=True, kw_only=True):
    """A claim beside the text of the other side."""

    side: Side
    number: int
    other: Other
    outcome: Opinion | Failure


class Judged(Struct, frozen=True, kw_only=True):
    """Everything that a judge said about one case. `failure`: the whole case could not be judged.

    `questions` are those that the answer would answer, each with its cosine to the question asked; `direct` is the
    cosine of question and answer. `relevance` has one value per passage, `sufficiency` is for the context as a whole.
    """

    query: str
    claims: tuple[Claim, ...] = ()
    support: tuple[Support, ...] = ()
    entailment: tuple[Entailment, ...] = ()
    questions: tuple[tuple[str, float], ...] = ()
    direct: float | None = None
    relevance: tuple[float, ...] = ()
    sufficiency: float | None = None
    failure: Failure | None = None
    usage: Usage = Usage()


class Label(Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="kind", tag="claim"):
    """A human judgement of a claim beside a context. It outranks every model.

    `label` is the verdict; `rater` tells whose it is; `id` ties it to what was reviewed.
    """

    claim: str
    context: tuple[str, ...]
    label: Stance
    id: str | None = None
    lang: str | None = None
    slices: tuple[str, ...] = ()
    rater: str | None = None


class CitationLabel(Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="kind", tag="citation"):
    """A human judgement of a citation: does the source support what it stands beside?

    The citation is named by its `passage`, or by its `marker` where the passage is None. `statement` is the text that
    it covers; None: every statement of the answer that carries it.
    """

    query: str
    label: Stance
    passage: str | None = None
    marker: str | None = None
    statement: str | None = None
    id: str | None = None
    rater: str | None = None


class PassageLabel(Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="kind", tag="passage"):
    """A human judgement of a passage of the context: a grade above 0 says that it is useful for the query."""

    query: str
    passage: str
    label: float
    id: str | None = None
    rater: str | None = None

    @property
    def is_useful(self) -> bool:
        return self.label > 0


class RefusalLabel(Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="kind", tag="refusal"):
    """A human judgement of what an answer does. It holds for that `answer` alone; None: for whatever was answered."""

    query: str
    label: AnswerKind
    answer: str | None = None
    id: str | None = None
    rater: str | None = None


AnyLabel = Label | CitationLabel | PassageLabel | RefusalLabel
LabelKind = Literal["claim", "citation", "passage", "refusal"]
