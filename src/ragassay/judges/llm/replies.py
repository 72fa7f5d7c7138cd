"""Replies that were paid for are kept, so that nothing is asked twice."""

from hashlib import sha256

import msgspec
from msgspec import Struct

_ENCODER = msgspec.json.Encoder(order="deterministic")


class RepliesInMemory:
    """Replies for as long as the process lives."""

    def __init__(self) -> None:
        self._kept: dict[str, bytes] = {}

    async def get(self, key: str) -> bytes | None:
        return self._kept.get(key)

    async def put(self, key: str, reply: bytes) -> None:
        self._kept.setdefault(key, reply)


class Reply(Struct, frozen=True, kw_only=True):
    """What came back, as it came, and what it took. Tokens None: the endpoint does not say.

    `left_out` names the parameters that the endpoint would not take.
    """

    content: str
    model: str = ""
    finish: str | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    left_out: tuple[str, ...] = ()


def key_of(*parts: object) -> str:
    return sha256(_ENCODER.encode(parts)).hexdigest()
