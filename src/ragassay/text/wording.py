"""Reads the wording of one sentence: whether a clause of it refuses, asks back, or only keeps company."""

import re
from collections.abc import Sequence
from itertools import islice, pairwise
from typing import NamedTuple

from ragassay.text import phrases, refusal_phrases
from ragassay.text.normalise import comparable
from ragassay.text.sentences import marker_length


class Segment(NamedTuple):
    """A clause of a sentence, `sentence[start:end]`."""

    start: int
    end: int
    is_refusal: bool


# Said before the words that a "turn" answers: a refusal in one clause does not refuse the other.
_TURN = re.compile(
    r"(?<![^\s,;:.—–()-])(?<!help )(?<!nothing )(?<!anything )(?<!only )(?<!все )"
    r"(?:but|however|nevertheless|nonetheless|но|однако|зато)\b|;\s",
    re.IGNORECASE,
)
_JOINT = re.compile(r",\s(?:and|while|whereas|though|although|а|и|хотя|при этом)\b", re.IGNORECASE)
_CONTEXT = 120
_MOST_JOINTS = 8
_QUESTION_TAIL = 300
_EDGES = " ,.;:!…()—–-"
_PLAIN = {ord("’"): "'", ord("ʼ"): "'", ord("`"): "'", ord("*"): None, ord("ё"): "е"}
_CONCESSION = re.compile(r"\s*(?:although|though|while|even though|хотя|пусть)\b[^,]{1,300},", re.IGNORECASE)
# Without one of these no form can match: a cheap look before the many.
_NEGATION_EN = re.compile(
    r"n't|\bdont\b|\bcant\b|\bnot?\b|none|neither|nothing|never|unable|cannot|declin|refus|insufficient|unanswer"
    r"|unknown|unclear|unavailable|beyond|outside|fail|silent|rather|abstain|lack|idk|dunno|n/a|impossible"
)
_NEGATION_RU = re.compile(
    r"\bне\b|\bнет\b|\bни\b|ниче|нечего|отсутств|отказ|затрудня|недостаточно|воздерж|выходит|вне |неизвестн|неясно"
    r"|непонятно|невозможно|нельзя|без ответа"
)
_QUOTED = re.compile(
    r"“[^”\n]{1,600}”|«[^»\n]{1,600}»|„[^“”\n]{1,600}[“”]|\"[^\"\n]{1,600}\"|(?<!\w)'(?:[^'\n]|(?<=\w)'(?=\w)){2,600}'(?!\w)"
)
_WHOLE_QUOTE = re.compile(r"\s*(?:\"([^\"]*)\"|“([^”]*)”|«([^»]*)»|'([^'\n]*)')\s*\.?\s*")
_LATIN = re.compile("[a-z]")
_CYRILLIC = re.compile("[а-я]")


def unquoted_whole(text: str) -> str:
    """The text with its outer quotation marks blanked if it is one quotation as a whole; offsets stay."""
    whole = _WHOLE_QUOTE.fullmatch(text)
    if whole is None:
        return text
    start, end = whole.span(whole.lastindex or 0)
    return " " * start + text[start:end] + " " * (len(text) - end)


def segments(sentence: str) -> list[Segment]:
    """The clauses of a sentence between "but"-like turns, each with whether it refuses."""
    cuts = [0, *_turns(sentence), len(sentence)]
    clauses = [(start, end) for start, end in pairwise(cuts) if end > start]
    return [part for start, end in clauses for part in _divided(sentence, start, end)]


def is_courtesy(clause: str) -> bool:
    """Whether a clause greets, thanks, apologises, offers help or tells that the assistant has looked."""
    read = _read(clause).strip(_EDGES)
    return any(form.fullmatch(read) for form in phrases.COURTESIES)


def is_aside(sentence: str) -> bool:
    """Whether a sentence beside a refusal answers nothing: what the documents are about, or where to ask instead."""
    return _matches(phrases.ASIDES, _read(sentence))


def is_choice(sentence: str) -> bool:
    """Whether a sentence only introduces the choice that a question back is about."""
    return _matches(phrases.CHOICES, _read(sentence))


def asks_back(sentence: str) -> bool:
    """Whether a sentence asks the user what the question meant, and does not merely offer further help."""
    read = _read(sentence)[-_QUESTION_TAIL:]
    return _matches(phrases.ASKS_BACK, read) and not _matches(phrases.OFFERS, read)


def _turns(sentence: str) -> list[int]:
    found = [turn.end() if turn.group().startswith(";") else turn.start() for turn in _TURN.finditer(sentence)]
    concession = _CONCESSION.match(sentence)
    return sorted({*found, concession.end()} if concession else {*found})


def _divided(sentence: str, start: int, end: int) -> list[Segment]:
    """A clause as one segment, or as a statement and a refusal joined by "and"."""
    clause = sentence[start:end]
    if not _refuses(clause):
        return [Segment(start, end, is_refusal=False)]
    for joint in islice(_JOINT.finditer(clause), _MOST_JOINTS):
        cut = joint.start()
        if _refuses(clause[cut:]) and not _refuses(clause[:cut]):
            return [Segment(start, start + cut, is_refusal=False), Segment(start + cut, end, is_refusal=True)]
    return [Segment(start, end, is_refusal=True)]


def _refuses(clause: str) -> bool:
    read = _read(clause)
    is_english = _LATIN.search(read) and _NEGATION_EN.search(read)
    is_russian = _CYRILLIC.search(read) and _NEGATION_RU.search(read)
    return bool(
        (is_english and _is_refused(read, refusal_phrases.REFUSALS_EN, refusal_phrases.WHOLE_REFUSALS_EN))
        or (is_russian and _is_refused(read, refusal_phrases.REFUSALS_RU, refusal_phrases.WHOLE_REFUSALS_RU))
    )


def _is_refused(read: str, forms: Sequence[re.Pattern[str]], whole: Sequence[re.Pattern[str]]) -> bool:
    if any(form.fullmatch(read) for form in whole):
        return True
    found = (match for form in forms for match in form.finditer(read))
    return any(not _matches(refusal_phrases.NOT_REFUSING, read[: match.start()][-_CONTEXT:]) for match in found)


def _matches(forms: Sequence[re.Pattern[str]], read: str) -> bool:
    return any(form.search(read) for form in forms)


def _read(clause: str) -> str:
    """The clause as the forms expect it: comparable, marker and quoted speech out, straight apostrophes."""
    plain = comparable(_QUOTED.sub("«»", clause[marker_length(clause) :]))
    return plain.translate(_PLAIN)
