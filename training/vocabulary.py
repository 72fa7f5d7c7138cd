"""Cut XLM-R's 250,002 pieces down to those that English and Russian text needs."""

import json
import re
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from pieces import SPECIALS, Pieces

SIZE = 44_000
LATIN = re.compile(r"▁?[A-Za-z'’-]+")
CYRILLIC = re.compile(r"▁?[А-Яа-яЁё-]+")
WHOLE_RUSSIAN = re.compile(r"▁[а-яё]{3,}")
SINGLE = re.compile(r"▁?[\x21-\x7eА-Яа-яЁё«»„“”’–—…№§°€£₽±×²³½]|▁|▁?\d{1,4}")


def full(tokenizer: Path) -> tuple[Pieces, list[str]]:
    stored = json.loads(tokenizer.read_text(encoding="utf-8"))["model"]["vocab"][:-1]
    names = [name for name, _ in stored]
    return Pieces(names, [score for _, score in stored]), names


def cut(everything: Pieces, texts: Iterable[str], size: int = SIZE) -> tuple[Pieces, list[int]]:
    """The kept pieces and, for each, its row in the uncut embedding table.

    Kept first: specials, single characters and short numbers; then what the texts use; then the most
    frequent Russian and English-lettered pieces, two to one, until `size` are kept.
    """
    used = Counter(number for text in texts for number in everything.encode(text))
    kept = dict.fromkeys(range(len(SPECIALS)))
    kept.update(dict.fromkeys(n for n, name in enumerate(everything.pieces) if n > 3 and SINGLE.fullmatch(name)))
    kept.update(dict.fromkeys(n for n, _ in used.most_common(size - len(kept))))
    russian = [n for n, name in enumerate(everything.pieces) if n > 3 and CYRILLIC.fullmatch(name)]
    latin = [n for n, name in enumerate(everything.pieces) if n > 3 and LATIN.fullmatch(name)]
    for rank in range(len(russian)):
        for number in (*russian[2 * rank : 2 * rank + 2], *latin[rank : rank + 1]):
            if len(kept) < size:
                kept[number] = None
    rows = sorted(kept)
    return Pieces([everything.pieces[n] for n in rows], [everything.scores[n] for n in rows]), rows
