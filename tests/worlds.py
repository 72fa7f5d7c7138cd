"""Random observations for the laws: small worlds with everything that can go wrong in them."""

from datetime import date

from hypothesis import strategies as st

from ragassay.formats.bundle import Bundle
from ragassay.records import (
    Answer,
    Citation,
    DatasetCard,
    Document,
    Query,
    Relevance,
    Requester,
    Result,
)

DOCUMENTS = [f"d{number}" for number in range(8)]
GROUPS = ["assembly", "quality"]
AS_OF = date(2026, 10, 1)
TEXTS = [
    "The limit is 80 N·m [1].",
    "Предел равен 80 Н·м [1]. Это проверено [2].",
    "I could not find this in the documents I have.",
    "В документах об этом ничего не сказано.",
    "The documents do not mention the fee. The deadline is 10 days [1].",
    "",
    "Which product do you mean?",
    "The limit is 80 N·m.",
]


@st.composite
def documents(draw):
    found = []
    for document in DOCUMENTS:
        for revision in draw(st.sampled_from([("A",), ("A", "B"), ()])):
            found.append(
                Document(
                    document=document,
                    revision=revision,
                    status=draw(st.sampled_from(["in_force", "superseded", "draft", "withdrawn", "unknown"])),
                    valid_from=draw(st.sampled_from([None, date(2026, 1, 1), date(2027, 1, 1)])),
                    valid_to=draw(st.sampled_from([None, date(2026, 6, 1), date(2028, 1, 1)])),
                    readers=draw(st.sampled_from([None, ("*",), ("assembly",)])),
                )
            )
    return tuple(found)


@st.composite
def queries(draw, name):
    gold = draw(st.lists(st.sampled_from(DOCUMENTS), unique=True, max_size=4))
    relevance = tuple(
        Relevance(
            document=document,
            grade=draw(st.sampled_from([0.0, 1.0, 2.0])),
            need=draw(st.sampled_from([None, None, "either"])),
        )
        for document in gold
    )
    return Query(
        id=name,
        question=f"question {name}",
        answerable=draw(st.sampled_from([True, True, False, None])),
        relevant=draw(st.sampled_from([relevance, relevance, relevance, None])),
        critical=draw(st.booleans()),
        reference=draw(st.sampled_from([None, "The limit is 80 N·m. It was checked.", "Предел равен 80 Н·м."])),
        required_claims=draw(st.sampled_from([None, (), ("80 N·m",), ("80 N·m", "checked")])),
        language=draw(st.sampled_from(["en", "ru", None])),
        slices=tuple(draw(st.lists(st.sampled_from(["table", "paraphrase"]), unique=True))),
        requester=draw(st.sampled_from([None, Requester(("assembly",)), Requester(("quality",))])),
    )


@st.composite
def results(draw, ordered):
    found = []
    for position in range(draw(st.integers(0, 7))):
        document = draw(st.sampled_from(DOCUMENTS))
        found.append(
            Result(
                passage=f"{document}#{draw(st.integers(0, 2))}",
                document=document,
                revision=draw(st.sampled_from([None, "A", "B"])),
                score=float(draw(st.integers(0, 3))) if not ordered else 10.0 - position,
                text=draw(st.sampled_from(["The limit is 80.", "Предел равен 70.", "", "Nothing here."])),
            )
        )
    return tuple(found)


@st.composite
def answers(draw, name):
    ordered = draw(st.booleans())
    retrieved = draw(st.one_of(st.none(), results(ordered), results(ordered), results(ordered)))
    packed = None if not retrieved else draw(st.sampled_from([None, tuple(each.passage for each in retrieved[:2])]))
    text = draw(st.sampled_from([None, *TEXTS]))
    cited = draw(st.sampled_from([None, (Citation(marker="[1]", document="d1"),), ()]))
    return Answer(
        query=name,
        answer=text,
        retrieved=retrieved,
        packed=packed,
        ordered=ordered,
        citations=cited,
        retrieval_ms=draw(st.sampled_from([None, 12.5, 40.0])),
        total_ms=draw(st.sampled_from([None, 900.0])),
        cost=draw(st.sampled_from([None, 0.002])),
        complete=draw(st.sampled_from([None, True, False])),
        error=draw(st.sampled_from([None, None, None, "timeout"])),
    )


@st.composite
def worlds(draw):
    """A bundle of up to five queries with their answers, with or without a corpus."""
    names = [f"q{number}" for number in range(draw(st.integers(1, 5)))]
    return Bundle(
        queries=tuple(draw(queries(name)) for name in names),
        answers=tuple(draw(answers(name)) for name in names if draw(st.integers(0, 5))),
        documents=draw(st.one_of(st.none(), documents())),
        card=DatasetCard(as_of=AS_OF, k=(1, 3), unit="document", disjoint_ids=True),
    )
