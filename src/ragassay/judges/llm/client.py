"""A chat with one endpoint: one request a try, honest failures, tokens and money as far as they are known."""

import asyncio
import re
import time
from collections.abc import Sequence
from typing import Any

import httpx
import msgspec
from msgspec import Struct

from ragassay.flow import NOTHING, UNKNOWN, Again, CredentialsRefused, Done, Flow, Outcome, asked_wait, outcome_of
from ragassay.judges.llm.endpoint import Endpoint
from ragassay.judges.llm.prompts import Message, Prompt, estimated_tokens
from ragassay.judges.llm.replies import Reply
from ragassay.records import Failure, Usage
from ragassay.text.normalise import visible

try:
    import openai
except ImportError as missing:
    raise ImportError("the LLM judge needs the package openai: pip install 'ragassay[llm]'", name="openai") from missing

_DETAIL = 300
_LONG = 12
"""A shorter key may be a common word, as local servers take it."""
_OVERFLOW = re.compile(
    r"context[_ ](?:length|window|size)|context_length_exceeded|maximum (?:context|prompt|input) length"
    r"|prompt is too long|too many (?:input )?tokens|exceeds? the (?:available|model's?) context",
    re.IGNORECASE,
)
_OPTIONAL = {
    "response_format": re.compile(r"response_?format|json_schema|structured output|guided_json|grammar", re.IGNORECASE),
    "temperature": re.compile(r"temperature", re.IGNORECASE),
    "max_completion_tokens": re.compile(r"max_completion_tokens", re.IGNORECASE),
    "max_tokens": re.compile(r"max_tokens", re.IGNORECASE),
}
"""What an endpoint may not take, and how it says so. Asked without, never guessed from the model's name."""


class _Said(Struct):
    content: str | None = None
    refusal: str | None = None


class _Choice(Struct):
    message: _Said
    finish_reason: str | None = None


class _Tokens(Struct):
    prompt_tokens: int | None = None
    completion_tokens: int | None = None


class _Completion(Struct):
    choices: list[_Choice]
    model: str | None = None
    usage: _Tokens | None = None


class _Learnt:
    """The endpoint rejected an optional parameter, which is left out from now on."""


_LEARNT = _Learnt()
_Try = Done[Reply | Failure | _Learnt] | Again


class Chat:
    """One pooled client for one endpoint. Keeps the key to itself."""

    def __init__(self, endpoint: Endpoint, flow: Flow, key: str) -> None:
        self.endpoint = endpoint
        self.unsupported: set[str] = set()
        self._flow = flow
        self._key = key
        self._calls = 0
        self._tokens: tuple[int | None, int | None] = (0, 0)
        self._client: openai.AsyncOpenAI | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    def __repr__(self) -> str:
        return f"Chat({self.endpoint.model!r} at {self.endpoint.base_url!r})"

    async def ask(self, prompt: Prompt, user: str) -> Reply | Failure:
        """The reply. Failures: `judge_context_overflow`, `judge_timeout`, `judge_rate_limited`, `judge_unavailable`,
        `judge_request_rejected`, `judge_reply_malformed`, `judge_output_truncated`, `judge_refused`,
        `judge_reply_has_secret`. Raises `CredentialsRefused`, and what `Flow.call` raises.
        """
        messages = prompt.messages(user)
        most_in = estimated_tokens(messages, prompt.shape)
        if most_in + self.endpoint.max_tokens > self.endpoint.window:
            return Failure(error="judge_context_overflow", detail=f"above {self.endpoint.window} tokens by estimate")
        expected = self.endpoint.spend(most_in, self.endpoint.max_tokens)
        client = self._opened()
        while True:
            outcome = await self._flow.call(lambda: self._send(client, messages, prompt), expected)
            if not isinstance(outcome, _Learnt):
                return outcome

    def spent(self) -> Usage:
        tokens_in, tokens_out = self._tokens
        cost = self.endpoint.cost(tokens_in, tokens_out)
        return Usage(calls=self._calls, input_tokens=tokens_in, output_tokens=tokens_out, cost=cost)

    async def close(self) -> None:
        client, self._client = self._client, None
        if client is not None:
            await client.close()

    def _opened(self) -> openai.AsyncOpenAI:
        """The client of the running event loop: connections of a loop that has ended cannot be used."""
        loop = asyncio.get_running_loop()
        if self._client is None or self._loop is not loop:
            self._loop = loop
            self._client = openai.AsyncOpenAI(
                base_url=self.endpoint.base_url,
                api_key=self._key or "none",
                timeout=None,
                max_retries=0,
                # What is sent to one host must not follow a redirect to another.
                http_client=openai.DefaultAsyncHttpxClient(follow_redirects=False),
            )
        return self._client

    async def _send(self, client: openai.AsyncOpenAI, messages: Sequence[Message], prompt: Prompt) -> _Try:
        self._calls += 1
        parameters = self._parameters(messages, prompt)
        try:
            # The body is decoded here: the client would hand on a reply that has no choices, or no JSON at all.
            response = await client.post("/chat/completions", cast_to=httpx.Response, body=parameters)
        except openai.APIStatusError as error:
            return Done(_LEARNT, NOTHING) if self._learns_from(error, parameters) else self._rejected(error)
        except openai.APIConnectionError as error:
            failure = Failure(error="judge_unavailable", detail=self._told(f"{error}: {error.__cause__}"))
            return Again(failure, overload=True)
        except asyncio.CancelledError:
            self._tokens = (None, None)  # The server may have done the work, and may charge for it.
            raise
        return self._read(response.content, parameters)

    def _parameters(self, messages: Sequence[Message], prompt: Prompt) -> dict[str, Any]:
        limit = "max_completion_tokens" if "max_tokens" in self.unsupported else "max_tokens"
        schema = {"name": prompt.id, "strict": True, "schema": prompt.shape}
        optional = {
            "temperature": 0,
            limit: self.endpoint.max_tokens,
            "response_format": {"type": "json_schema", "json_schema": schema},
        }
        taken = {name: value for name, value in optional.items() if name not in self.unsupported}
        return {"model": self.endpoint.model, "messages": list(messages), **taken}

    def _learns_from(self, error: openai.APIStatusError, sent: dict[str, Any]) -> bool:
        """Whether the endpoint rejected an optional parameter; it is left out from now on."""
        said = _words_of(error)
        if error.status_code not in (400, 422) or _OVERFLOW.search(said):
            return False
        named = (
            [error.param]
            if isinstance(error.param, str) and error.param in sent
            else [name for name, form in _OPTIONAL.items() if form.search(said)]
        )
        refused = next((name for name in named if name in sent and name in _OPTIONAL), None)
        if refused is None:
            return False
        self.unsupported.add(refused)
        return True

    def _rejected(self, error: openai.APIStatusError) -> _Try:
        status, said = error.status_code, _words_of(error)
        outcome, detail = outcome_of(status), self._told(f"HTTP {status}: {said}")
        if outcome is Outcome.REFUSED:
            raise CredentialsRefused(f"the judge refuses who asks ({detail}); check its key")
        if status in (400, 413, 422) and _OVERFLOW.search(said):
            return Done(Failure(error="judge_context_overflow", detail=detail), NOTHING)
        if outcome in (Outcome.AGAIN, Outcome.OVERLOAD):
            name = "judge_rate_limited" if status == 429 else "judge_unavailable"
            wait = asked_wait(error.response.headers, time.time())
            spend = NOTHING if status == 429 else UNKNOWN
            return Again(Failure(error=name, detail=detail), wait, outcome is Outcome.OVERLOAD, spend)
        return Done(Failure(error="judge_request_rejected", detail=detail), NOTHING)

    def _read(self, body: bytes, sent: dict[str, Any]) -> Done[Reply | Failure | _Learnt]:
        try:
            completion = msgspec.json.decode(body, type=_Completion)
            choice = completion.choices[0]
        except (msgspec.MsgspecError, UnicodeDecodeError, IndexError) as error:
            self._tokens = (None, None)
            return Done(Failure(error="judge_reply_malformed", detail=self._told(f"no completion: {error}")), UNKNOWN)
        used = completion.usage or _Tokens()
        self._count(used)
        reply = Reply(
            content=choice.message.content or "",
            model=completion.model or "",
            finish=choice.finish_reason,
            input_tokens=used.prompt_tokens,
            output_tokens=used.completion_tokens,
            left_out=tuple(sorted(name for name in self.unsupported if name not in sent)),
        )
        spend = self.endpoint.spend(used.prompt_tokens, used.completion_tokens)
        return Done(self._failure_of(choice, reply) or reply, spend)

    def _failure_of(self, choice: _Choice, reply: Reply) -> Failure | None:
        if len(self._key) >= _LONG and self._key in f"{reply.content}\n{reply.model}":
            return Failure(error="judge_reply_has_secret", detail="the reply repeats the key, so it is not kept")
        if choice.finish_reason == "length":
            return Failure(
                error="judge_output_truncated",
                detail=f"the reply reached {self.endpoint.max_tokens} tokens; raise max_tokens of the endpoint",
            )
        if choice.message.refusal or choice.finish_reason == "content_filter":
            return Failure(error="judge_refused", detail=self._told(choice.message.refusal or "content filter"))
        return None

    def _count(self, used: _Tokens) -> None:
        both = zip(self._tokens, (used.prompt_tokens, used.completion_tokens), strict=True)
        now_in, now_out = (None if before is None or more is None else before + more for before, more in both)
        self._tokens = (now_in, now_out)

    def _told(self, text: str) -> str:
        """What a server says, short, safe to print, and without the key."""
        return visible(text.replace(self._key, "…") if self._key else text)[:_DETAIL]


def _words_of(error: openai.APIStatusError) -> str:
    return f"{error.code or ''} {error.message}".strip()
