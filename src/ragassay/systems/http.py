"""An HTTP endpoint as the system under test, asked as its description says."""

import asyncio
import hashlib
import os
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import Any
from urllib.parse import urlsplit

import httpx
import msgspec

from ragassay.flow import NOTHING, Again, CredentialsRefused, Done, Flow, Outcome, Spend, asked_wait, outcome_of
from ragassay.formats.system import HttpDescription, variables_in, with_variables
from ragassay.records import Answer, Failure, Fault, FaultyInput, Notice, Query, SystemCard
from ragassay.systems.heard import Heard
from ragassay.systems.observing import Observer, spend_of
from ragassay.systems.places import filled, values_of
from ragassay.systems.redaction import SHOWN, Redaction
from ragassay.systems.streams import LIMIT, ErrorEvent, TooLarge

_LABELS = ("model", "prompt_hash", "index_hash")
_TRAILER = 0.25
"""Seconds that a connection gets to close the reply after its last event, so that it can be used again."""


class HttpSystem:
    """Asks one endpoint over one pool of connections. Keeps what the headers hold to itself.

    Every question is a stranger's: cookies are not kept. A redirect is not followed, since what is sent to one host
    must not go to another. Times are those of the try that was answered, not of the waits before it.
    """

    def __init__(
        self,
        description: HttpDescription,
        flow: Flow,
        card: SystemCard | None = None,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        """Raises `FaultyInput` for an address that names no host, or the variables that are missing or unusable."""
        _check_address(description.url)
        secrets = _secrets(description)
        headers = {name: with_variables(template, secrets) for name, template in description.headers.items()}
        self.card = card or card_of(description)
        self._description = description
        self._flow = flow
        self._clock = clock
        self._redaction = Redaction(secrets)
        self._observer = Observer(self.card.name, self._redaction)
        self._seen: dict[str, set[str]] = {name: set() for name in _LABELS}
        self._client = httpx.AsyncClient(
            headers=headers,
            timeout=None,  # noqa: S113  the flow ends what takes too long
            follow_redirects=False,
            limits=httpx.Limits(max_connections=None, max_keepalive_connections=flow.limits.concurrency),
            cookies=CookieJar(DefaultCookiePolicy(allowed_domains=())),
        )

    async def ask(self, query: Query) -> Answer:
        if query.question is None:
            return self._observer.failed(query, "no_question", None, {})
        heard = Heard(self._description, self._clock)
        outcome = await self._flow.call(partial(self._attempt, query, heard), self._expected())
        if not isinstance(outcome, Failure):
            return outcome
        if heard.has_begun:
            return self._answer(query, heard, outcome)
        return self._observer.failed(query, outcome.error, outcome.detail, {})

    def notices(self) -> list[Notice]:
        seen = {name: sorted(values) for name, values in self._seen.items() if values}
        is_one = all(len(values) == 1 for values in seen.values())
        code, message = "system_seen", "what the system called itself in its replies"
        if not is_one:
            code, message = "system_changed", "the system changed while it was asked"
        samples = tuple(f"{name}: {', '.join(values)}" for name, values in seen.items())
        own = [Notice(code=code, count=len(seen), message=message, samples=samples)] if seen else []
        return [*own, *self._observer.notices()]

    async def close(self) -> None:
        await self._client.aclose()

    def _expected(self) -> Spend:
        tokens, price = self._description.most_tokens, self._description.price
        dearest = max(price.input, price.output) if price else None
        if dearest == 0:
            return Spend(tokens, 0.0)
        return Spend(tokens, None if tokens is None or dearest is None else tokens * dearest / 1_000_000)

    async def _attempt(self, query: Query, heard: Heard) -> Done[Answer] | Again | Failure:
        heard.begin()
        try:
            async with self._client.stream(**self._request(query)) as response:
                if outcome_of(response.status_code) is not Outcome.DONE:
                    return await self._rejected(response)
                await _listen(response, heard)
        except (httpx.ConnectError, httpx.ConnectTimeout) as error:
            return Again(self._failure("system_unavailable", error), overload=True, spend=NOTHING)
        except (httpx.TransportError, ErrorEvent) as error:
            failure = self._failure("system_stream_broken" if heard.has_begun else "system_unavailable", error)
            if not (heard.has_begun or heard.is_whole):
                return Again(failure)
            return self._done(self._answer(query, heard, failure))
        except (TooLarge, httpx.DecodingError, ValueError) as error:
            cause = "system_reply_too_large" if isinstance(error, TooLarge) else "system_reply_malformed"
            return self._done(self._broken(query, heard, self._failure(cause, error)))
        failure = Failure(error="system_stream_broken", detail="it ended without the mark of its end")
        return self._done(self._answer(query, heard, failure))

    def _request(self, query: Query) -> dict[str, Any]:
        values = values_of(query)
        parameters = {name: filled(text, values) for name, text in self._description.parameters.items()}
        template = self._description.request
        body = {} if template is None else {"content": msgspec.json.encode(filled(template, values))}
        return {
            "method": self._description.method,
            "url": self._description.url,
            "params": {name: value for name, value in parameters.items() if value is not None},
            "headers": {"content-type": "application/json"} if body else {},
            **body,
        }

    async def _rejected(self, response: httpx.Response) -> Again | Failure:
        status = response.status_code
        detail = self._redaction.told(f"HTTP {status}: {await _beginning(response)}".rstrip(": "))
        if outcome_of(status) is Outcome.REFUSED:
            raise CredentialsRefused(f"{self.card.name} refuses who asks ({detail}); check [headers] and its variables")
        if 300 <= status < 400:
            detail = self._redaction.told(f"HTTP {status} to {_host(response.headers.get('location', ''))}")
            return Failure(error="system_redirected", detail=detail)
        if outcome_of(status) is Outcome.FINAL:
            return Failure(error="system_request_rejected", detail=detail)
        cause = "system_rate_limited" if status == 429 else "system_unavailable"
        wait = asked_wait(response.headers, time.time())
        return Again(Failure(error=cause, detail=detail), wait, outcome_of(status) is Outcome.OVERLOAD)

    def _answer(self, query: Query, heard: Heard, failure: Failure) -> Answer:
        """The whole answer, or the part that came before this failure."""
        if not heard.is_whole:
            return self._broken(query, heard, failure)
        if heard.cut is not None:
            return self._broken(query, heard, Failure(error="system_answer_cut", detail=heard.cut))
        return self._observed(query, heard.row(), heard.measured())

    def _broken(self, query: Query, heard: Heard, failure: Failure) -> Answer:
        """What came of an answer, never as a whole one."""
        row, measured = heard.row(), heard.measured()
        del measured["complete"]
        if not heard.has_begun and "error" not in row:
            return self._observer.failed(query, failure.error, failure.detail, measured)
        answer = self._observed(query, row, measured)
        error = answer.error or self._observer.error(failure.error, failure.detail)
        return msgspec.structs.replace(answer, error=error, complete=False)

    def _observed(self, query: Query, row: dict[str, Any], measured: dict[str, Any]) -> Answer:
        leaking = self._redaction.leak(row)
        if leaking is not None:
            detail = f"it repeats the value of the variable {leaking}, so it is not kept"
            return self._observer.failed(query, "system_reply_has_secret", detail, measured)
        reply = self._description.reply
        if reply is not None:
            self._note_labels(row)
        if reply is not None and "answer" in reply.scalars and "error" not in row and "answer" not in row:
            if self._description.stream is None:
                return self._observer.failed(query, "system_reply_malformed", "nothing at reply.answer", measured)
            row["answer"] = ""
        label = {} if self.card.version is None else {"system": self.card.version}
        return self._priced(self._observer.observe(query, row, measured | label))

    def _note_labels(self, row: dict[str, Any]) -> None:
        for name in _LABELS:
            if (label := row.pop(name, None)) is not None:
                self._seen[name].add(self._redaction.told(str(label)))

    def _priced(self, answer: Answer) -> Answer:
        price, tokens_in, tokens_out = self._description.price, answer.input_tokens, answer.output_tokens
        if price is None or answer.cost is not None or tokens_in is None or tokens_out is None:
            return answer
        return msgspec.structs.replace(answer, cost=(tokens_in * price.input + tokens_out * price.output) / 1_000_000)

    def _failure(self, cause: str, error: Exception) -> Failure:
        return Failure(error=cause, detail=self._redaction.told(f"{type(error).__name__}: {error}".removesuffix(": ")))

    def _done(self, answer: Answer) -> Done[Answer]:
        return Done(answer, spend_of(answer))


async def _listen(response: httpx.Response, heard: Heard) -> None:
    size = 0
    chunks = response.aiter_bytes()
    async for chunk in chunks:
        size += len(chunk)
        if size > LIMIT:
            raise TooLarge(f"more than {LIMIT >> 20} MiB")
        heard.feed(chunk)
        if heard.has_ended:
            break
    else:
        heard.end()
        return
    with suppress(TimeoutError, httpx.HTTPError):
        async with asyncio.timeout(_TRAILER):
            await anext(chunks, None)


async def _beginning(response: httpx.Response) -> str:
    """What a server says beside a status, as far as it says it soon."""
    said = b""
    with suppress(TimeoutError, httpx.HTTPError):
        async with asyncio.timeout(_TRAILER):
            async for chunk in response.aiter_bytes():
                said += chunk
                if len(said) > 8 * SHOWN:
                    break
    return said.decode("utf-8", "replace")


def _host(location: str) -> str:
    """Where a redirect leads; the rest of the address may hold what is nobody's business."""
    try:
        return urlsplit(location).hostname or "the same host"
    except ValueError:
        return "an unreadable address"


def card_of(description: HttpDescription) -> SystemCard:
    """The card of an endpoint; the values of its headers are no part of it."""
    asked = msgspec.structs.replace(description, version=None, price=None, most_tokens=None)
    return SystemCard(
        kind="http",
        name=description.url,
        version=description.version,
        model=description.model,
        prompt_hash=description.prompt_hash,
        index_hash=description.index_hash,
        code=hashlib.sha256(msgspec.json.encode(asked, order="deterministic")).hexdigest(),
    )


def _check_address(url: str) -> None:
    try:
        httpx.URL(url)
    except httpx.InvalidURL as error:
        fault = Fault(
            code="bad_value",
            message=f"unusable address: {error}",
            field="url",
            expected="http(s)://host/path",
            remedy="check the name of the host",
        )
        raise FaultyInput([fault]) from None


def _secrets(description: HttpDescription) -> dict[str, str]:
    """The values of the variables in the headers, by name. Raises `FaultyInput` for each that cannot be used."""
    named = {name: header for header, text in description.headers.items() for name in variables_in(text)}
    values = {name: os.environ.get(name, "").strip() for name in named}
    faults = [
        Fault(
            code="faulty_variable",
            message=f"the variable {name} is not set or cannot be sent",
            field=f"headers.{named[name]}",
            expected="an environment variable in plain letters",
            remedy="set it",
        )
        for name, value in values.items()
        if not (value and value.isascii() and value.isprintable())
    ]
    if faults:
        raise FaultyInput(faults)
    return values
