"""A long passage cut to what a claim's words point at, as the cross-encoder was trained to see it.

The training script cuts in the same way; another cut needs other weights.
"""

import re

CHUNK = 40
STEM = 5
_SHORT = 3
_BREAK = re.compile(r"(?<=[.!?…])\s+|\s*\n+\s*")
_WORD = re.compile(r"\w+")


def window(claim: str, passage: str, most: int) -> str:
    """The passage itself up to `most` words, else its best chunks in their own order.

    Chunks are taken greedily by the number of claim stems not yet covered (the earlier of equals first); once nothing
    more is covered, neighbours of the best chunk (before it, then after it) fill what is left.
    """
    if len(passage.split()) <= most:
        return passage
    parts = _chunks(passage)
    lengths = [len(part.split()) for part in parts]
    chosen, room = _best(_stems(claim), [_stems(part) for part in parts], lengths, most)
    for near in (chosen[0] - 1, chosen[0] + 1):
        if 0 <= near < len(parts) and near not in chosen and lengths[near] <= room:
            chosen.append(near)
            room -= lengths[near]
    return " ".join(parts[number] for number in sorted(chosen))


def _best(wanted: set[str], gains: list[set[str]], lengths: list[int], room: int) -> tuple[list[int], int]:
    chosen: list[int] = []
    while True:
        best = max(range(len(gains)), key=lambda n: (n not in chosen, len(gains[n] & wanted), -n))
        if best in chosen or (chosen and (lengths[best] > room or not gains[best] & wanted)):
            return chosen, room
        chosen.append(best)
        wanted, room = wanted - gains[best], room - lengths[best]


def _chunks(passage: str) -> list[str]:
    sentences = [part.split() for part in _BREAK.split(passage) if part.strip()]
    return [" ".join(words[start : start + CHUNK]) for words in sentences for start in range(0, len(words), CHUNK)]


def _stems(text: str) -> set[str]:
    return {word[:STEM] for word in _WORD.findall(text.lower()) if len(word) > _SHORT or word.isdigit()}
