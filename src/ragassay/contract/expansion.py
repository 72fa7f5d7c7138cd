"""Synonyms from the domain dictionary of a contract, and from nowhere else."""

from collections.abc import Mapping

from ragassay.text.overlap import tokens

_MOST = 20
_READ = 4_000


class Dictionary:
    """Finds words and phrases of a dictionary in a question, whatever their case; inflected forms are words of their
    own."""

    def __init__(self, synonyms: Mapping[str, tuple[str, ...]]) -> None:
        self._synonyms = {tuple(tokens(word)): each for word, each in synonyms.items()}
        self._longest = max(map(len, self._synonyms), default=0)

    def synonyms(self, question: str) -> tuple[str, ...]:
        """What stands for the words of the question, in order, each once; at most twenty."""
        words = tokens(question[:_READ]) if self._synonyms else []
        found: dict[str, None] = {}
        for start in range(len(words)):
            for end in range(start + 1, min(start + self._longest, len(words)) + 1):
                found.update(dict.fromkeys(self._synonyms.get(tuple(words[start:end]), ())))
        return tuple(found)[:_MOST]
