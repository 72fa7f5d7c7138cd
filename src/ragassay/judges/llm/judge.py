"""The judge behind an endpoint: two questions for an answer, one for its claims and one for all verdicts."""

import secrets
import time
from collections.abc import Callable, Sequence
from typing import Literal

from msgspec.structs import replace

from ragassay.judges.llm import extraction, verification
from ragassay.judges.llm.client import Chat, Endpoint
from ragassay.judges.llm.injection import suspected
from ragassay.judges.llm.prompts import LANGUAGES, Prompt, PromptName, Token, load
from ragassay.judges.llm.verification import NOTHING, SPLIT, SUSPECTED, Material
from ragassay.judges.protocol import Pair, Reading
from ragassay.records import Failure, JudgeCard, Opinion, Usage
from ragassay.text.language import language_of

PARSER = "1"
"""Version of how replies are read; it changes with the rules."""

_NAMES: tuple[PromptName, ...] = ("extraction", "verification")
_TOKENS_PER_VERDICT = 40
"""Room in the reply for one verdict with its quote."""

Outcomes = dict[Pair, Opinion | Failure]


class LlmJudge:
    """Claims and verdicts from a language model. Its verdicts have no grades: a probability is 0 or 1.

    `token` makes the random marks around data, `sleep` waits between tries.
    """

    def __init__(
        self, endpoint: Endpoint, token: Token = secrets.token_hex, sleep: Callable[[float], None] = time.sleep
    ) -> None:
        """Raises `FaultyInput` with everything that is wrong with the endpoint."""
        self._chat = Chat(endpoint, sleep)
        self._token = token
        self._prompts = {(name, language): load(name, language) for name in _NAMES for language in LANGUAGES}

    @property
    def card(self) -> JudgeCard:
        """The models as the provider names them, and what the endpoint would not take, are known after a first call."""
        endpoint = self._chat.endpoint
        learned = {
            "returned_model": ", ".join(sorted(self._chat.returned_models)),
            "not_taken": ", ".join(sorted(self._chat.unsupported)),
        }
        return JudgeCard(
            name=endpoint.model,
            kind="llm",
            version=PARSER,
            screens=False,
            settings={
                "endpoint": endpoint.base_url,
                "model": endpoint.model,
                "temperature": "0",
                "max_tokens": str(endpoint.max_tokens),
                "window": str(endpoint.window),
                **{f"prompt {prompt.name}:v{prompt.version}": prompt.hash for prompt in self._prompts.values()},
                **{key: value for key, value in learned.items() if value},
            },
        )

    def read(self, text: str, question: str) -> Reading | Failure:
        if not any(character.isalnum() for character in text):
            return Reading(statements=())
        prompt = self._prompt("extraction", question or text)
        reply = self._chat.ask(prompt, extraction.asked(prompt, text, question, self._token))
        reading = reply if isinstance(reply, Failure) else extraction.read(reply, text)
        wording = suspected(text)
        if wording is None or isinstance(reading, Failure):
            return reading
        return replace(reading, suspicion=f"{SUSPECTED}: {wording!r}")

    def verify(self, claims: Sequence[str], texts: Sequence[str], pairs: Sequence[Pair]) -> Sequence[Opinion | Failure]:
        material, me = Material(claims, texts), self._chat.endpoint.model
        empty = Opinion(verdict="neutral", probability=0.0, reason=NOTHING, judge=me)
        outcomes: Outcomes = {pair: empty for pair in pairs if not texts[pair[1]].strip()}
        open_pairs = [pair for pair in dict.fromkeys(pairs) if pair not in outcomes]
        for wording, group in verification.apart(material, open_pairs).items():
            judged = self._judged(material, group)
            if wording:
                judged = verification.noted(judged, f"{SUSPECTED}: {wording}", disputed=True)
            outcomes |= judged
        return [outcomes[pair] for pair in pairs]

    def spent(self) -> Usage:
        return self._chat.spent()

    def _prompt(self, name: PromptName, text: str) -> Prompt:
        language: Literal["en", "ru"] = "ru" if language_of(text) == "ru" else "en"
        return self._prompts[name, language]

    def _judged(self, material: Material, pairs: Sequence[Pair]) -> Outcomes:
        """Verdicts in one call where question and reply have room, else part by part, every text visited."""
        parts = verification.halves(pairs)
        whole = None
        if parts is None or len(pairs) * _TOKENS_PER_VERDICT <= self._chat.endpoint.max_tokens:
            whole = self._asked(material, pairs)
            if parts is None or not (isinstance(whole, Failure) and whole.error == "judge_context_overflow"):
                return self._complete(material, pairs, whole)
        both = self._judged(material, parts[0]) | self._judged(material, parts[1])
        return verification.noted(both, SPLIT, disputed=False)

    def _complete(self, material: Material, pairs: Sequence[Pair], found: Outcomes | Failure) -> Outcomes:
        """What the judge forgot is asked once more; what it forgets again has no verdict."""
        if isinstance(found, Failure):
            return dict.fromkeys(pairs, found)
        missing = [pair for pair in pairs if pair not in found]
        again = self._asked(material, missing) if missing else {}
        if isinstance(again, Failure):
            return found | dict.fromkeys(missing, again)
        lacking = Failure(
            error="verdicts_incomplete", detail=f"{len(missing)} of {len(pairs)} verdicts did not come, asked once more"
        )
        return found | {pair: again.get(pair, lacking) for pair in missing}

    def _asked(self, material: Material, pairs: Sequence[Pair]) -> Outcomes | Failure:
        prompt = self._prompt("verification", " ".join(material.claims[claim] for claim, _ in pairs))
        reply = self._chat.ask(prompt, verification.asked(prompt, material, pairs, self._token))
        if isinstance(reply, Failure):
            return reply
        return verification.read(reply, material, pairs, self._chat.endpoint.model)
