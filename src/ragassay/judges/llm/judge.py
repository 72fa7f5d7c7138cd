"""The judge behind an endpoint: two questions for an answer, one for its claims and one for all verdicts."""

from collections.abc import Sequence
from typing import Literal

from msgspec.structs import replace

from ragassay.flow import Budget, Flow
from ragassay.judges.llm import extraction, verification
from ragassay.judges.llm.asking import Asking
from ragassay.judges.llm.client import Chat
from ragassay.judges.llm.endpoint import Endpoint, key_of
from ragassay.judges.llm.injection import suspected
from ragassay.judges.llm.prompts import LANGUAGES, Prompt, PromptName, Token, digits, load
from ragassay.judges.llm.replies import RepliesInMemory
from ragassay.judges.llm.verification import NOTHING, SPLIT, SUSPECTED, Material
from ragassay.judges.protocol import Pair, Reading, Replies
from ragassay.judges.together import together
from ragassay.records import Failure, JudgeCard, Opinion, Usage
from ragassay.text.language import language_of

PARSER = "1"
"""Version of how replies are read; it changes with the rules."""

_NAMES: tuple[PromptName, ...] = ("extraction", "verification")
_TOKENS_PER_VERDICT = 40
"""Room in the reply for one verdict with its quote."""

Outcomes = dict[Pair, Opinion | Failure]


class LlmJudge:
    """Claims and verdicts from a language model. Its verdicts have no grades: a probability is 0 or 1."""

    def __init__(
        self,
        endpoint: Endpoint,
        flow: Flow | None = None,
        replies: Replies | None = None,
        *,
        repetition: int = 1,
        token: Token = digits,
    ) -> None:
        """`flow` is the way to the endpoint, its own where none is given; `replies` holds what was answered before;
        `repetition` tells askings of the same apart; `token` makes the random marks around data.

        Raises `FaultyInput` with everything that is wrong with the endpoint.
        """
        key = key_of(endpoint)
        self._endpoint = endpoint
        self._chat = Chat(endpoint, flow or Flow("judge", endpoint.limits, Budget()), key)
        self._prompts = {(name, language): load(name, language) for name in _NAMES for language in LANGUAGES}
        hashes = sorted(prompt.hash for prompt in self._prompts.values())
        fingerprint = (endpoint.base_url, endpoint.model, endpoint.max_tokens, PARSER, repetition, *hashes)
        self._asking = Asking(self._chat, replies or RepliesInMemory(), token, fingerprint)

    @property
    def card(self) -> JudgeCard:
        """The model as the provider names it, and what the endpoint would not take, are known after a first reply."""
        endpoint = self._endpoint
        learned = {"returned_model": self._asking.model, "not_taken": ", ".join(sorted(self._asking.left_out))}
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

    async def read(self, text: str, question: str) -> Reading | Failure:
        if not any(character.isalnum() for character in text):
            return Reading(statements=())
        prompt = self._prompt("extraction", question or text)
        asked = extraction.asked(prompt, text, question)
        reading = await self._asking.ask(prompt, asked, lambda reply: extraction.read(reply, text), lambda _: True)
        wording = suspected(text)
        if wording is None or isinstance(reading, Failure):
            return reading
        return replace(reading, suspicion=f"{SUSPECTED}: {wording!r}")

    async def verify(
        self, claims: Sequence[str], texts: Sequence[str], pairs: Sequence[Pair]
    ) -> Sequence[Opinion | Failure]:
        material = Material(claims, texts)
        empty = Opinion(verdict="neutral", probability=0.0, reason=NOTHING, judge=self._endpoint.model)
        outcomes: Outcomes = {pair: empty for pair in pairs if not texts[pair[1]].strip()}
        open_pairs = [pair for pair in dict.fromkeys(pairs) if pair not in outcomes]
        groups = verification.apart(material, open_pairs)
        found = await together(self._judged(material, group) for group in groups.values())
        for wording, judged in zip(groups, found, strict=True):
            outcomes |= verification.noted(judged, f"{SUSPECTED}: {wording}", disputed=True) if wording else judged
        return [outcomes[pair] for pair in pairs]

    def spent(self) -> Usage:
        return self._chat.spent()

    async def close(self) -> None:
        await self._chat.close()

    def _prompt(self, name: PromptName, text: str) -> Prompt:
        language: Literal["en", "ru"] = "ru" if language_of(text) == "ru" else "en"
        return self._prompts[name, language]

    async def _judged(self, material: Material, pairs: Sequence[Pair]) -> Outcomes:
        """Verdicts in one call where question and reply have room, else part by part, every text visited."""
        parts = verification.halves(pairs)
        if parts is None or len(pairs) * _TOKENS_PER_VERDICT <= self._endpoint.max_tokens:
            whole = await self._asked(material, pairs)
            if parts is None or not (isinstance(whole, Failure) and whole.error == "judge_context_overflow"):
                return await self._complete(material, pairs, whole)
        first, second = await together(self._judged(material, part) for part in parts)
        return verification.noted(first | second, SPLIT, disputed=False)

    async def _complete(self, material: Material, pairs: Sequence[Pair], found: Outcomes | Failure) -> Outcomes:
        """What the judge forgot is asked once more; what it forgets again has no verdict."""
        if isinstance(found, Failure):
            return dict.fromkeys(pairs, found)
        missing = [pair for pair in pairs if pair not in found]
        again = await self._asked(material, missing, least=len(missing)) if missing else {}
        if isinstance(again, Failure):
            return found | dict.fromkeys(missing, again)
        lacking = Failure(
            error="verdicts_incomplete", detail=f"{len(missing)} of {len(pairs)} verdicts did not come, asked once more"
        )
        return found | {pair: again.get(pair, lacking) for pair in missing}

    async def _asked(self, material: Material, pairs: Sequence[Pair], *, least: int = 1) -> Outcomes | Failure:
        """Verdicts of one call. Its reply is kept if it has `least` of them and all are readable."""
        prompt = self._prompt("verification", " ".join(material.claims[claim] for claim, _ in pairs))
        return await self._asking.ask(
            prompt,
            verification.asked(prompt, material, pairs),
            lambda reply: verification.read(reply, material, pairs, self._endpoint.model),
            lambda found: len(found) >= least and not any(isinstance(each, Failure) for each in found.values()),
        )
