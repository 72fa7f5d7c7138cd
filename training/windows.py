"""Cut a long passage to the sentences that a claim's words point at. The run time does exactly the same."""

import re

LIMIT = 42
CHUNK = 40
STEM = 5
BREAK = re.compile(r"(?<=[.!?…])\s+|\s*\n+\s*")
WORD = re.compile(r"\w+")


def stems(text: str) -> set[str]:
    """First five letters of every word of more than three letters, and every number."""
    return {word[:STEM] for word in WORD.findall(text.lower()) if len(word) > 3 or word.isdigit()}


def chunks(passage: str) -> list[str]:
    found: list[str] = []
    for sentence in filter(None, (part.strip() for part in BREAK.split(passage))):
        words = sentence.split()
        found += [" ".join(words[start : start + CHUNK]) for start in range(0, len(words), CHUNK)]
    return found


def window(claim: str, passage: str, limit: int = LIMIT) -> str:
    """The passage itself up to `limit` words, else its best chunks in their own order.

    Chunks are taken greedily by the number of claim stems not yet covered (the earlier of equals first); once nothing
    more is covered, neighbours of the best chunk (before it, then after it) fill what is left.
    """
    if len(passage.split()) <= limit:
        return passage
    parts = chunks(passage)
    open_stems, room, chosen = stems(claim), limit, []
    gains = [stems(part) for part in parts]
    while True:
        best = max(range(len(parts)), key=lambda n: (n not in chosen, len(gains[n] & open_stems), -n))
        length = len(parts[best].split())
        if best in chosen or (chosen and (length > room or not gains[best] & open_stems)):
            break
        chosen.append(best)
        open_stems, room = open_stems - gains[best], room - length
    for near in (chosen[0] - 1, chosen[0] + 1):
        if 0 <= near < len(parts) and near not in chosen and len(parts[near].split()) <= room:
            chosen.append(near)
            room -= len(parts[near].split())
    return " ".join(parts[n] for n in sorted(chosen))
