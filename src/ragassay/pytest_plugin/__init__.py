"""The pytest plugin: every query of a dataset is a test case, and one evaluation serves all of them.

`@pytest.mark.ragassay(dataset, answers, …)` takes the arguments of `ragassay.evaluate`. Below it, the fixture
`ragassay_run` is the run, measured once in a session; a test that asks for `ragassay_query` is called for each query.

A session that uses none of it pays for this file alone: the rest is imported when it is needed.
"""

import sys
from collections.abc import Generator
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from ragassay.pytest_plugin.cases import QueryCase
    from ragassay.reports.notebook import RunView

MARK = "ragassay"
QUERY = "ragassay_query"


def pytest_configure(config: pytest.Config) -> None:
    """Makes the marker known."""
    config.addinivalue_line("markers", f"{MARK}(dataset, answers, ...): what to measure, as in ragassay.evaluate")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """One test for each query of the marked dataset."""
    if QUERY in metafunc.fixturenames:
        ids = _cases().query_ids(metafunc.definition)
        metafunc.parametrize(QUERY, ids, indirect=True, ids=_cases().safe_ids(ids))


@pytest.fixture
def ragassay_run(request: pytest.FixtureRequest) -> "RunView":
    """The run of the marked files, measured once in a session."""
    return _cases().evaluated(request.node, request.config)


@pytest.fixture
def ragassay_query(request: pytest.FixtureRequest, ragassay_run: "RunView") -> "QueryCase":
    """One query of the run: `ragassay_query["recall@5"]` is its value, and `.id` its id."""
    return _cases().QueryCase(request.param, ragassay_run, request.node.user_properties)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,  # noqa: ARG001 (pytest calls by name)
    call: pytest.CallInfo[None],
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """A test that ends undecided is an error, as one whose fixtures failed, and no failure."""
    report = yield
    api = sys.modules.get("ragassay.api")
    is_undecided = api is not None and call.excinfo is not None and call.excinfo.errisinstance(api.Undecided)
    if is_undecided and report.failed and report.when == "call":
        report.when = "setup"
    return report


def _cases() -> ModuleType:
    return import_module("ragassay.pytest_plugin.cases")
