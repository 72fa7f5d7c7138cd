"""What a system says into observations: every value checked, half a character mended, nothing dropped unsaid."""

from collections.abc import Mapping
from typing import Any, cast

import msgspec

from ragassay.flow import Spend
from ragassay.formats.fields import Field, Fields, convert, identity
from ragassay.formats.own import ANSWER
from ragassay.formats.reading import Reading, Unfit, shown
from ragassay.records import Answer, Notice, Query
from ragassay.systems.redaction import Redaction

_ROW: Fields = {**ANSWER, "query": Field("query", identity("query"))}
_MALFORMED = "system_reply_malformed"
_SAID = ("answer", "retrieved", "candidates", "packed", "citations")


class Observer:
    """Turns the rows that one system gives into answers, and counts what it did not read."""

    def __init__(self, name: str, redaction: Redaction) -> None:
        self._reading = Reading(name)
        self._reading.line = 0
        self._redaction = redaction

    def observe(self, query: Query, row: Mapping[str, Any], measured: Mapping[str, Any]) -> Answer:
        """The answer that the row gives. What the row does not say about effort is taken from `measured`."""
        self._reading.line = (self._reading.line or 0) + 1
        mended = cast("dict[str, Any]", _mended(dict(row)))
        error = mended.pop("error", None)
        before = len(self._reading.faults)
        try:
            values = convert(self._reading, mended, _ROW)
        except Unfit as unfit:
            self._reading.misfits(unfit)
            values = {}
        faults = self._reading.faults[before:]
        del self._reading.faults[before:]
        if faults:
            told = "; ".join(msgspec.structs.replace(fault, file=None, line=None).__str__() for fault in faults)
            return self.failed(query, _MALFORMED, told, measured)
        if values.pop("query", query.id) != query.id:
            return self.failed(query, _MALFORMED, f"the reply is for the query {shown(mended['query'])}", measured)
        if error is None and not any(name in values for name in _SAID):
            return self.failed(query, _MALFORMED, "there is neither an answer nor a result in it", measured)
        return self._whole(Answer(query=query.id, **{**measured, **values}), error)

    def failed(self, query: Query, cause: str, detail: str | None, measured: Mapping[str, Any]) -> Answer:
        """No answer, and why."""
        known: dict[str, Any] = {**measured, "complete": False}
        return Answer(query=query.id, error=self.error(cause, detail), **known)

    def error(self, cause: str, detail: object = None) -> str:
        """`cause: detail`, without secrets."""
        return cause if detail is None else f"{cause}: {self._redaction.told(str(detail))}"

    def notices(self) -> list[Notice]:
        return self._reading.notices(tuple(_ROW))

    def _whole(self, answer: Answer, error: object) -> Answer:
        """The answer with an error wherever it is not whole."""
        if error not in (None, False, "", [], {}):
            return msgspec.structs.replace(answer, error=self.error("system_error", error), complete=False)
        if answer.complete is False:
            return msgspec.structs.replace(
                answer, error="system_incomplete: the system says that its answer is not whole"
            )
        return answer


def spend_of(answer: Answer) -> Spend:
    """What an answer says it took."""
    tokens_in, tokens_out = answer.input_tokens, answer.output_tokens
    return Spend(None if tokens_in is None or tokens_out is None else tokens_in + tokens_out, answer.cost)


def _mended(value: object) -> object:
    """The value with the halves of characters that a stream or a library tore apart joined; lone ones are U+FFFD."""
    if isinstance(value, str):
        try:
            value.encode()
        except UnicodeEncodeError:
            return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
        return value
    if isinstance(value, dict):
        return {_mended(name): _mended(item) for name, item in cast("dict[object, object]", value).items()}
    if isinstance(value, list | tuple):
        return [_mended(item) for item in cast("list[object]", value)]
    return value
