import pytest
from golden.reports.example import bundle, fixed

from ragassay.runner import Settings, measure


@pytest.fixture(scope="session")
def example():
    return fixed()


@pytest.fixture(scope="session")
def run(example):
    return example[0]


@pytest.fixture(scope="session")
def fractions(example):
    return example[1]


@pytest.fixture(scope="session")
def evaluation():
    return measure(bundle(), Settings(resamples=50))
