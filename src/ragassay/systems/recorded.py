"""Recorded answers as the system under test: each query gets what the file holds."""

import hashlib
from collections.abc import Sequence
from pathlib import Path

import msgspec

from ragassay.formats import load_answers
from ragassay.records import Answer, Notice, Query, SystemCard


class RecordedSystem:
    """Answers by the id of their query; a query that is not in the file is `not_recorded`."""

    def __init__(self, path: Path, queries: Sequence[Query] = ()) -> None:
        """`queries` give their ids to answers that have only the text of a question. Raises `FaultyInput`."""
        bundle = load_answers(path, queries)
        self._answers = {answer.query: answer for answer in bundle.answers}
        self._notices = bundle.notices
        content = hashlib.sha256()
        for answer in bundle.answers:
            content.update(msgspec.json.encode(answer, order="deterministic"))
        # Without a version: two files may hold answers of one version, given at different times.
        self.card = SystemCard(kind="recorded", name=path.name, code=content.hexdigest())

    async def ask(self, query: Query) -> Answer:
        return self._answers.get(query.id) or Answer(query=query.id, error="not_recorded")

    def notices(self) -> Sequence[Notice]:
        return self._notices

    async def close(self) -> None:
        """Nothing is held."""
