"""Reading a reply. What cannot be read for certain is a failure with a name, never a guess."""

import json
import re
from typing import Any, NoReturn, cast

from ragassay.records import Failure
from ragassay.text.normalise import visible
from ragassay.text.refusals import observed

_REASONING_END = re.compile(r"</(?:think|thinking|thought|reasoning)\s*>", re.IGNORECASE)
_REASONING = re.compile(r"<(?:think|thinking|thought|reasoning)\s*>", re.IGNORECASE)
_NUMBER = re.compile(r"[-+]?\d{1,9}(?:\.\d{1,9}|,\d{1,2})?")
_SHOWN = 120
_BRACES = 50
"""Places at which an object is looked for: each costs a pass over the text before it."""


def single_object(reply: str) -> dict[str, Any] | Failure:
    """The one JSON object of a reply, reasoning and words around it aside.

    Failures: `ambiguous_judge_output` for two objects or a key given twice, `judge_output_truncated` for a reply that
    breaks off, `judge_refused` for a refusal in words, `verdict_unreadable` for everything else.
    """
    whole = _decoded(reply.strip(), 0)
    if isinstance(whole, tuple) and whole[1] == len(reply.strip()):
        return whole[0]
    spoken = after_reasoning(reply)
    if isinstance(spoken, Failure):
        return spoken
    found: list[dict[str, Any]] = []
    at = spoken.find("{")
    for _ in range(_BRACES):
        if at < 0:
            return found[0] if found else _wordy(spoken)
        read = _decoded(spoken, at)
        if isinstance(read, Failure):
            return read
        if read and found:
            return Failure(error="ambiguous_judge_output", detail="two JSON objects in one reply")
        found += [read[0]] if read else []
        at = spoken.find("{", read[1] if read else at + 1)
    return unreadable(f"more than {_BRACES} opening braces and no end")


def after_reasoning(reply: str) -> str | Failure:
    """What follows the last closing tag of reasoning. Reasoning that never ends used up the reply."""
    *_, spoken = _REASONING_END.split(reply)
    if _REASONING.match(spoken.lstrip()):
        return _truncated("the reasoning never ends")
    return spoken.strip()


def number(reply: str, lowest: float, highest: float) -> float | Failure:
    """The number that a reply consists of, with a decimal point or comma. A number among words is not guessed at, and
    one outside the scale is not clamped: `verdict_unreadable`, `verdict_out_of_scale`."""
    spoken = after_reasoning(reply)
    if isinstance(spoken, Failure):
        return spoken
    if _NUMBER.fullmatch(spoken) is None:
        return _wordy(spoken)
    value = float(spoken.replace(",", "."))
    if lowest <= value <= highest:
        return value
    return Failure(error="verdict_out_of_scale", detail=f"{spoken} is not between {lowest:g} and {highest:g}")


def unreadable(why: str) -> Failure:
    return Failure(error="verdict_unreadable", detail=why)


def shown(text: str) -> str:
    """The beginning of a text, safe to print."""
    return visible(text[:_SHOWN])


def _truncated(why: str) -> Failure:
    return Failure(error="judge_output_truncated", detail=f"{why}; raise max_tokens of the endpoint")


def _wordy(spoken: str) -> Failure:
    if not spoken:
        return unreadable("the reply is empty")
    if observed(spoken).kind == "refused":
        return Failure(error="judge_refused", detail=shown(spoken))
    return unreadable(f"found {shown(spoken)!r}")


class _Unfit(ValueError):
    """JSON that says two things at once, or none."""

    def __init__(self, failure: Failure) -> None:
        self.failure = failure
        super().__init__(failure.error)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        raise _Unfit(Failure(error="ambiguous_judge_output", detail="a key stands twice in one JSON object"))
    return made


def _not_finite(name: str) -> NoReturn:
    raise _Unfit(unreadable(f"{name} is no value in JSON"))


_DECODER = json.JSONDecoder(object_pairs_hook=_object, parse_constant=_not_finite)


def _decoded(text: str, at: int) -> tuple[dict[str, Any], int] | Failure | None:
    """The object that begins at `at` and where it ends; None where no object begins there."""
    if not text.startswith("{", at):
        return None
    try:
        value, end = _DECODER.raw_decode(text, at)
    except _Unfit as unfit:
        return unfit.failure
    except json.JSONDecodeError as error:
        breaks_off = error.pos >= len(text) or "Unterminated" in error.msg
        return _truncated("the JSON is not complete") if breaks_off else None
    except RecursionError:
        return unreadable("the JSON is nested too deeply")
    return cast("dict[str, Any]", value), end
