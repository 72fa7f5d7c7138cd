"""The one to three sentences of a passage that speak about a claim."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ragassay.judges.embedded.analysis import Analysis, Sentence
from ragassay.judges.embedded.words import Word
from ragassay.text.sentences import Span

_MOST_SENTENCES = 3
_MOST_WORDS = 45
_COSINE_WEIGHT = 0.6
_LEAST_GAIN = 0.08


class Evidence(NamedTuple):
    """The chosen sentences in the order of the text, the best of them, and the cosines of all with the claim."""

    sentences: tuple[Sentence, ...]
    best: Sentence | None
    cosines: NDArray[np.float32]

    @property
    def words(self) -> tuple[Word, ...]:
        return tuple(word for sentence in self.sentences for word in sentence.words)

    def beside(self, claim: Analysis) -> tuple[Word, ...]:
        """The words of the clauses that speak of the claim: that share at least half of what the best one shares."""
        clauses = [clause for sentence in self.sentences for clause in sentence.clauses]
        shared = [len({word.stem for word in clause} & claim.stems) for clause in clauses]
        least = max(shared, default=0) / 2
        return tuple(
            word for clause, count in zip(clauses, shared, strict=True) if count and count >= least for word in clause
        )

    def holds(self, span: Span) -> bool:
        """Whether a place of the passage lies in the chosen sentences."""
        return any(sentence.span.start <= span.start < sentence.span.end for sentence in self.sentences)

    @property
    def text(self) -> str:
        return " ".join(sentence.text for sentence in self.sentences)


def evidence(claim: Analysis, passage: Analysis) -> Evidence:
    """Sentences chosen greedily by the claim's words they add, the first also by cosine; ties go to the earlier."""
    if not passage.sentences or not claim.words:
        return Evidence((), None, np.zeros(0, dtype=np.float32))
    cosines = passage.vectors @ claim.vector
    chosen: list[int] = []
    missing, room = claim.stems, _MOST_WORDS
    total = max(len(claim.stems), 1)
    while len(chosen) < _MOST_SENTENCES:
        gains = [
            len(missing & s.stems) / total + _COSINE_WEIGHT * float(c) * (not chosen)
            for s, c in zip(passage.sentences, cosines, strict=True)
        ]
        best = max((n for n in range(len(gains)) if n not in chosen), key=lambda n: (gains[n], -n), default=None)
        if best is None or (chosen and (gains[best] < _LEAST_GAIN or len(passage.sentences[best].words) > room)):
            break
        chosen.append(best)
        missing, room = missing - passage.sentences[best].stems, room - len(passage.sentences[best].words)
    return Evidence(tuple(passage.sentences[n] for n in sorted(chosen)), passage.sentences[chosen[0]], cosines)
