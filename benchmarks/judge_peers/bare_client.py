"""The least that any tool can take: the same number of calls of the same size through one httpx client, 16 at once.

Arguments beyond those of every tool: the number of calls, the bytes of one.
"""

import asyncio
import sys

import httpx
from samples import Sample
from stopwatch import Scores, Work, timed

CONCURRENCY = 16


def prepare(_: list[Sample], url: str) -> Work:
    calls, size = int(sys.argv[3]), int(sys.argv[4])
    body = {"model": "stub", "messages": [{"role": "user", "content": "x" * size}]}

    async def all_of_them() -> Scores:
        places = asyncio.Semaphore(CONCURRENCY)
        async with httpx.AsyncClient(timeout=60) as client:

            async def call() -> float:
                async with places:
                    reply = await client.post(f"{url}/chat/completions", json=body)
                return float(reply.raise_for_status().json()["usage"]["prompt_tokens"])

            return {"calls": list(await asyncio.gather(*(call() for _ in range(calls))))}

    return lambda: asyncio.run(all_of_them())


if __name__ == "__main__":
    timed(prepare)
