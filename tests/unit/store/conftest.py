import postgres
import pytest

from ragassay.store import Store


@pytest.fixture(params=["sqlite", "postgresql"])
def place(request, tmp_path):
    """Where a store may be made: nobody has been there yet."""
    if request.param == "sqlite":
        return str(tmp_path / "store.db")
    server = postgres.server()
    server.reset()
    return server.url()


@pytest.fixture
def store(place):
    with Store.open(place) as opened:
        yield opened
