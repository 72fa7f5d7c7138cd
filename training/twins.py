"""Make supported claims and their unsupported twins out of plain sentences, English and Russian.

Every rule takes a sentence and a seeded generator and returns a changed sentence, or None where it does not apply.
"""

import random
import re
import tomllib
from collections.abc import Callable, Iterable
from pathlib import Path

Rule = Callable[[str, random.Random], str | None]

NUMBER = re.compile(r"(?<![\w.,-])\d+(?:[ .,]\d+)*(?![\w-])")
YEAR = re.compile(r"\b1[0-9]\d\d\b|\b20[0-2]\d\b")
NAME = re.compile(r"(?<=[a-zа-яё,»)] )[«]?[A-ZА-ЯЁ][\w-]+(?: [A-ZА-ЯЁ][\w-]+)*")
SENTENCE_END = re.compile(r"(?<=[.!?…])\s+(?=[«\"“A-ZА-ЯЁ\d])")

WORDS = tomllib.loads(Path(__file__).with_name("words.toml").read_text(encoding="utf-8"))
DIGIT_WORDS = {
    "ru": ("", "один", "два", "три", "четыре", "пять", "шесть", "семь", "восемь", "девять", "десять"),
    "en": ("", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"),
}
BE = re.compile(
    r"\b(is|are|was|were|can|could|will|would|should|has been|have been|had|may|must|does|did|do)\b(?! not|n't)"
)
NOT_VERBS = (
    "правило|правила|дело|дела|тело|тела|число|числа|село|села|масла|силы|сила|начала|материал|канал|потенциал|капитал|сериал|"
    "персонал|журнал"
)
RUSSIAN_VERB = re.compile(
    rf"\b(?!(?:{NOT_VERBS})\b)(?:был[аои]?|является|являются|может|могут|стал[аои]?|находится|имеет|имеют|состоит|получил[аои]?|"
    r"использу[ею]тся|[а-яё]{3,}(?:ил|ал|ял|ел|ила|ала|яла|ела|или|али|яли|ило|ало|ился|ался|илась|алась|ились|ались|ывает|ивает|"
    r"ает|яют|ают|уют|ует))\b"
)


def word_pairs(name: str) -> dict[str, str]:
    """A table of words.toml."""
    entries = (entry.partition("=") for entry in WORDS[name].split(";") if entry.strip())
    return {left.strip(): right.strip() for left, _, right in entries}


def reversed_pairs(table: dict[str, str]) -> dict[str, str]:
    return {right: left for left, right in table.items()}


def _swap(table: dict[str, str]) -> Rule:
    longest_first = sorted(map(re.escape, table), key=len, reverse=True)
    pattern = re.compile(rf"(?<!\w)(?:{'|'.join(longest_first)})(?!\w)", re.I)

    def rule(sentence: str, chance: random.Random) -> str | None:
        found = list(pattern.finditer(sentence))
        if not found:
            return None
        hit = chance.choice(found)
        new = table[hit.group().lower()]
        return _put(sentence, hit, new.capitalize() if hit.group()[0].isupper() else new)

    return rule


opposite = _swap(reversed_pairs(word_pairs("opposites")) | word_pairs("opposites"))
same_word = _swap(word_pairs("alike"))
other_unit = _swap(word_pairs("units"))
weaker = _swap(word_pairs("weaker"))
stronger = _swap({weak: strong for weak, strong in reversed_pairs(word_pairs("weaker")).items() if weak != "не каждая"})


def _put(sentence: str, hit: re.Match[str], new: str) -> str:
    return sentence[: hit.start()] + new + sentence[hit.end() :]


def other_number(sentence: str, chance: random.Random) -> str | None:
    found = list(NUMBER.finditer(sentence))
    if not found:
        return None
    hit = chance.choice(found)
    old = hit.group()
    place = chance.choice([n for n, mark in enumerate(old) if mark.isdigit()])
    new = old[:place] + chance.choice([d for d in "123456789" if d != old[place]]) + old[place + 1 :]
    if chance.random() < 0.3 and old.isdigit() and len(old) < 4:
        new = str(int(old) * chance.choice([2, 3, 10]) + 1)
    return _put(sentence, hit, new)


def other_year(sentence: str, chance: random.Random) -> str | None:
    found = list(YEAR.finditer(sentence))
    if not found:
        return None
    hit = chance.choice(found)
    return _put(sentence, hit, str(int(hit.group()) + chance.choice([-50, -11, -10, -4, -2, -1, 1, 2, 3, 7, 10, 20])))


def number_as_word(sentence: str, chance: random.Random) -> str | None:
    words = DIGIT_WORDS["ru" if re.search("[а-яё]", sentence) else "en"]
    found = [hit for hit in NUMBER.finditer(sentence) if hit.group().isdigit() and 1 < int(hit.group()) <= 10]
    if not found:
        return None
    hit = chance.choice(found)
    return _put(sentence, hit, words[int(hit.group())])


def negated(sentence: str, chance: random.Random) -> str | None:
    """The sentence with one negation added, or with its only negation removed."""
    removed = re.sub(r"\b(не |никогда не | not|n't|never )", "", sentence, count=1)
    if removed != sentence:
        return removed if not re.search(r"\b(не|not|never)\b|n't|ни ", removed) else None
    russian = bool(re.search("[а-яё]", sentence))
    found = list((RUSSIAN_VERB if russian else BE).finditer(sentence))
    if not found:
        return None
    hit = found[0] if chance.random() < 0.7 else chance.choice(found)
    if russian:
        return _put(sentence, hit, chance.choice(["не ", "не ", "не ", "никогда не "]) + hit.group())
    return _put(sentence, hit, hit.group() + chance.choice([" not", " not", " never"]))


def without_brackets(sentence: str, chance: random.Random) -> str | None:
    changed = re.sub(r"\s*\([^()]*\)", "", sentence)
    return changed if changed != sentence else None


CLAUSE = re.compile(
    r", (?:котор|где |когда |including|which|who |where|such as|а также|в том числе|включая|"
    r"[а-яё]+(?:вший|вшая|вшие|щий|щая|щие|анный|енный)\b)[^,;]*(?=[,.]),?"
)
DATED = re.compile(r" (?:в|к|с|до|in|since|by|until) (?:1\d{3}|20\d\d)(?: (?:году|года|г\.))?(?=[ ,.])")
LEADS = re.compile(
    r"^(?:В|На|После|До|К|По|При|С|Однако|Кроме|Также|Например|In|On|After|Before|By|At|During|However|For|Also|Since)\b"
)
GROUP, ENGLISH_GROUP = re.compile(r"(?<=\d)[ \u00a0](?=\d{3}(?!\d))"), re.compile(r"(?<=\d)[ ,\u00a0](?=\d{3}(?!\d))")


def without_clause(sentence: str, chance: random.Random) -> str | None:
    """Drops a relative or participial clause between two commas."""
    changed = CLAUSE.sub("", sentence, count=1)
    return changed if changed != sentence and len(changed.split()) >= 4 else None


def without_lead(sentence: str, chance: random.Random) -> str | None:
    lead, comma, rest = sentence.partition(", ")
    if not comma or not 1 <= len(lead.split()) <= 6 or len(rest.split()) < 5 or not LEADS.search(lead):
        return None
    return rest[0].upper() + rest[1:]


def without_adjunct(sentence: str, chance: random.Random) -> str | None:
    changed = DATED.sub("", sentence, count=1)
    return changed if changed != sentence else None


def first_half(sentence: str, chance: random.Random) -> str | None:
    """The first of two clauses joined by a semicolon, or by a comma and "and", "but", "а", "но"."""
    parts = re.split(r"; |, (?:and|but|while|а|но|и|при этом|тогда как|хотя) ", sentence, maxsplit=1)
    return parts[0].rstrip(".,") + "." if len(parts) == 2 and len(parts[0].split()) >= 4 else None


def second_half(sentence: str, chance: random.Random) -> str | None:
    parts = sentence.split("; ", 1)
    return parts[1][0].upper() + parts[1][1:] if len(parts) == 2 and len(parts[1].split()) >= 4 else None


def swapped_conjuncts(sentence: str, chance: random.Random) -> str | None:
    found = list(re.finditer(r"\b(\w{4,}) (и|and|или|or) (\w{4,})\b", sentence))
    found = [hit for hit in found if hit[1][0].isupper() == hit[3][0].isupper() and hit[1][-1] == hit[3][-1]]
    if not found:
        return None
    hit = chance.choice(found)
    return _put(sentence, hit, f"{hit[3]} {hit[2]} {hit[1]}")


def regrouped(sentence: str, chance: random.Random) -> str | None:
    """The same number written otherwise: 1,500 or 1 500 as 1500, 10% as 10 percent."""
    english = not re.search("[а-яё]", sentence)
    changed = (ENGLISH_GROUP if english else GROUP).sub("", sentence)
    changed = re.sub(r"(?<=\d) ?%", " percent" if english else " процентов", changed)
    return changed if changed != sentence else None


def swapped_names(sentence: str, chance: random.Random) -> str | None:
    """English only, where word order says who did what: two names change places."""
    found = list(NAME.finditer(" " + sentence))
    if re.search("[а-яё]", sentence) or len(found) < 2:
        return None
    place = chance.randrange(len(found) - 1)
    left, right = found[place].span(), found[place + 1].span()
    between = sentence[left[1] - 1 : right[0] - 1]
    if len(between.split()) < 2 or re.search(r"\b(and|or|between)\b|[,;]", between):
        return None
    first, second = found[place].group(), found[place + 1].group()
    return sentence[: left[0] - 1] + second + between + first + sentence[right[1] - 1 :]


KEEPERS: tuple[Rule, ...] = (
    without_brackets,
    without_clause,
    without_lead,
    without_adjunct,
    first_half,
    second_half,
    swapped_conjuncts,
    same_word,
    number_as_word,
    regrouped,
    weaker,
)
BREAKERS: tuple[tuple[Rule, str], ...] = (
    (other_number, "contradicts"),
    (other_year, "contradicts"),
    (other_unit, "contradicts"),
    (negated, "contradicts"),
    (opposite, "contradicts"),
    (swapped_names, "not supported"),
    (stronger, "not supported"),
)


def sentences(text: str) -> list[str]:
    found = (part.strip() for part in SENTENCE_END.split(text.replace("\ufeff", "")))
    return [part for part in found if 5 <= len(part.split()) <= 45 and part[-1] in ".!?"]


def names(text: str) -> list[str]:
    return [name for name in NAME.findall(text) if len(name) > 3]


def other_name(sentence: str, others: Iterable[str], chance: random.Random) -> str | None:
    """One capitalised name put in the place of another; the new one is not in the sentence."""
    found = [hit for hit in NAME.finditer(sentence) if len(hit.group()) > 3]
    fitting = sorted({name for name in others if name[:5] not in sentence})
    if not found or not fitting:
        return None
    hit = chance.choice(found)
    ending = [name for name in fitting if name[-1] == hit.group()[-1]]
    return _put(sentence, hit, chance.choice(ending or fitting))


def kept(sentence: str, chance: random.Random, most: int = 2) -> str:
    """The sentence after up to `most` changes that its truth survives."""
    rules = chance.sample(KEEPERS, len(KEEPERS))
    for _ in range(chance.choice([0, 1, 1, most])):
        changed = next((new for rule in rules if (new := rule(sentence, chance))), None)
        if changed is None:
            break
        sentence = changed
        rules = rules[1:]
    return sentence


def broken(sentence: str, chance: random.Random) -> tuple[str, str] | None:
    """The sentence changed so that its source no longer supports it, and the class of the result."""
    for rule, outcome in chance.sample(BREAKERS, len(BREAKERS)):
        changed = rule(sentence, chance)
        if changed and changed != sentence:
            return changed, outcome
    return None
