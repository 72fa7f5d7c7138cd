"""Queries as test cases, and the runs that they are taken from."""

import re
from collections.abc import Sequence
from typing import Any

import pytest

from ragassay import api
from ragassay.records import Errored, FaultyInput, Undefined
from ragassay.reports.notebook import RunView
from ragassay.text.normalise import visible

_MARK = "ragassay"
_UNSAFE = re.compile(r"[^\w.@-]+")
_LONGEST = 80
_RUNS = pytest.StashKey[dict[str, RunView | FaultyInput]]()


class QueryCase:
    """One query in a test: `ragassay_query["recall@5"]` is its value, and stands among the properties of the test.

    A metric that is undefined for the query skips the test with the reason; one that errored makes it an error.
    """

    def __init__(self, query: str, run: RunView, properties: list[tuple[str, object]]) -> None:
        self.id = query
        self._run, self._properties = run, properties
        properties.append(("query", visible(query)))

    def __getitem__(self, metric: str) -> float:
        found = self._run.query(self.id, metric)
        if isinstance(found, Undefined):
            pytest.skip(visible(f"{metric} is undefined for {self.id}: {found.reason}"))
        if isinstance(found, Errored):
            raise api.Undecided(visible(f"{metric} of {self.id} could not be measured: {found.error}"))
        self._properties.append((metric, found.value))
        return found.value


def query_ids(test: pytest.Item) -> tuple[str, ...]:
    """The queries of the dataset in the marker of a test; nothing is measured. What is wrong with it ends the
    collection of the file.
    """
    arguments, options = _marked(test)
    try:
        return api.query_ids(arguments[0] if arguments else options["dataset"])
    except FaultyInput as faulty:
        raise pytest.Collector.CollectError(_listed(faulty)) from None


def safe_ids(queries: Sequence[str]) -> list[str]:
    """Ids for tests: no brackets, colons, spaces or control characters, not too long; pytest tells equal ones apart."""
    return [_UNSAFE.sub("_", query)[:_LONGEST] or "_" for query in queries]


def evaluated(test: pytest.Item, config: pytest.Config) -> RunView:
    """The run of the marker of a test, from this session where it was measured before."""
    arguments, options = _marked(test)
    runs = config.stash.setdefault(_RUNS, {})
    key = repr((arguments, sorted(options.items())))
    if key not in runs:
        try:
            runs[key] = api.evaluate(*arguments, **options)
        except FaultyInput as faulty:
            runs[key] = faulty
    run = runs[key]
    if isinstance(run, FaultyInput):
        pytest.fail(_listed(run), pytrace=False)
    test.user_properties.append(("run", run.run.id))
    return run


def _listed(faulty: FaultyInput) -> str:
    return "\n".join(visible(str(fault)) for fault in faulty.faults)


def _marked(test: pytest.Item) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """What the nearest marker names: the arguments of `ragassay.evaluate`, which checks them."""
    marker = test.get_closest_marker(_MARK)
    if marker is None or not (marker.args or "dataset" in marker.kwargs):
        raise pytest.UsageError(f"{test.name} needs @pytest.mark.{_MARK}(dataset, answers): what to measure")
    return marker.args, dict(marker.kwargs)
