"""A server on a virtual clock: what it answers, when it is overloaded, and its own ledger of what was asked."""

import asyncio
import random
from collections.abc import Callable
from typing import Any

from virtual_time import now

from ragassay.flow import NOTHING, UNKNOWN, Again, Budget, Done, Flow, Limits, Spend
from ragassay.records import Failure

Reply = Done[Any] | Again | Failure
BUSY = Again(Failure(error="judge_rate_limited", detail="HTTP 429"), overload=True, spend=NOTHING)
BROKEN = Again(Failure(error="judge_unavailable", detail="HTTP 500"), spend=UNKNOWN)
REFUSED = Failure(error="judge_request_rejected", detail="HTTP 400")


def flow_to(limits: Limits | None = None, budget: Budget | None = None, seed: int = 1) -> Flow:
    chance = random.Random(seed).random
    return Flow("judge", limits or Limits(), budget or Budget(), clock=now, chance=chance)


class Served:
    """`replies(number of the try, in flight)` says what is answered, after `latency` seconds."""

    def __init__(self, replies: Callable[[int, int], Reply], latency: float = 0.2) -> None:
        self.replies = replies
        self.latency = latency
        self.in_flight = 0
        self.most = 0
        self.begun: list[float] = []

    async def __call__(self) -> Reply:
        self.begun.append(now())
        number = len(self.begun)
        self.in_flight += 1
        self.most = max(self.most, self.in_flight)
        among = self.in_flight
        try:
            await asyncio.sleep(self.latency)
            return self.replies(number, among)
        finally:
            self.in_flight -= 1


def fine(number: int, among: int) -> Reply:
    return Done(number, Spend(10, 0.1))


def scripted(*replies: Reply) -> Callable[[int, int], Reply]:
    """These replies in turn, the last for ever."""
    return lambda number, among: replies[min(number, len(replies)) - 1]
