"""How far the embedded judge may be believed: every figure that is claimed for it, beside its floor and its target.

python benchmarks/judge_quality.py [--most N] [--weights FOLDER]

Labelled pairs are split by passage as in training/sources.py; thresholds of the two floors are chosen on the train
part, figures are counted on the test part. Exits with 1 where a target is missed.
"""

import argparse
import json
import random
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from ragassay.judges.embedded import EmbeddedJudge, UseEmbedder
from ragassay.judges.embedded.judge import WEIGHTS
from ragassay.judges.together import finished
from ragassay.records import Opinion
from ragassay.statistics.agreement import auc, balanced_accuracy, confusion
from ragassay.statistics.calibration import best_threshold
from ragassay.text.overlap import token_overlap
from ragassay.text.refusals import observed
from ragassay.text.sentences import sentences

TRAINING = Path(__file__).resolve().parent.parent / "training"
sys.path.insert(0, str(TRAINING))
# The split of the training scripts is the split here.
_PAIRS: Any = import_module("pairs")
_QUESTIONS: Any = import_module("questions")
_SOURCES: Any = import_module("sources")

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

FIVE = ("expertqa", "factcheck_bench", "q2_wow", "ru_terra", "ru_lidirus")
SOURCES = (*FIVE, "snli", "fever_symmetric", "negation_nli", "breaking_nli", "ru_rcb", "ru_danetqa")
ASKING = "ru_danetqa"
TARGETS = {
    "ru_terra": 0.68,
    "ru_lidirus": 0.66,
    "snli": 0.87,
    "fever_symmetric": 0.77,
    "negation_nli": 0.74,
    "breaking_nli": 0.93,
}
MEAN_TARGET = 0.70
CONTRAST_TARGETS = dict.fromkeys(("number", "unit", "date", "negation"), 0.9) | dict.fromkeys(
    ("name", "quantifier", "comparative", "modality"), 0.8
)
REFUSAL_TARGET = 0.95
LEFT_OUT_LOSS = 0.04
STRANGERS = 0.2  # of the test pairs: claims put beside another claim's passage
TRAIN_ROWS = 300
SEED = 7
BATCH = 64


class Labelled(Protocol):
    """A claim beside a passage, as training/pairs.py gives it."""

    id: str
    source: str
    lang: str
    split: str
    passage: str
    claim: str
    is_supported: bool
    target: int


class Asked(Protocol):
    """A question beside a passage, as training/questions.py gives it."""

    source: str
    split: str
    question: str
    passage: str
    is_answered: bool


def labelled() -> list[Labelled]:
    return _PAIRS.labelled()


def contrast(half: str) -> list[Labelled]:
    return _PAIRS.contrast(half)


def asked() -> list[Asked]:
    return _QUESTIONS.asked()


class Quality(NamedTuple):
    """Balanced accuracy and AUC on n pairs; None where a class is missing."""

    accuracy: float | None
    auc: float | None

    def __str__(self) -> str:
        return f"{_shown(self.accuracy)}/{_shown(self.auc)}"


def _shown(value: float | None) -> str:
    return "  –  " if value is None else f"{value:.3f}"


def quality(truth: Bools, scores: Floats, threshold: float = 0.5) -> Quality:
    return Quality(balanced_accuracy(confusion(truth, scores >= threshold, 2)), auc(truth, scores))


class Verdicts:
    """What is held against a target, printed as it comes."""

    def __init__(self) -> None:
        self.missed: list[str] = []

    def hold(self, name: str, value: float | None, least: float) -> str:
        is_met = value is not None and value >= least - 5e-4
        if not is_met:
            self.missed.append(f"{name}: {_shown(value)}, target {least:.3f}")
        return f"target {least:.3f} {'met' if is_met else 'MISSED'}"


def opinions(judge: EmbeddedJudge, pairs: Sequence[Labelled]) -> list[Opinion]:
    """An opinion per pair; a claim that cannot be judged supports nothing."""
    nothing = Opinion(verdict="neutral", probability=0.0)
    found: list[Opinion] = []
    for start in range(0, len(pairs), BATCH):
        part = pairs[start : start + BATCH]
        numbers = [(number, number) for number in range(len(part))]
        outcomes = finished(judge.verify([pair.claim for pair in part], [pair.passage for pair in part], numbers))
        found += [outcome if isinstance(outcome, Opinion) else nothing for outcome in outcomes]
    return found


def probabilities(judge: EmbeddedJudge, pairs: Sequence[Labelled]) -> Floats:
    return np.asarray([opinion.probability for opinion in opinions(judge, pairs)])


def overlaps(pairs: Sequence[Labelled]) -> Floats:
    return np.asarray([token_overlap(pair.claim, pair.passage) or 0.0 for pair in pairs])


def cosines(embedder: UseEmbedder) -> Callable[[Sequence[Labelled]], Floats]:
    """The cosine of the claim with the nearest sentence of the passage."""

    def score(pairs: Sequence[Labelled]) -> Floats:
        found: list[float] = []
        for pair in pairs:
            parts = [pair.passage[span.start : span.end] for span in sentences(pair.passage)] or [""]
            vectors = embedder.encode([pair.claim, *parts])
            found.append(float((vectors[1:] @ vectors[0]).max()))
        return np.asarray(found)

    return score


def truths(pairs: Sequence[Labelled]) -> Bools:
    return np.asarray([pair.is_supported for pair in pairs], dtype=np.bool_)


def drawn(pairs: Sequence[Labelled], most: int) -> list[Labelled]:
    return list(pairs) if len(pairs) <= most else random.Random(SEED).sample(list(pairs), most)


def floor(
    score: Callable[[Sequence[Labelled]], Floats], train: Sequence[Labelled], test: Sequence[Labelled]
) -> Quality:
    threshold = best_threshold(truths(train), score(train))
    return quality(truths(test), score(test), threshold)


class Part(NamedTuple):
    """The test part of a source, and the train part that the thresholds of the floors come from."""

    name: str
    test: list[Labelled]
    train: list[Labelled]


def parts(everything: Sequence[Labelled], most: int) -> Iterator[Part]:
    """A part per source; expertqa again without the pairs that have no passage.

    Questions stand for claims without their question mark: what asks states nothing and would be judged so.
    """
    fit = [pair for pair in everything if pair.split == "train"]
    for source in SOURCES:
        test = drawn([p for p in everything if p.source == source and p.split == "test"], most)
        if source == ASKING:
            test = _PAIRS.stated(test)
        train = drawn([pair for pair in fit if pair.source == source] or fit, TRAIN_ROWS)
        yield Part(source, test, train)
        if source == FIVE[0]:
            yield Part(f"{source}, no empty", filled(test), filled(train))


def filled(pairs: Sequence[Labelled]) -> list[Labelled]:
    return [pair for pair in pairs if pair.passage.strip()]


def support(judges: tuple[EmbeddedJudge, EmbeddedJudge], most: int, verdicts: Verdicts) -> None:
    """The floors choose their threshold on the train part. An empty context supports nothing, for floor and judge."""
    embedder = UseEmbedder()
    means: dict[str, list[float]] = {"ours": [], "floor": []}
    print(
        f"\n{'balanced accuracy/AUC':20}{'n':>5} {'lang':5}{'overlap':13}{'cosine':13}{'cheap layers':14}{'judge':13}"
    )
    for name, test, train in parts(labelled(), most):
        base, near = floor(overlaps, train, test), floor(cosines(embedder), train, test)
        cheap, full = (quality(truths(test), probabilities(judge, test)) for judge in judges)
        note = verdicts.hold(name, full.accuracy, TARGETS[name]) if name in TARGETS else ""
        if name in FIVE:
            means["ours"].append(full.accuracy or 0.0)
            means["floor"].append(base.accuracy or 0.0)
            note += " floor " + verdicts.hold(f"{name} beside its floor", full.accuracy, base.accuracy or 0.0)
        shown = f"{base!s:13}{near!s:13}{cheap!s:14}{full!s:13}"
        print(f"{name:20}{len(test):5} {test[0].lang:5}{shown}{note}", flush=True)
    mean = float(np.mean(means["ours"]))
    print(f"{'mean of the first five':24}  floor {np.mean(means['floor']):.3f}  judge {mean:.3f}  ", end="")
    print(verdicts.hold("mean of five", mean, MEAN_TARGET))


def contradiction(judge: EmbeddedJudge, most: int) -> None:
    """Of pairs whose source tells the two apart, and of claims beside a passage that speaks of something else."""
    test = [pair for pair in labelled() if pair.split == "test"]
    print("\nverdicts by class, test parts: supports / contradicts / neutral")
    for source in ("snli", "fever_symmetric", "negation_nli", "breaking_nli"):
        for target, name in enumerate(("supported", "contradicted", "neutral")):
            own = [pair for pair in test if pair.source == source and pair.target == target]
            _verdicts(f"{source}, {name}", judge, drawn(own, most // 4))
    for lang in ("en", "ru"):
        own = _PAIRS.strangers([pair for pair in test if pair.lang == lang and pair.passage.strip()], STRANGERS)
        _verdicts(f"strangers, {lang}", judge, drawn(own, most // 2))


def _verdicts(name: str, judge: EmbeddedJudge, pairs: Sequence[Labelled]) -> None:
    found = [opinion.verdict for opinion in opinions(judge, pairs)]
    shares = (found.count(verdict) / len(found) for verdict in ("supports", "contradicts", "neutral")) if found else ()
    print(f"{name:32}{len(found):5}  {'  '.join(f'{share:.2f}' for share in shares)}", flush=True)


def contrast_sets(judges: tuple[EmbeddedJudge, EmbeddedJudge], verdicts: Verdicts) -> None:
    for half in ("development", "kept"):
        pairs = contrast(half)
        kinds = [pair.id.split("-")[1] for pair in pairs]
        scores = [probabilities(judge, pairs) for judge in judges]
        print(f"\ncontrast sets, {half} half: balanced accuracy, English / Russian (n)")
        for kind, least in CONTRAST_TARGETS.items():
            parts: list[str] = []
            for lang in ("en", "ru"):
                where = np.asarray([k == kind and p.lang == lang for k, p in zip(kinds, pairs, strict=True)])
                cheap, full = (quality(truths(pairs)[where], score[where]).accuracy for score in scores)
                note = verdicts.hold(f"contrast {lang} {kind}", full, least) if half == "kept" else ""
                parts.append(f"{lang} cheap {_shown(cheap)} judge {_shown(full)} ({where.sum()}) {note:22}")
            print(f"{kind:12}{'  '.join(parts)}")


def refusals(verdicts: Verdicts) -> None:
    """Replies that say in so many words what the prompt asked for; the truth is the form the prompt prescribes."""
    print("\nrefusals in recorded replies (NoMIRACL), truth by the two forms that the prompt prescribes")
    found: dict[str, list[tuple[bool, bool]]] = {"en": [], "ru": []}
    recorded: Iterable[dict[str, Any]] = _SOURCES.rows(_SOURCES.DATA / "abstention" / "nomiracl_ru_en.jsonl.gz")
    for row in recorded:
        for reply in row["results"].values():
            start = reply.strip().lower()
            is_refusal, is_answer = start.startswith("i don't know"), start.startswith("yes, answer is present")
            if is_refusal != is_answer and not (is_refusal and "yes, answer is present" in start):
                found[row["lang"]].append((is_refusal, observed(reply).kind == "refused"))
    for lang, both in found.items():
        truth, seen = (np.asarray([pair[n] for pair in both], dtype=np.bool_) for n in (0, 1))
        value = balanced_accuracy(confusion(truth, seen, 2))
        note = verdicts.hold(f"refusals {lang}", value, REFUSAL_TARGET)
        print(f"{lang}: {_shown(value)} on {len(both)} replies  {note}")


def questions(judge: EmbeddedJudge, most: int) -> None:
    """Does the passage answer the question; XQuAD with another paragraph of the same article."""
    print("\ncontext_sufficiency and context_relevancy: AUC on the test parts")
    everything = [one for one in asked() if one.split == "test"]
    for source in dict.fromkeys(one.source for one in everything):
        own = [one for one in everything if one.source == source]
        part: list[Asked] = random.Random(SEED).sample(own, min(most, len(own)))
        truth = np.asarray([one.is_answered for one in part], dtype=np.bool_)
        enough = np.asarray([finished(judge.sufficiency(one.question, [one.passage])) for one in part])
        near = np.asarray([finished(judge.relevance(one.question, [one.passage]))[0] for one in part])
        print(
            f"{source:12}{len(part):6}  sufficiency {_shown(auc(truth, enough))}  relevancy {_shown(auc(truth, near))}"
        )


def left_out(verdicts: Verdicts) -> None:
    """Read from what training/combine.py measured: the networks refitted without a source, judged on its test part."""
    path = TRAINING / "left_out.json"
    if not path.is_file():
        print("\nleave-one-source-out: training/left_out.json is missing; run training/combine.py --left-out")
        verdicts.missed.append("leave-one-source-out: not measured")
        return
    stored: dict[str, dict[str, float]] = json.loads(path.read_text(encoding="utf-8"))
    print("\nleave-one-source-out (networks refitted without the source, cross-encoder as it is): balanced accuracy")
    for source, values in stored.items():
        print(f"{source:18} with {values['with']:.3f}  without {values['without']:.3f}")
    kept, lost = (float(np.mean([values[key] for values in stored.values()])) for key in ("with", "without"))
    print(
        f"mean with {kept:.3f}, without {lost:.3f}  {verdicts.hold('leave-one-source-out', lost, kept - LEFT_OUT_LOSS)}"
    )


def main(arguments: Iterable[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--most", type=int, default=400, help="test pairs per source at most")
    parser.add_argument("--weights", type=Path, default=WEIGHTS)
    options = parser.parse_args(list(arguments))
    judges = (
        EmbeddedJudge(weights=options.weights, with_cross_encoder=False),
        EmbeddedJudge(weights=options.weights),
    )
    print(judges[1].card.settings)
    verdicts = Verdicts()
    support(judges, options.most, verdicts)
    contradiction(judges[1], options.most)
    contrast_sets(judges, verdicts)
    refusals(verdicts)
    questions(judges[1], options.most)
    left_out(verdicts)
    print("\nevery target met" if not verdicts.missed else "\nmissed:\n  " + "\n  ".join(verdicts.missed))
    return 1 if verdicts.missed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
