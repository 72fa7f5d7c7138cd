"""`ragassay judge`: how far a judge may be believed, its calibration to a domain, and attacks on it."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from cyclopts import App, Parameter

from ragassay.cli.output import console, error_console, write_json
from ragassay.formats.calibration import read_calibration, write_calibration
from ragassay.formats.labels import Labelled, read_labels
from ragassay.judges.attack_pairs import bundled_items, translations
from ragassay.judges.calibrated import calibrate as fit
from ragassay.judges.calibrated import fitted_on
from ragassay.judges.checking import check as measure
from ragassay.judges.labelled import Item, items_of, put_to
from ragassay.judges.naming import judge_named
from ragassay.judges.protocol import Judge
from ragassay.judges.twins import Attack
from ragassay.judges.twins import attack as attack_with
from ragassay.records import ExitCode, Failure, Fault, FaultyInput, Notice, Opinion
from ragassay.reports.judge import (
    attack_json,
    calibrated_json,
    check_json,
    render_attack,
    render_calibrated,
    render_check,
)
from ragassay.statistics.calibration import Calibration
from ragassay.text.normalise import visible

Json = Annotated[bool, Parameter(negative=())]
app = App(name="judge", help="How far a judge may be believed, its calibration to a domain, and attacks on it.")


@app.command
def check(labels: Path, *, judge: str = "embedded", calibration: Path | None = None, json: Json = False) -> ExitCode:
    """Measure how far a judge agrees with people, beside a token-overlap floor and people's own agreement.

    Parameters
    ----------
    labels
        Labelled claims with claim, context, and label or binary; optional lang, slices, rater.
    judge
        `embedded`, `llm:MODEL@URL` for an OpenAI-compatible endpoint, or a TOML file that describes one.
    calibration
        The file of `ragassay judge calibrate`.
    json
        Print one JSON document instead of the report.
    """
    labelled, items = _items(labels)
    fitted = None if calibration is None else read_calibration(calibration)
    judging = judge_named(judge, fitted)
    notices = (*labelled.notices, *([] if fitted is None else _overlap(fitted, items)))
    found = measure(judging.card, items, asyncio.run(_put(judging, items)))
    if json:
        write_json(check_json(found, notices))
    else:
        render_check(found, notices, console())
    return ExitCode.UNDECIDED if found.headline.balanced_accuracy.value is None else ExitCode.PASSED


@app.command
def calibrate(labels: Path, *, out: Path, judge: str = "embedded", json: Json = False) -> ExitCode:
    """Fit threshold, grey band and probabilities of a judge to 50 to 100 labelled claims of your own domain.

    Parameters
    ----------
    labels
        Labelled claims, as for `judge check`.
    out
        The TOML file to write, for `--calibration`.
    judge
        `embedded`, `llm:MODEL@URL` for an OpenAI-compatible endpoint, or a TOML file that describes one.
    json
        Print one JSON document instead of the report.
    """
    _, items = _items(labels)
    judging = judge_named(judge)
    try:
        found = fit(judging.card, items, asyncio.run(_put(judging, items)))
    except ValueError as error:
        raise FaultyInput([_not_fitted(labels, str(error))]) from error
    write_calibration(out, found.calibration)
    if json:
        write_json(calibrated_json(found))
    else:
        render_calibrated(found, console())
        error_console().print(visible(f"written: {out}"), markup=False)
    return ExitCode.PASSED


@app.command
def attack(
    labels: Path | None = None, *, judge: str = "embedded", calibration: Path | None = None, json: Json = False
) -> ExitCode:
    """Attack a judge with twins of labelled claims that say no more than they do; leave with 1 where any gains.

    Parameters
    ----------
    labels
        Labelled claims, as for `judge check`; a few bundled ones in English and Russian where none are given.
    judge
        `embedded`, `llm:MODEL@URL` for an OpenAI-compatible endpoint, or a TOML file that describes one.
    calibration
        The file of `ragassay judge calibrate`.
    json
        Print one JSON document instead of the report.
    """
    items = bundled_items() if labels is None else _items(labels)[1]
    judging = judge_named(judge, None if calibration is None else read_calibration(calibration))
    found = asyncio.run(_attacked(judging, items))
    if json:
        write_json(attack_json(found))
    else:
        render_attack(found, console())
    if found.gained:
        return ExitCode.BREACHED
    return ExitCode.UNDECIDED if found.failed or not found.attempts else ExitCode.PASSED


def _items(labels: Path) -> tuple[Labelled, list[Item]]:
    labelled = read_labels(labels)
    if not labelled.claims:
        raise FaultyInput([_no_claims(labels)])
    return labelled, items_of(labelled.claims)


async def _put(judge: Judge, items: Sequence[Item]) -> list[Opinion | Failure]:
    try:
        return await put_to(judge, items)
    finally:
        await judge.close()


async def _attacked(judge: Judge, items: Sequence[Item]) -> Attack:
    try:
        return await attack_with(judge, items, translations())
    finally:
        await judge.close()


def _overlap(fitted: Calibration, items: Sequence[Item]) -> list[Notice]:
    count = fitted_on(fitted, items)
    message = "claims whose context the calibration was fitted on; figures on them flatter the judge"
    return [Notice(code="overlap_with_calibration", count=count, message=message)] if count else []


def _no_claims(labels: Path) -> Fault:
    return Fault(
        code="no_claims",
        message="the file labels no claims, and a judge is measured on claims",
        file=labels.name,
        expected="rows with claim, context, and label or binary",
    )


def _not_fitted(labels: Path, reason: str) -> Fault:
    return Fault(
        code="not_calibrated",
        message=reason,
        file=labels.name,
        expected="40 or more labelled claims, some supported and some not",
        remedy="label more claims of your own domain; `ragassay review export` lists those that matter most",
    )
