"""Judges by name, as the command line names them."""

import os

from ragassay.judges.calibrated import CalibratedJudge
from ragassay.judges.embedded import EmbeddedJudge
from ragassay.judges.judging import Bench
from ragassay.judges.protocol import Judge
from ragassay.records import Fault, FaultyInput
from ragassay.statistics.calibration import Calibration

EMBEDDED, LLM, NONE = "embedded", "llm:", "none"
KEY_VARIABLE = "RAGASSAY_JUDGE_KEY"
"""The environment variable that holds the key of an endpoint; without it no key is sent."""


def judge_named(name: str, calibration: Calibration | None = None) -> Judge:
    """The judge `embedded`, or `llm:MODEL@URL` for an OpenAI-compatible endpoint; calibrated where that is given.

    Raises `FaultyInput` for another name, a faulty endpoint, or a calibration of another judge.
    """
    return _calibrated(_named(name), calibration)


def _calibrated(judge: Judge, calibration: Calibration | None) -> Judge:
    if calibration is None:
        return judge
    try:
        return CalibratedJudge(judge, calibration)
    except ValueError as error:
        raise FaultyInput([_other_judge(str(error), judge.card.name)]) from error


def bench_named(name: str, calibration: Calibration | None = None) -> Bench | None:
    """What cases are judged with; None for `none`: labels and code alone.

    Relevance and cosines come from the embedded judge, whoever gives the verdicts. A judge behind an endpoint sees all
    passages at once, so only the embedded one looks at pairs of them.
    """
    if name == NONE:
        return None
    judge = _named(name)
    embedded = judge if isinstance(judge, EmbeddedJudge) else EmbeddedJudge()
    return Bench(
        _calibrated(judge, calibration), relevance=embedded, embedder=embedded.embedder, joins=embedded is judge
    )


def _named(name: str) -> Judge:
    if name == EMBEDDED:
        return EmbeddedJudge()
    model, _, url = name.removeprefix(LLM).rpartition("@")
    if not name.startswith(LLM) or not model or not url:
        raise FaultyInput([_unknown(name)])
    return _llm(model, url)


def _llm(model: str, url: str) -> Judge:
    try:
        from ragassay.judges.llm import Endpoint, LlmJudge  # noqa: PLC0415  the extra llm is optional
    except ImportError as error:
        raise FaultyInput([_no_extra(str(error))]) from error
    key = KEY_VARIABLE if KEY_VARIABLE in os.environ else None
    return LlmJudge(Endpoint(base_url=url, model=model, key_variable=key))


def _no_extra(message: str) -> Fault:
    return Fault(
        code="no_llm_extra", message=message, field="--judge", remedy="install it: pip install 'ragassay[llm]'"
    )


def _unknown(name: str) -> Fault:
    return Fault(
        code="unknown_judge",
        message="there is no judge of this name",
        field="--judge",
        value=name,
        expected=f"{EMBEDDED}, or {LLM}MODEL@URL",
        remedy=f"for a local server: {LLM}qwen3@http://localhost:8000/v1",
    )


def _other_judge(message: str, name: str) -> Fault:
    return Fault(
        code="calibration_of_another_judge",
        message=message,
        field="--calibration",
        expected=f"a calibration of {name}",
        remedy="run `ragassay judge calibrate` with this judge",
    )
