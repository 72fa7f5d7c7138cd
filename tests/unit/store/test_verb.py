"""`ragassay store`: copies and checks from the command line."""

import json

import pytest
from storing import fact, key

from ragassay.cli.run import STORE
from ragassay.cli.store import app
from ragassay.records import ExitCode, FaultyInput
from ragassay.store import Store


@pytest.fixture(autouse=True)
def desk(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with Store.open(STORE) as store:
        store.append([fact(1), fact(2)])


def typed(*arguments: str) -> ExitCode:
    return app(arguments, exit_on_error=False, print_error=False, result_action="return_value")


def test_out_in_and_checked(capsys):
    assert typed("backup", "copy.bak") == ExitCode.PASSED
    assert "2 facts, 0 runs: written to copy.bak" in capsys.readouterr().out
    assert typed("restore", "copy.bak", "--store", "new.db") == ExitCode.PASSED
    capsys.readouterr()
    assert typed("check", "--store", "new.db", "--json") == ExitCode.PASSED
    said = json.loads(capsys.readouterr().out)
    with Store.open(STORE) as store:
        assert said == {"facts": 2, "failures": 0, "runs": 0, "run_members": 0, "digest": store.check().digest}


def test_a_password_in_the_name_of_a_store_is_not_shown(capsys):
    with pytest.raises(FaultyInput, match="cannot be opened") as caught:
        typed("check", "--store", "postgresql://user:canary@127.0.0.1:1/x")
    assert "canary" not in str(caught.value) + capsys.readouterr().out


def test_damage_is_a_fault_that_names_what_is_damaged():
    with Store.open(STORE) as store, store._writer.begin() as connection:
        connection.exec_driver_sql("UPDATE facts SET payload = X'00' WHERE key = ?", (key(2),))
    with pytest.raises(FaultyInput, match=key(2)):
        typed("check")
