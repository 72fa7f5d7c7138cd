"""Asking a system in a test: a flow that does not wait, a description from its TOML."""

import asyncio

from ragassay.flow import Budget, Flow, Limits
from ragassay.formats.system import read_system
from ragassay.records import Query, Requester
from ragassay.systems import HttpSystem

QUERY = Query(id="q1", question='Каков "момент" {groups}?', language="ru", requester=Requester(("assembly", "all")))


async def at_once(_seconds):
    await asyncio.sleep(0)


def flow(budget=None, sleep=at_once, **limits):
    return Flow("system", Limits(**limits), budget or Budget(), sleep=sleep, chance=lambda: 0.5)


def asked(system, *queries):
    """What the system answers, one query after the other."""

    async def ask():
        try:
            return [await system.ask(query) for query in queries or (QUERY,)]
        finally:
            await system.close()

    found = asyncio.run(ask())
    return found if queries else found[0]


def description(folder, text):
    path = folder / "system.toml"
    path.write_text(text, encoding="utf-8")
    return read_system(path)


def endpoint(folder, text, **settings):
    """An HTTP system after its TOML; made in no event loop, as the command line makes it."""
    return HttpSystem(description(folder, text), settings.pop("flow", None) or flow(**settings))
