"""Where a model answers, and everything that can be wrong with that."""

import os
from collections.abc import Iterator
from urllib.parse import urlsplit

from msgspec import Struct

from ragassay.flow import Limits, Spend
from ragassay.records import Fault, FaultyInput
from ragassay.text.normalise import visible

_SHOWN = 300
_TIMEOUTS = 3


class Price(Struct, frozen=True, forbid_unknown_fields=True):
    """Money per million tokens, in any one currency."""

    input: float
    output: float


class Endpoint(Struct, frozen=True, kw_only=True):
    """A model behind an OpenAI-compatible address, and how far it is trusted with time and text.

    `base_url` ends before `/chat/completions`. `key_variable` is the *name* of the environment variable with the key;
    None sends no key. `window` is what the model really takes, in tokens of question and reply together: a server that
    cuts silently must be given here as it is. `timeout` is in seconds for one request; `tries` counts requests for one
    question, `concurrency` those in flight at once.
    """

    base_url: str
    model: str
    key_variable: str | None = None
    max_tokens: int = 4_096
    window: int = 16_384
    timeout: float = 60.0
    tries: int = 4
    concurrency: int = 16
    price: Price | None = None

    @property
    def limits(self) -> Limits:
        return Limits(
            concurrency=self.concurrency,
            tries=self.tries,
            timeout=self.timeout,
            deadline=_TIMEOUTS * self.timeout,
        )

    def cost(self, tokens_in: int | None, tokens_out: int | None) -> float | None:
        """What so many tokens cost; None where price or tokens are unknown."""
        if self.price is None or tokens_in is None or tokens_out is None:
            return None
        return (tokens_in * self.price.input + tokens_out * self.price.output) / 1_000_000

    def spend(self, tokens_in: int | None, tokens_out: int | None) -> Spend:
        total = None if tokens_in is None or tokens_out is None else tokens_in + tokens_out
        return Spend(total, self.cost(tokens_in, tokens_out))


def key_of(endpoint: Endpoint) -> str:
    """The key from the environment, `""` for none. Raises `FaultyInput` with everything wrong with the endpoint."""
    if faults := list(faults_of(endpoint)):
        raise FaultyInput(faults)
    return _key(endpoint)


def _key(endpoint: Endpoint) -> str:
    return os.environ.get(endpoint.key_variable, "").strip() if endpoint.key_variable else ""


def faults_of(endpoint: Endpoint) -> Iterator[Fault]:
    """Everything wrong with an endpoint. Its address is never shown: it may hold a password."""
    key, in_letters = _key(endpoint), "an environment variable that holds the key in plain letters"
    has_key = endpoint.key_variable is None or bool(key and key.isascii() and key.isprintable())
    plain = "http(s)://host/path without user, password or query"
    price = endpoint.price or Price(0.0, 0.0)
    checks = (
        (_is_plain(endpoint.base_url), "base_url", "hidden", plain, "put a key in a variable"),
        (bool(endpoint.model.strip()), "model", endpoint.model, "the name of a model", "name it"),
        (endpoint.max_tokens >= 1, "max_tokens", endpoint.max_tokens, "1 or more", "give the reply room"),
        (endpoint.window > endpoint.max_tokens, "window", endpoint.window, "more than max_tokens", "raise it"),
        (0 < endpoint.timeout < float("inf"), "timeout", endpoint.timeout, "seconds above 0", "raise it"),
        (endpoint.tries >= 1, "tries", endpoint.tries, "1 or more", "raise it"),
        (endpoint.concurrency >= 1, "concurrency", endpoint.concurrency, "1 or more", "raise it"),
        (0 <= price.input < float("inf"), "price.input", price.input, "0 or more", "per million tokens"),
        (0 <= price.output < float("inf"), "price.output", price.output, "0 or more", "per million tokens"),
        (has_key, "key_variable", endpoint.key_variable, in_letters, "set it"),
    )
    for holds, field, value, expected, remedy in checks:
        if not holds:
            yield _fault(field, value, expected, remedy)


def _is_plain(address: str) -> bool:
    try:
        url = urlsplit(address)
        return url.scheme in ("http", "https") and bool(url.hostname) and not (url.username or url.query)
    except ValueError:
        return False


def _fault(field: str, value: object, expected: str, remedy: str) -> Fault:
    return Fault(
        code="faulty_endpoint",
        message="the endpoint of the judge cannot be used",
        field=field,
        value=visible(str(value))[:_SHOWN],
        expected=expected,
        remedy=remedy,
    )
