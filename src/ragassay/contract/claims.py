"""An answer beside its context: its claims, its citations as the retrieval knows them, and its repair."""

from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from ragassay.contract.judges import Standing
from ragassay.contract.stages import removed_ids
from ragassay.records import Citation, Decision, FaultAction, Removed, Result, VerifyTerms
from ragassay.text.marks import Mark, marked_sentences, strip_marks
from ragassay.text.sentences import Span, sentences
from ragassay.text.statements import statements

_MOST_CITED = 99
_BRACKETS = "[]【】()^ "


class Spoken(NamedTuple):
    """An answer taken apart: its text without citation marks, the marks, the sentences, and the claims in them."""

    answer: str
    text: str
    marks: Sequence[Mark]
    sentences: Sequence[Span]
    claims: Sequence[Span]

    @property
    def claim_texts(self) -> list[str]:
        return [self.text[span.start : span.end] for span in self.claims]


class Cited(NamedTuple):
    """What the citations name: sources that were retrieved, and labels that name none of them."""

    citations: tuple[Citation, ...]
    unresolved: tuple[str, ...]


def spoken(answer: str) -> Spoken:
    """Takes an answer apart. Linear in its length."""
    text, marks = strip_marks(answer, _MOST_CITED)
    return Spoken(answer, text, marks, sentences(text), statements(text))


def cited(said: Spoken, citations: Sequence[Citation] | None, passages: Sequence[Result]) -> Cited:
    """Every citation, declared or marked in the text, as the retrieval knows it. What the model calls a source is only
    looked up, never believed."""
    declared = {_label(each.marker): each for each in citations or () if each.marker is not None}
    found: dict[str, Result | None] = {label: _resolve(each, label, passages) for label, each in declared.items()}
    for mark in said.marks:
        found.setdefault(mark.label, _numbered(mark.label, passages))
    for place, each in enumerate(each for each in citations or () if each.marker is None):
        found[f"citation {place + 1}"] = _resolve(each, None, passages)
    resolved = {label: result for label, result in found.items() if result is not None}
    shown = {mark.label: said.answer[mark.span.start : mark.span.end] for mark in said.marks}
    shown |= {label: each.marker for label, each in declared.items() if each.marker is not None}
    return Cited(
        tuple(_citation(shown.get(label), result) for label, result in resolved.items()),
        tuple(label for label, result in found.items() if result is None),
    )


def verify_decision(terms: VerifyTerms, said: Spoken, standings: Sequence[Standing], found: Cited) -> Decision:
    """What becomes of the answer. Its numbers are added by who knows them."""
    faults = _faults(said, standings, found)
    refused = next((fault for fault in faults if _action(terms, fault.reason) == "refuse"), None)
    if refused is not None:
        return Decision(stage="verify", outcome="block", reason=refused.reason, removed=faults)
    actions = {_action(terms, fault.reason) for fault in faults}
    reason = "repaired" if "repair" in actions else "marked" if actions else "supported" if standings else "no_claims"
    return Decision(stage="verify", outcome="proceed", reason=reason, removed=faults)


def mended(
    terms: VerifyTerms,
    said: Spoken,
    standings: Sequence[Standing],
    found: Cited,
    mark: Callable[[str], str],
) -> str:
    """The answer with faulty sentences and citations taken out or marked; unchanged where nothing is faulty. Empty
    where nothing that states something is left."""
    by_sentence = _faulty_sentences(said, standings)
    if not by_sentence and not found.unresolved:
        return said.answer
    dropped = {place for place, fault in by_sentence.items() if _action(terms, fault) == "repair"}
    if standings and not _states_more(said, dropped):
        return ""
    inserts = _inserts(terms, said, found, mark)
    pieces: list[str] = []
    for place, span in enumerate(said.sentences):
        if place in dropped:
            continue
        piece = _with_inserts(said.text, span, inserts.get(place, ()))
        fault = by_sentence.get(place)
        pieces.append(piece if fault is None else _marked(piece, mark(fault)))
    return "".join(pieces).strip()


def _faults(said: Spoken, standings: Sequence[Standing], found: Cited) -> tuple[Removed, ...]:
    texts = said.claim_texts
    faults = [
        (reason, [texts[place] for place, standing in enumerate(standings) if standing == reason])
        for reason in ("contradicted", "unsupported")
    ]
    faults.append(("unresolved_citation", list(found.unresolved)))
    return tuple(removed_ids(reason, ids) for reason, ids in faults if ids)


def _action(terms: VerifyTerms, reason: str) -> FaultAction:
    actions: Mapping[str, FaultAction] = {
        "unsupported": terms.unsupported,
        "contradicted": terms.contradicted,
        "unresolved_citation": terms.citation,
    }
    return actions[reason]


def _faulty_sentences(said: Spoken, standings: Sequence[Standing]) -> dict[int, str]:
    """The fault of each faulty sentence by its place; the worst where it has several."""
    found: dict[int, str] = {}
    for span, standing in zip(said.claims, standings, strict=True):
        if standing != "supported":
            place = _place(said, span.start)
            found[place] = "contradicted" if "contradicted" in (standing, found.get(place)) else standing
    return found


def _states_more(said: Spoken, dropped: set[int]) -> bool:
    return any(_place(said, span.start) not in dropped for span in said.claims)


def _inserts(
    terms: VerifyTerms, said: Spoken, found: Cited, mark: Callable[[str], str]
) -> dict[int, list[tuple[int, str]]]:
    """Per sentence the citation marks that go back into it: offset in the text, and what stands there."""
    inserts: dict[int, list[tuple[int, str]]] = {}
    brackets: dict[Span, list[Mark]] = {}
    covered: dict[Span, int] = {}
    for each, span in marked_sentences(said.text, said.marks):
        brackets.setdefault(each.span, []).append(each)
        covered[each.span] = _place(said, span.start)
    for span, marks in brackets.items():
        raw = said.answer[span.start : span.end]
        good = [each for each in marks if each.label not in found.unresolved]
        if len(good) < len(marks):
            raw = ", ".join(f"[{each.label}]" for each in good)
            if terms.citation == "mark":
                raw = f"{raw} {mark('unresolved_citation')}".strip()
        space = " " if said.answer[: span.start][-1:].isspace() or not raw.startswith("[") else ""
        if raw:
            inserts.setdefault(covered[span], []).append((marks[0].position, space + raw))
    return inserts


def _with_inserts(text: str, span: Span, inserts: Sequence[tuple[int, str]]) -> str:
    pieces: list[str] = []
    at = span.start
    for position, insert in inserts:
        place = min(max(position, at), span.end)
        pieces += [text[at:place], insert]
        at = place
    return "".join([*pieces, text[at : span.end]])


def _marked(piece: str, mark: str) -> str:
    """The sentence with the mark before its white space."""
    bare = piece.rstrip()
    return f"{bare} {mark}{piece[len(bare) :]}"


def _place(said: Spoken, position: int) -> int:
    starts = [span.start for span in said.sentences]
    return max(bisect_right(starts, position) - 1, 0)


def _resolve(citation: Citation, label: str | None, passages: Sequence[Result]) -> Result | None:
    """The retrieved passage that a citation names: by passage, else by document, else by the number of its marker."""
    if citation.passage is not None:
        return next((each for each in passages if each.passage == citation.passage), None)
    if citation.document is not None:
        return next((each for each in passages if _is_of(each, citation)), None)
    return _numbered(label, passages) if label is not None else None


def _is_of(result: Result, citation: Citation) -> bool:
    is_revision = citation.revision is None or citation.revision == result.revision
    return result.document == citation.document and is_revision


def _numbered(label: str, passages: Sequence[Result]) -> Result | None:
    number = label.partition(":")[0]
    is_place = number.isascii() and number.isdecimal() and 1 <= int(number[:6]) <= len(passages)
    return passages[int(number) - 1] if is_place else None


def _label(marker: str) -> str:
    return marker.strip(_BRACKETS).partition("†")[0]


def _citation(marker: str | None, result: Result) -> Citation:
    return Citation(marker=marker, passage=result.passage, document=result.document, revision=result.revision)
