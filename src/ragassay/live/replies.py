"""What judges behind endpoints replied, kept in the store."""

from ragassay.store import Fact, Journal


class StoredReplies:
    """Replies by key. `used` holds the keys of all that were read or written."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self.used: set[str] = set()

    async def get(self, key: str) -> bytes | None:
        found = (await self._journal.facts("reply", [key])).get(key)
        if found is not None:
            self.used.add(key)
        return found

    async def put(self, key: str, reply: bytes) -> None:
        """Returns once the reply is durable."""
        await self._journal.append(Fact("reply", key, reply))
        self.used.add(key)
