"""Write everything the training sees: the split labelled pairs, the made pairs and the cut vocabulary.

python prepare.py WORK_FOLDER
"""

import json
import random
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

import lexicon
import twins
import vocabulary
from sources import (
    CONTRADICTS,
    DATA,
    NEUTRAL,
    NOT_SUPPORTED,
    SOURCES,
    SUPPORTS,
    Pair,
    content_words,
    pairs,
    rows,
    side,
    splits,
)
from windows import window

SEED = 20_261_130
SENTENCES_PER_PASSAGE = 8
STRANGERS = 1200  # a source
REWORDED = ("snli", "breaking_nli", "negation_nli", "fever_symmetric", "q2_wow", "factcheck_bench")
OUTCOMES = {"contradicts": CONTRADICTS, "not supported": NOT_SUPPORTED}
LETTERS = {"train": "T", "dev": "D", "test": "E"}


@dataclass(frozen=True)
class Example:
    """One training pair: what it was made from, the texts, the class."""

    source: str
    lang: str
    passage: str
    claim: str
    target: int


@dataclass(frozen=True)
class Paragraph:
    """A passage to make pairs from; `near` holds sentences of its neighbourhood that it does not hold."""

    lang: str
    text: str
    near: tuple[str, ...]


def made(paragraph: Paragraph, chance: random.Random) -> Iterator[Example]:
    """Claims out of one paragraph's own sentences: kept, broken, renamed, taken away, taken from next door."""
    source = f"made_{paragraph.lang}"
    found = twins.sentences(paragraph.text)
    for sentence in chance.sample(found, min(len(found), SENTENCES_PER_PASSAGE)):
        passage = paragraph.text if chance.random() < 0.6 else around(sentence, found, chance)
        claim = twins.kept(sentence, chance)
        yield Example(source, paragraph.lang, passage, claim, SUPPORTS)
        for text, outcome in unsupported(claim, paragraph, chance):
            yield Example(source, paragraph.lang, passage, text, outcome)
        changed = twins.broken(sentence, chance)
        if changed and chance.random() < 0.4:
            yield Example(source, paragraph.lang, passage.replace(sentence, changed[0]), sentence, OUTCOMES[changed[1]])
        if len(found) > 2 and chance.random() < 0.4:
            yield Example(source, paragraph.lang, paragraph.text.replace(sentence, " "), claim, NEUTRAL)
        if paragraph.near and chance.random() < 0.4:
            yield Example(source, paragraph.lang, passage, chance.choice(paragraph.near), NEUTRAL)


def unsupported(claim: str, paragraph: Paragraph, chance: random.Random) -> Iterator[tuple[str, int]]:
    changed = twins.broken(claim, chance)
    if changed:
        yield changed[0], OUTCOMES[changed[1]]
    others = twins.names(paragraph.text) + twins.names(" ".join(paragraph.near[:4]))
    renamed = twins.other_name(claim, others, chance)
    if renamed and chance.random() < 0.6:
        yield renamed, NOT_SUPPORTED


def around(sentence: str, found: list[str], chance: random.Random) -> str:
    place = found.index(sentence)
    before, after = chance.randint(0, 1), chance.randint(0, 2)
    return " ".join(found[max(0, place - before) : place + after + 1])


def paragraphs(by_source: dict[str, list[Pair]], chance: random.Random) -> list[Paragraph]:
    """Passages of the train parts and of the XQuAD articles on the train side."""
    found: list[Paragraph] = []
    for lang in ("ru", "en"):
        documents = xquad(lang)
        for document in documents:
            mates = [d for d in documents if d["title"] == document["title"] and d["_id"] != document["_id"]]
            near = tuple(s for d in mates for s in twins.sentences(d["text"]))
            found.append(Paragraph(lang, document["text"], tuple(chance.sample(near, min(8, len(near))))))
    for source, least in (("ru_danetqa", 25), ("ru_terra", 12), ("ru_rcb", 12), ("factcheck_bench", 40)):
        texts = sorted({p.passage for p in by_source[source] if len(p.passage.split()) >= least})
        texts = chance.sample(texts, min(len(texts), 400)) if source == "factcheck_bench" else texts
        lang = by_source[source][0].lang
        strangers = [s for text in chance.sample(texts, min(60, len(texts))) for s in twins.sentences(text)]
        found += [Paragraph(lang, text, tuple(chance.sample(strangers, min(3, len(strangers))))) for text in texts]
    return found


def xquad(lang: str) -> list[dict]:
    """The XQuAD paragraphs whose article falls on the train or dev side; the same articles in both languages."""
    documents = rows(DATA / "retrieval" / f"xquad_{lang}" / "corpus.jsonl.gz")
    return [document for document in documents if side("xquad " + document["title"]) != "test"]


def answers(chance: random.Random) -> Iterator[Example]:
    """Question and answer as one claim, with the right and with a wrong answer, partly across the languages."""
    texts = {lang: {d["_id"]: d["text"] for d in xquad(lang)} for lang in ("ru", "en")}
    for lang, other in (("ru", "en"), ("en", "ru")):
        found = [q for q in rows(DATA / "retrieval" / f"xquad_{lang}" / "qa.jsonl.gz") if q["doc_id"] in texts[lang]]
        for question in found:
            right = question["answers"][0]
            passage = texts[other if chance.random() < 0.25 else lang][question["doc_id"]]
            source = f"answers_{lang}"
            yield Example(source, lang, passage, f"{question['query']} — {right}.", SUPPORTS)
            rivals = [q["answers"][0] for q in found if q["doc_id"] == question["doc_id"]]
            alike = [a for a in rivals if a not in right and right not in a and a[0].isdigit() == right[0].isdigit()]
            wrong = chance.choice(alike) if alike else twins.other_number(right, chance)
            if wrong:
                yield Example(source, lang, passage, f"{question['query']} — {wrong}.", NOT_SUPPORTED)


def across(chance: random.Random) -> Iterator[Example]:
    """A sentence of one language as a claim about the same paragraph in the other."""
    both = {lang: {d["_id"]: d["text"] for d in xquad(lang)} for lang in ("ru", "en")}
    for lang, other in (("ru", "en"), ("en", "ru")):
        for number, text in both[lang].items():
            paragraph = Paragraph(lang, text, ())
            for sentence in twins.sentences(text)[:4]:
                claim = twins.kept(sentence, chance, most=1)
                yield Example("across", lang, both[other][number], claim, SUPPORTS)
                for twin, outcome in unsupported(claim, paragraph, chance):
                    yield Example("across", lang, both[other][number], twin, outcome)


def reworded(by_source: dict[str, list[Pair]], words: dict[str, str], chance: random.Random) -> Iterator[Example]:
    """English pairs in Russian words, one side now and then left in English."""
    for source in REWORDED:
        for pair in by_source[source]:
            keep = lexicon.left_in_english((pair.claim, pair.passage), chance)
            passage = window(pair.claim, pair.passage)
            claim = pair.claim if chance.random() < 0.06 else lexicon.reworded(pair.claim, words, keep)
            passage = passage if chance.random() < 0.06 else lexicon.reworded(passage, words, keep)
            yield Example(f"reworded_{source}", "ru", passage, claim, pair.target)


def claim_twins(by_source: dict[str, list[Pair]], chance: random.Random) -> Iterator[Example]:
    """Supported human claims, broken."""
    for source in ("ru_terra", "ru_rcb", "factcheck_bench", "q2_wow", "expertqa", "fever_symmetric"):
        for pair in by_source[source]:
            changed = twins.broken(pair.claim, chance) if pair.target == SUPPORTS else None
            if changed:
                yield Example(f"twins_{pair.lang}", pair.lang, pair.passage, changed[0], OUTCOMES[changed[1]])
                yield Example(f"twins_{pair.lang}", pair.lang, pair.passage, pair.claim, SUPPORTS)


def strangers(by_source: dict[str, list[Pair]], chance: random.Random) -> Iterator[Example]:
    """Claims over a passage that another claim of their source came with: nothing is said about them there.

    Of eight passages the one that shares most words is taken, so that a shared word or name alone decides nothing.
    """
    for found in by_source.values():
        for pair in chance.sample(found, min(len(found), STRANGERS)):
            words = set(content_words(pair.claim))
            others = [p.passage for p in chance.sample(found, min(len(found), 8)) if p.claim != pair.claim]
            apart = [text for text in others if 0 < len(words & set(content_words(text))) <= len(words) / 2]
            if words and apart:
                passage = max(apart, key=lambda text: len(words & set(content_words(text))))
                yield Example(f"strangers_{pair.lang}", pair.lang, passage, pair.claim, NEUTRAL)


def examples(train: dict[str, list[Pair]], words: dict[str, str]) -> Iterator[Example]:
    chance = random.Random(SEED)
    for source, found in train.items():
        yield from (Example(source, p.lang, p.passage, p.claim, p.target) for p in found if p.binary is not None)
    for paragraph in paragraphs(train, chance):
        yield from made(paragraph, chance)
    yield from answers(chance)
    yield from across(chance)
    yield from reworded(train, words, chance)
    yield from claim_twins(train, chance)
    yield from strangers(train, chance)


def word_list(train: dict[str, list[Pair]]) -> dict[str, str]:
    english = (p.claim + " " + p.passage for source in REWORDED for p in train[source])
    russian = [p.claim + " " + p.passage for source, found in train.items() if source[:3] == "ru_" for p in found]
    russian += [document["text"] for document in xquad("ru")]
    _, names = vocabulary.full(tokenizer())
    whole = [name[1:] for name in names if vocabulary.WHOLE_RUSSIAN.fullmatch(name)]
    known = set(lexicon.frequent(russian, r"\b[а-яё]{2,}\b", 2))
    return lexicon.pair_up(lexicon.frequent(english, r"\b[a-z]{3,}\b", 3), sorted(known | lexicon.known_words(whole)))


def tokenizer() -> Path:
    return Path(str(files("semantra_multilingual"))) / "assets" / "multilingual-e5-small" / "tokenizer.json"


def write(path: Path, found: list[dict]) -> None:
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in found), encoding="utf-8")


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    by_source = {source: pairs(source) for source in SOURCES}
    sides, _ = splits(by_source)
    letters = {source: "".join(LETTERS[sides[p.id]] for p in found) for source, found in by_source.items()}
    Path(__file__).with_name("splits.json").write_text(json.dumps(letters, indent=1) + "\n", encoding="utf-8")
    train = {source: [p for p in found if sides[p.id] == "train"] for source, found in by_source.items()}
    words = word_list(train)
    (folder / "lexicon.json").write_text(json.dumps(words, ensure_ascii=False, indent=0), encoding="utf-8")
    shown = [e for e in examples(train, words) if content_words(e.passage) and content_words(e.claim)]
    write(folder / "train.jsonl", [vars(e) | {"passage": window(e.claim, e.passage)} for e in shown])
    held = [p for found in by_source.values() for p in found if p.binary is not None]
    write(folder / "labelled.jsonl", [labelled(p, sides[p.id]) for p in held])
    texts = [text for p in held for text in (p.claim, p.passage)] + [d["text"] for d in (*xquad("ru"), *xquad("en"))]
    everything, _ = vocabulary.full(tokenizer())
    pieces, kept = vocabulary.cut(everything, texts)
    pieces.save(folder / "pieces.json")
    (folder / "kept.json").write_text(json.dumps(kept), encoding="utf-8")
    print(f"{len(words)} word pairs, {len(kept)} pieces")
    for (source, target), count in sorted(Counter((e.source, e.target) for e in shown).items()):
        print(f"{source:26} class {target} {count:7}")


def labelled(pair: Pair, where: str) -> dict:
    return vars(pair) | {
        "split": where,
        "passage": window(pair.claim, pair.passage),
        "full": pair.passage,
        "empty": not pair.passage.strip(),
    }


if __name__ == "__main__":
    main(Path(sys.argv[1]))
