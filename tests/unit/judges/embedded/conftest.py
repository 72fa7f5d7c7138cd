import pytest

from ragassay.judges.embedded import EmbeddedJudge


@pytest.fixture(scope="session")
def judge() -> EmbeddedJudge:
    return EmbeddedJudge()


@pytest.fixture(scope="session")
def cheap_judge() -> EmbeddedJudge:
    return EmbeddedJudge(with_cross_encoder=False)
