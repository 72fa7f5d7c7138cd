"""Judges by name, as the command line names them."""

import os
from pathlib import Path
from typing import NamedTuple

from ragassay.flow import Budget, Flow
from ragassay.judges.calibrated import CalibratedJudge
from ragassay.judges.judging import Bench
from ragassay.judges.protocol import Judge, Replies
from ragassay.judges.remembering import Remembering
from ragassay.records import Fault, FaultyInput
from ragassay.statistics.calibration import Calibration

EMBEDDED, LLM, NONE, TOML = "embedded", "llm:", "none", ".toml"
KEY_VARIABLE = "RAGASSAY_JUDGE_KEY"
"""The environment variable that holds the key of an endpoint named in short; without it no key is sent."""


class Means(NamedTuple):
    """What a run gives to a judge that is paid: the budget, replies from before, and which repetition it is."""

    budget: Budget | None = None
    replies: Replies | None = None
    repetition: int = 1


ALONE = Means()
"""Without limits, without memory."""


def judge_named(name: str, calibration: Calibration | None = None, means: Means = ALONE) -> Judge:
    """The judge `embedded`, `llm:MODEL@URL` for an OpenAI-compatible endpoint, or the path of a TOML file that
    describes one; calibrated where that is given.

    Raises `FaultyInput` for another name, a faulty endpoint, or a calibration of another judge.
    """
    return _calibrated(_embedded().judge if name == EMBEDDED else _llm(name, means), calibration)


def bench_named(name: str, calibration: Calibration | None = None, means: Means = ALONE) -> Bench | None:
    """What cases are judged with; None for `none`: labels and code alone.

    Relevance and cosines come from the embedded judge, whoever gives the verdicts. A judge behind an endpoint sees all
    passages at once, so only the embedded one looks at pairs of them.
    """
    if name == NONE:
        return None
    bench = _embedded() if name == EMBEDDED else _embedded(judges=False)._replace(judge=_llm(name, means), joins=False)
    return bench._replace(judge=_calibrated(bench.judge, calibration))


def _calibrated(judge: Judge, calibration: Calibration | None) -> Judge:
    if calibration is None:
        return judge
    try:
        return CalibratedJudge(judge, calibration)
    except ValueError as error:
        raise FaultyInput([_other_judge(str(error), judge.card.name)]) from error


def _embedded(*, judges: bool = True) -> Bench:
    """The embedded judge for everything; a claim that stands in an answer and in its reference is judged once. Where
    another one gives the verdicts, small and beside it: in one thread.
    """
    from ragassay.judges.embedded import EmbeddedJudge  # noqa: PLC0415  its models take a second to load

    judge = EmbeddedJudge() if judges else EmbeddedJudge(with_cross_encoder=False, threads=1)
    return Bench(Remembering(judge), relevance=judge, embedder=judge, joins=True)


def _llm(name: str, means: Means) -> Judge:
    model, _, url = name.removeprefix(LLM).rpartition("@")
    is_short = name.startswith(LLM) and bool(model and url)
    if not is_short and not name.endswith(TOML):
        raise FaultyInput([_unknown(name)])
    try:
        from ragassay.judges.llm import Endpoint, LlmJudge, read_endpoint  # noqa: PLC0415  an optional extra
    except ImportError as error:
        raise FaultyInput([_no_extra(str(error))]) from error
    if is_short:
        key = KEY_VARIABLE if KEY_VARIABLE in os.environ else None
        endpoint = Endpoint(base_url=url, model=model, key_variable=key)
    else:
        endpoint = read_endpoint(Path(name))
    flow = Flow("judge", endpoint.limits, means.budget or Budget())
    return LlmJudge(endpoint, flow, means.replies, repetition=means.repetition)


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
        expected=f"{EMBEDDED}, {LLM}MODEL@URL, or a {TOML} file that describes an endpoint",
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
