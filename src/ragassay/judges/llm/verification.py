"""Verdicts on claims beside texts: what is asked, how it is divided, and how the reply is read."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import msgspec
from msgspec import Struct

from ragassay.judges.llm.injection import suspected
from ragassay.judges.llm.prompts import Prompt, Question, sendable
from ragassay.judges.llm.quotes import Folded
from ragassay.judges.llm.reply import shown, single_object, unreadable
from ragassay.judges.protocol import Pair
from ragassay.records import Failure, Opinion, Stance

QUOTE_NOT_FOUND = "quote not found"
SPLIT = "judged in parts: too long for one call"
NOTHING = "the text is empty"
SUSPECTED = "judge_injection_suspected"
_CODES: dict[str, Stance] = {"S": "supports", "C": "contradicts", "N": "neutral"}
_LEADS: dict[Stance, tuple[float, float]] = {"supports": (1.0, 0.0), "contradicts": (0.0, 1.0), "neutral": (0.0, 0.0)}


class Material(NamedTuple):
    """Claims and texts, to which pairs point."""

    claims: Sequence[str]
    texts: Sequence[str]


class _Row(Struct, forbid_unknown_fields=True):
    c: str
    t: str
    v: str
    q: str | None = None


class _Reply(Struct, forbid_unknown_fields=True):
    verdicts: list[_Row]


def asked(prompt: Prompt, material: Material, pairs: Sequence[Pair]) -> Question:
    """Every text and claim of the pairs once, as data, then the pairs by their ids."""
    texts = [(_text_id(text), material.texts[text]) for text in sorted({text for _, text in pairs})]
    claims = [(_claim_id(claim), material.claims[claim]) for claim in sorted({claim for claim, _ in pairs})]
    blocks = tuple((name, sendable(text)) for name, text in (*texts, *claims))
    return Question(blocks, f"{prompt.request} {_listed(pairs)}")


def _listed(pairs: Sequence[Pair]) -> str:
    """The pairs by their ids, claims with the same texts together: `c1 c2: t1 t2; c3: t1`."""
    beside: dict[str, list[str]] = {}
    for claim, text in sorted(pairs):
        beside.setdefault(_claim_id(claim), []).append(_text_id(text))
    alike: dict[str, list[str]] = {}
    for claim, texts in beside.items():
        alike.setdefault(" ".join(texts), []).append(claim)
    return "; ".join(f"{' '.join(claims)}: {texts}" for texts, claims in alike.items())


def apart(material: Material, pairs: Sequence[Pair]) -> dict[str, list[Pair]]:
    """Pairs by the wording in them that is aimed at the evaluator, `""` where there is none.

    A text with such wording is judged alone, so that it cannot speak about the others.
    """
    said = [{index: suspected(each[index]) for index in indexes} for each, indexes in _used(material, pairs)]
    groups: dict[tuple[int, int], list[Pair]] = {}
    for claim, text in pairs:
        key = (claim if said[0][claim] else -1, text if said[1][text] else -1)
        groups.setdefault(key, []).append((claim, text))
    wordings: dict[str, list[Pair]] = {}
    for (claim, text), group in groups.items():
        named = [f"{_claim_id(claim)} {said[0][claim]!r}"] if claim >= 0 else []
        named += [f"{_text_id(text)} {said[1][text]!r}"] if text >= 0 else []
        wordings[", ".join(named)] = group
    return wordings


def _used(material: Material, pairs: Sequence[Pair]) -> tuple[tuple[Sequence[str], set[int]], ...]:
    return (material.claims, {claim for claim, _ in pairs}), (material.texts, {text for _, text in pairs})


def halves(pairs: Sequence[Pair]) -> tuple[list[Pair], list[Pair]] | None:
    """The pairs in two parts, by texts, else by claims; None where one pair is left. Together they are the pairs."""
    for side in (1, 0):
        named = sorted({pair[side] for pair in pairs})
        if len(named) > 1:
            first = set(named[: len(named) // 2])
            return [pair for pair in pairs if pair[side] in first], [pair for pair in pairs if pair[side] not in first]
    return None


def read(reply: str, material: Material, pairs: Sequence[Pair], judge: str) -> dict[Pair, Opinion | Failure] | Failure:
    """The verdicts of a reply by pair; a pair that the reply lacks is missing here too.

    A failure of the whole reply: those of `single_object`, `verdict_unreadable` for another form, `verdict_unknown_id`
    for a claim or text that was never sent. Of one pair: `ambiguous_judge_output` where it came twice,
    `verdict_unreadable` for a word that is no verdict.
    """
    found = single_object(reply)
    if isinstance(found, Failure):
        return found
    try:
        rows = msgspec.convert(found, type=_Reply).verdicts
    except msgspec.ValidationError as error:
        return unreadable(str(error))
    claims = {_claim_id(claim): claim for claim, _ in pairs}
    texts = {_text_id(text): text for _, text in pairs}
    folded = {text: Folded(material.texts[text]) for text in texts.values()}
    outcomes: dict[Pair, Opinion | Failure] = {}
    for row in rows:
        if row.c not in claims or row.t not in texts:
            return Failure(error="verdict_unknown_id", detail=f"{shown(row.c)} and {shown(row.t)} were not both asked")
        pair = claims[row.c], texts[row.t]
        if pair in outcomes:
            outcomes[pair] = Failure(error="ambiguous_judge_output", detail=f"{row.c} beside {row.t} came twice")
        else:
            outcomes[pair] = _outcome(row, folded[pair[1]], judge)
    asked_for = set(pairs)
    return {pair: outcome for pair, outcome in outcomes.items() if pair in asked_for}


def _outcome(row: _Row, text: Folded, judge: str) -> Opinion | Failure:
    verdict = _CODES.get(row.v.strip().upper())
    if verdict is None:
        return unreadable(f"{shown(row.v)!r} is no verdict; expected {', '.join(_CODES)}")
    if verdict == "neutral":
        return Opinion(verdict="neutral", probability=0.0, judge=judge)
    span = text.find(row.q or "")
    if span is None:
        return Opinion(verdict="neutral", probability=0.0, reason=f"{QUOTE_NOT_FOUND} ({verdict})", judge=judge)
    probability, contradiction = _LEADS[verdict]
    quote = text.text[span.start : span.end]
    return Opinion(verdict=verdict, probability=probability, contradiction=contradiction, quote=quote, judge=judge)


def noted(outcomes: Mapping[Pair, Opinion | Failure], note: str, *, disputed: bool) -> dict[Pair, Opinion | Failure]:
    """The outcomes with a note in the reason of every opinion, once."""
    return {
        pair: outcome if isinstance(outcome, Failure) else _noted(outcome, note, disputed)
        for pair, outcome in outcomes.items()
    }


def _noted(opinion: Opinion, note: str, disputed: bool) -> Opinion:
    said = opinion.reason or ""
    reason = said if note in said else "; ".join(part for part in (said, note) if part)
    return msgspec.structs.replace(opinion, reason=reason, disputed=opinion.disputed or disputed)


def _claim_id(index: int) -> str:
    return f"c{index + 1}"


def _text_id(index: int) -> str:
    return f"t{index + 1}"
