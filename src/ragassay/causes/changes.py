"""What became of every query between two versions: cause before, cause after."""

from collections import Counter
from collections.abc import Iterable, Sequence

from ragassay.records import Failed

NOT_FAILED = "none"


def transitions(
    baseline: Sequence[Failed], candidate: Sequence[Failed], queries: Iterable[str]
) -> dict[str, dict[str, int]]:
    """Primary cause before → primary cause after → queries, of the `queries` that both runs measured.

    `none` stands for a query that did not fail. Both levels are in order of the causes' names.
    """
    before = {each.query: each.cause.name for each in baseline}
    after = {each.query: each.cause.name for each in candidate}
    counts = Counter((before.get(query, NOT_FAILED), after.get(query, NOT_FAILED)) for query in queries)
    table: dict[str, dict[str, int]] = {}
    for (old, new), count in sorted(counts.items()):
        table.setdefault(old, {})[new] = count
    return table
