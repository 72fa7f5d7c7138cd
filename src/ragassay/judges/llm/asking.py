"""Every question once: out of the replies that are kept, else from the endpoint; and always of the same model."""

from collections.abc import Callable
from typing import Any, TypeVar

import msgspec

from ragassay.flow import Once
from ragassay.judges.llm.client import Chat
from ragassay.judges.llm.prompts import Prompt, Question, Token
from ragassay.judges.llm.replies import Reply, key_of
from ragassay.judges.protocol import Replies
from ragassay.records import Failure

T = TypeVar("T")

_MOST_CHANGED = 3
"""Replies of another model in a row after which no more are paid for."""


class Asking:
    """Questions to one judge. A reply that was not understood is not kept, so that the next run asks again."""

    def __init__(self, chat: Chat, replies: Replies, token: Token, fingerprint: tuple[object, ...]) -> None:
        """`fingerprint` is everything about the judge, apart from prompt and question, that can change a reply."""
        self.model: str | None = None
        self.left_out: set[str] = set()
        self._chat = chat
        self._replies = replies
        self._token = token
        self._fingerprint = fingerprint
        self._model_key = key_of("model", *fingerprint)
        self._changed = 0
        self._once: Once[Any] = Once()

    async def ask(
        self, prompt: Prompt, question: Question, read: Callable[[str], T | Failure], keeps: Callable[[T], bool]
    ) -> T | Failure:
        """What `read` makes of the content of the reply; kept where that is no failure, and `keeps` it.

        Failures are those of `Chat.ask` and of `read`, and `judge_model_changed`.
        """
        key = key_of("reply", *self._fingerprint, prompt.hash, question)

        async def asked() -> T | Failure:
            kept = await self._replies.get(key)
            reply = await self._fresh(prompt, question) if kept is None else msgspec.json.decode(kept, type=Reply)
            if isinstance(reply, Failure):
                return reply
            await self._recall_model()
            self.left_out.update(reply.left_out)
            value = read(reply.content)
            if kept is None and not isinstance(value, Failure) and keeps(value):
                await self._replies.put(key, msgspec.json.encode(reply))
            return value

        return await self._once(key, asked)

    async def _fresh(self, prompt: Prompt, question: Question) -> Reply | Failure:
        if self._changed >= _MOST_CHANGED:
            return self._other_model("not asked any more")
        reply = await self._chat.ask(prompt, question.text(self._token))
        if isinstance(reply, Failure) or await self._is_same_model(reply.model):
            return reply
        return self._other_model(f"answered by {reply.model!r}")

    async def _recall_model(self) -> None:
        if self.model is None and (known := await self._replies.get(self._model_key)) is not None:
            self.model = known.decode()

    async def _is_same_model(self, model: str) -> bool:
        """The first reply decides for all, in whatever process: it is kept beside the replies."""
        await self._recall_model()
        if self.model is None:
            await self._replies.put(self._model_key, model.encode())
            await self._recall_model()
        is_same = model == self.model
        self._changed = 0 if is_same else self._changed + 1
        return is_same

    def _other_model(self, what: str) -> Failure:
        detail = f"{what}, and replies before are of {self.model!r}; name that model, or judge anew as a repetition"
        return Failure(error="judge_model_changed", detail=detail)
