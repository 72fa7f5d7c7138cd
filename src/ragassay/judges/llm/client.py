"""A chat with one endpoint: bounded tries, honest failures, tokens and money as far as they are known."""

import os
import re
import time
from collections.abc import Callable, Sequence
from email.utils import parsedate_to_datetime
from typing import Any, NamedTuple, Protocol, cast
from urllib.parse import urlsplit

import msgspec
from msgspec import Struct

from ragassay.judges.llm.prompts import Message, Prompt, estimated_tokens
from ragassay.records import Failure, Fault, FaultyInput, Usage
from ragassay.text.normalise import visible

try:
    import openai
except ImportError as missing:
    raise ImportError("the LLM judge needs the package openai: pip install 'ragassay[llm]'", name="openai") from missing

_LONGEST_WAIT = 60.0
_DETAIL = 300
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


class Price(Struct, frozen=True):
    """Money per million tokens, in any one currency."""

    input: float
    output: float


class Endpoint(Struct, frozen=True, kw_only=True):
    """Where a model answers, and how far it is trusted with time and text.

    `base_url` ends before `/chat/completions`. `key_variable` is the *name* of the environment variable with the key;
    None sends no key. `window` is what the model really takes, in tokens of question and reply together: a server that
    cuts silently must be given here as it is. `timeout` is in seconds; `tries` counts requests for one question.
    """

    base_url: str
    model: str
    key_variable: str | None = None
    max_tokens: int = 4_096
    window: int = 16_384
    timeout: float = 60.0
    tries: int = 4
    price: Price | None = None


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


class _Body(Protocol):
    @property
    def content(self) -> bytes: ...


class _Again(NamedTuple):
    """A failure that may pass; `after` is the wait in seconds that the server asks for."""

    failure: Failure
    after: float | None = None


class Chat:
    """One client for one endpoint, used again for every question. Keeps the key to itself."""

    def __init__(self, endpoint: Endpoint, sleep: Callable[[float], None] = time.sleep) -> None:
        """Raises `FaultyInput` with everything that is wrong with the endpoint."""
        self._key = _key(endpoint)
        self.endpoint = endpoint
        self.returned_models: set[str] = set()
        self.unsupported: set[str] = set()
        self._sleep = sleep
        self._calls = 0
        self._tokens: tuple[int | None, int | None] = (0, 0)
        client = openai.OpenAI(
            base_url=endpoint.base_url,
            api_key=self._key or "none",
            timeout=endpoint.timeout,
            max_retries=0,
            # What is sent to one host must not follow a redirect to another.
            http_client=openai.DefaultHttpxClient(follow_redirects=False),
        )
        # The body is decoded here: the client would hand on a reply that has no choices, or no JSON at all.
        self._create = cast("Callable[..., _Body]", client.chat.completions.with_raw_response.create)

    def __repr__(self) -> str:
        return f"Chat({self.endpoint.model!r} at {self.endpoint.base_url!r})"

    def fits(self, messages: Sequence[Message]) -> bool:
        return estimated_tokens(messages) + self.endpoint.max_tokens <= self.endpoint.window

    def ask(self, prompt: Prompt, user: str) -> str | Failure:
        """The content of the reply. Failures: `judge_context_overflow`, `judge_timeout`, `judge_rate_limited`,
        `judge_unavailable`, `judge_request_rejected`, `judge_reply_malformed`, `judge_output_truncated`,
        `judge_refused`."""
        messages = prompt.messages(user)
        if not self.fits(messages):
            return Failure(error="judge_context_overflow", detail=f"above {self.endpoint.window} tokens by estimate")
        tried = 0
        while True:
            tried += 1
            outcome = self._send(messages, prompt)
            if not isinstance(outcome, _Again):
                return outcome
            wait = min(0.5 * 2 ** (tried - 1), 8.0) if outcome.after is None else outcome.after
            if tried >= self.endpoint.tries or wait > _LONGEST_WAIT:
                detail = f"{outcome.failure.detail}; gave up after {tried} tries, next wait {wait:g} s"
                return Failure(error=outcome.failure.error, detail=detail)
            self._sleep(wait)

    def spent(self) -> Usage:
        tokens_in, tokens_out = self._tokens
        price, cost = self.endpoint.price, None
        if price is not None and tokens_in is not None and tokens_out is not None:
            cost = (tokens_in * price.input + tokens_out * price.output) / 1_000_000
        return Usage(calls=self._calls, input_tokens=tokens_in, output_tokens=tokens_out, cost=cost)

    def _send(self, messages: Sequence[Message], prompt: Prompt) -> str | Failure | _Again:
        self._calls += 1
        parameters = self._parameters(messages, prompt)
        try:
            response = self._create(**parameters)
        except openai.APIStatusError as error:
            if self._learns_from(error, parameters):
                return self._send(messages, prompt)
            return self._rejected(error)
        except openai.APITimeoutError:
            self._tokens = (None, None)  # The server may have done the work, and may charge for it.
            return _Again(Failure(error="judge_timeout", detail=f"no reply in {self.endpoint.timeout:g} s"))
        except openai.APIConnectionError as error:
            return _Again(Failure(error="judge_unavailable", detail=self._told(f"{error}: {error.__cause__}")))
        return self._content(response.content)

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

    def _rejected(self, error: openai.APIStatusError) -> Failure | _Again:
        status, said = error.status_code, _words_of(error)
        detail = self._told(f"HTTP {status}: {said}")
        if status in (400, 413, 422) and _OVERFLOW.search(said):
            return Failure(error="judge_context_overflow", detail=detail)
        if status == 429:
            return _Again(Failure(error="judge_rate_limited", detail=detail), _asked_wait(error))
        if status in (408, 409, 425) or status >= 500:
            return _Again(Failure(error="judge_unavailable", detail=detail), _asked_wait(error))
        return Failure(error="judge_request_rejected", detail=detail)

    def _content(self, body: bytes) -> str | Failure:
        try:
            completion = msgspec.json.decode(body, type=_Completion)
            choice = completion.choices[0]
        except (msgspec.MsgspecError, UnicodeDecodeError, IndexError) as error:
            self._count(None)
            return Failure(error="judge_reply_malformed", detail=self._told(f"no chat completion: {error}"))
        self._count(completion.usage)
        if completion.model:
            self.returned_models.add(completion.model)
        if choice.finish_reason == "length":
            return Failure(
                error="judge_output_truncated",
                detail=f"the reply reached {self.endpoint.max_tokens} tokens; raise max_tokens of the endpoint",
            )
        if choice.message.refusal or choice.finish_reason == "content_filter":
            return Failure(error="judge_refused", detail=self._told(choice.message.refusal or "content filter"))
        return choice.message.content or ""

    def _count(self, used: _Tokens | None) -> None:
        found = (None, None) if used is None else (used.prompt_tokens, used.completion_tokens)
        both = zip(self._tokens, found, strict=True)
        now_in, now_out = (None if before is None or more is None else before + more for before, more in both)
        self._tokens = (now_in, now_out)

    def _told(self, text: str) -> str:
        """What a server says, short, safe to print, and without the key."""
        return visible(text.replace(self._key, "…") if self._key else text)[:_DETAIL]


def _words_of(error: openai.APIStatusError) -> str:
    return f"{error.code or ''} {error.message}".strip()


def _asked_wait(error: openai.APIStatusError) -> float | None:
    """The wait in seconds that `Retry-After` asks for, as a number or as a date beside the server's own clock."""
    headers = error.response.headers
    asked = headers.get("retry-after", "")
    if re.fullmatch(r"\d{1,9}(?:\.\d{1,9})?", asked):
        return float(asked)
    try:
        wait = parsedate_to_datetime(asked) - parsedate_to_datetime(headers.get("date", ""))
    except (ValueError, TypeError):
        return None
    return max(wait.total_seconds(), 0.0)


def _key(endpoint: Endpoint) -> str:
    """The key of an endpoint without fault, from the environment."""
    faults = list(_faults(endpoint))
    key = os.environ.get(endpoint.key_variable, "") if endpoint.key_variable else ""
    if endpoint.key_variable and not (key.strip() and key.strip().isascii() and key.strip().isprintable()):
        expected = "an environment variable that holds the key in plain letters"
        faults.append(_fault("key_variable", endpoint.key_variable, expected, "set it"))
    if faults:
        raise FaultyInput(faults)
    return key.strip()


def _faults(endpoint: Endpoint) -> list[Fault]:
    try:
        url = urlsplit(endpoint.base_url)
        is_plain = url.scheme in ("http", "https") and bool(url.hostname) and not (url.username or url.query)
    except ValueError:
        is_plain = False
    checks = (
        (
            is_plain,
            "base_url",
            "hidden",
            "http(s)://host/path without user, password or query",
            "put a key in a variable",
        ),
        (bool(endpoint.model.strip()), "model", endpoint.model, "the name of a model", "name it"),
        (endpoint.max_tokens >= 1, "max_tokens", endpoint.max_tokens, "1 or more", "give the reply room"),
        (endpoint.window > endpoint.max_tokens, "window", endpoint.window, "more than max_tokens", "raise it"),
        (endpoint.timeout > 0, "timeout", endpoint.timeout, "seconds above 0", "raise it"),
        (endpoint.tries >= 1, "tries", endpoint.tries, "1 or more", "raise it"),
    )
    return [_fault(name, value, expected, remedy) for holds, name, value, expected, remedy in checks if not holds]


def _fault(field: str, value: object, expected: str, remedy: str) -> Fault:
    return Fault(
        code="faulty_endpoint",
        message="the endpoint of the judge cannot be used",
        field=field,
        value=visible(str(value))[:_DETAIL],
        expected=expected,
        remedy=remedy,
    )
