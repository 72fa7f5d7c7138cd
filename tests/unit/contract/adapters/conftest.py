"""Frameworks that must not call home: telemetry is off before they are imported, and sockets are shut."""

import os
import socket

import pytest

os.environ["HAYSTACK_TELEMETRY_ENABLED"] = "False"
os.environ["LANGSMITH_TRACING"] = "false"
os.environ["LANGCHAIN_TRACING_V2"] = "false"


@pytest.fixture(autouse=True)
def _no_network(monkeypatch):
    def refused(*_):
        raise AssertionError("a test of an adapter opened a connection")

    monkeypatch.setattr(socket.socket, "connect", refused)
    monkeypatch.setattr(socket.socket, "connect_ex", refused)
