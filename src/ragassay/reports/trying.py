"""A contract tried on a run, for people and for programs."""

from collections.abc import Iterator, Mapping, Sequence

import msgspec
from rich.console import Console

from ragassay.records.trying import Choice, Curve, Effect, Part, Point, StageTrial, Trial
from ragassay.reports.figures import UNDEFINED, counted, percent, plural, words
from ragassay.reports.outline import Column, Section, Span, Table, code, said
from ragassay.reports.outline import Part as Shown
from ragassay.reports.terminal import print_section

SHOWN = 8
"""Query ids on a terminal; the JSON document has all."""
ROWS = 11
"""Rows of a curve on a terminal."""
STRIP = 20
"""Columns of the drawing beside a curve."""
WEIGHED: tuple[Effect, ...] = ("rightly", "wrongly")
KNOWN: dict[Effect, str] = {
    "rightly": "got a bad answer, or must be refused and have none recorded",
    "wrongly": "got a correct answer",
    "unchanged": "got none by the system's own choice or failure",
    "undetermined": "got one of which nobody knows whether it is correct",
}
UNKNOWN = "measure the run with `--judge`, or with labels"
REMEDIES = {
    "score_kind_unknown": "record `score_kind` with every answer",
    "scores_not_recorded": "record the score of every result",
    "no_threshold_for": "the contract has none, `--sweep search` shows what one trades",
    "context_not_judged": "`--judge embedded` grades it now",
    "text_not_recorded": "record the text of every passage",
    "question_not_recorded": "the dataset must hold the question",
}
MEANINGS: dict[Effect, str] = {
    "rightly": "bad answers prevented",
    "wrongly": "false refusals",
    "unchanged": "had no answer anyhow",
    "undetermined": "nobody knows whether correct",
}


def render_trial(trial: Trial, console: Console) -> None:
    """Print what each stage would have stopped, what it would have removed, and the trade of each swept threshold."""
    for section in sections(trial):
        print_section(section, console)


def trial_json(trial: Trial) -> bytes:
    """One strict JSON document with every query and every threshold."""
    return msgspec.json.encode(trial, order="sorted")


def sections(trial: Trial) -> list[Section]:
    return [
        Section(f"Contract {trial.contract} {trial.version} on run {trial.run}", tuple(_head(trial))),
        Section("What it would have stopped", tuple(_stages(trial))),
        *((Section("Passages that it would have removed", (_removed(trial),)),) if trial.removed else ()),
        *(Section(f"Threshold of {_name(each)}", tuple(_curve(each))) for each in trial.curves),
    ]


def _head(trial: Trial) -> Iterator[Shown]:
    left_out = f"; not tried: {counted({why: len(ids) for why, ids in trial.untried.items()})}" if trial.untried else ""
    yield said(f"{plural(trial.tried, 'query', 'queries')} tried{left_out}.")
    yield said("; ".join(f"{trial.effects[effect]:,} {meaning}" for effect, meaning in KNOWN.items()) + ".")
    for notice in trial.notices:
        where = f" ({', '.join(notice.samples)}, …)" if notice.samples else ""
        yield said(f"{words(notice.code)}, {notice.count:,}: {notice.message}{where}", "muted")
    for name, why in trial.not_swept.items():
        yield said(f"No curve of {name}: {why}.", "bad")
    if not (trial.effects["rightly"] and trial.effects["wrongly"]):
        yield said(f"Too little is known of the answers to weigh a threshold: {UNKNOWN}.", "bad")


def _stages(trial: Trial) -> Iterator[Shown]:
    columns = (
        Column("stage"),
        Column("stopped", "right"),
        Column(f"bad prevented ({trial.effects['rightly']:,})", "right"),
        Column(f"false refusals ({trial.effects['wrongly']:,})", "right"),
        Column("silent", "right"),
        Column("unknown", "right"),
    )
    yield Table("", columns, tuple(_stage_row(each) for each in (*trial.stages, trial.together)))
    yield said(
        "Shares of all such queries that were tried, with Wilson intervals. silent: the system gave no answer itself.",
        "muted",
    )
    for stage in trial.stages:
        yield from _stage_notes(stage)
    yield from _queries(trial.together)


def _stage_row(stage: StageTrial) -> tuple[Span, ...]:
    found = stage.effects
    return (
        Span(stage.stage or "together", "plain" if stage.stage else "strong"),
        Span(f"{stage.stopped:,} of {stage.reached:,}"),
        *(Span(f"{found[effect].count:,}: {_share(found[effect])}") for effect in WEIGHED),
        Span(f"{found['unchanged'].count:,}"),
        Span(f"{found['undetermined'].count:,}"),
    )


def _share(part: Part | None) -> str:
    if part is None or part.share is None or part.interval is None:
        return UNDEFINED
    low, high = (f"{end * 100:.0f}" for end in part.interval)
    return f"{percent(part.share)} ({low}\u2013{high})"


def _stage_notes(stage: StageTrial) -> Iterator[Shown]:
    if stage.reasons:
        yield said(f"{stage.stage} stopped: {counted(stage.reasons)}.")
    for reason, count in stage.undecided.items():
        remedy = next((text for code, text in REMEDIES.items() if reason.startswith(code)), "")
        yield said(f"{stage.stage} could not compare {count:,}: {words(reason)}; {remedy}.", "bad")


def _queries(stage: StageTrial) -> Iterator[Shown]:
    rows = tuple(
        (Span(meaning), code(_some(ids))) for effect, meaning in MEANINGS.items() if (ids := stage.queries[effect])
    )
    if rows:
        yield Table("Stopped queries, the worst first", (Column(""), Column("queries")), rows)


def _some(ids: Sequence[str]) -> str:
    more = f" and {len(ids) - SHOWN:,} more" if len(ids) > SHOWN else ""
    return ", ".join(ids[:SHOWN]) + more


def _removed(trial: Trial) -> Table:
    rows = tuple(
        (Span(words(each.reason)), Span(f"{each.passages:,}"), Span(f"{each.queries:,}")) for each in trial.removed
    )
    return Table("", (Column("why"), Column("passages", "right"), Column("in queries", "right")), rows)


def _name(curve: Curve) -> str:
    return f"{curve.name} ({curve.kind})" if curve.kind else curve.name


def _curve(curve: Curve) -> Iterator[Shown]:
    side = "at most" if curve.at_most else "at least"
    without = f", {curve.without:,} of them without a value: every threshold stops those" if curve.without else ""
    yield said(f"{plural(curve.n, 'query', 'queries')} reach it{without}. Swept alone, beside no other threshold.")
    columns = (
        Column(side, "right"),
        Column("stops", "right"),
        Column("● bad prevented", "right"),
        Column("× false refusals", "right"),
        Column("0 % … 100 %"),
    )
    rows = tuple(
        (
            Span(f"{point.threshold:.4g}"),
            Span(f"{point.stopped:,}"),
            Span(_share(point.prevented)),
            Span(_share(point.refused)),
            Span(_strip({"×": point.refused, "●": point.prevented})),
        )
        for point in _thinned(curve.points)
    )
    yield Table("", columns, rows)
    yield from _choice(curve, side)


def _thinned(points: Sequence[Point]) -> list[Point]:
    """Evenly chosen, the first and the last among them."""
    if len(points) <= ROWS:
        return list(points)
    return [points[round(at * (len(points) - 1) / (ROWS - 1))] for at in range(ROWS)]


def _strip(marks: Mapping[str, Part]) -> str:
    """A line from 0 to all with a mark at each share; the last mark wins a shared place."""
    line = ["·"] * (STRIP + 1)
    for mark, part in marks.items():
        if part.share is not None:
            line[round(part.share * STRIP)] = mark
    return "".join(line)


def _choice(curve: Curve, side: str) -> Iterator[Shown]:
    choice = curve.choice
    limit = f"at most {percent(choice.limit)} false refusals (the estimate, not its upper bound)"
    if choice.threshold is None:
        yield said(f"No threshold is recommended for {limit}: {words(choice.reason or '')}.", "bad")
        return
    which = f"{side} {choice.threshold!r}, which prevents most bad answers for {limit}"
    if choice.reason is None:
        yield said(f"Recommended: {which}.", "strong")
    else:
        yield said(f"Not recommended, because {words(choice.reason)}: {which}.", "bad")
    yield said(f"It prevents {_share(choice.prevented)} of bad answers. {_refused(choice.refused)}")
    yield said(_where(choice), "muted")


def _refused(part: Part | None) -> str:
    upper = UNDEFINED if part is None or part.interval is None else percent(part.interval[1])
    return f"It refuses {_share(part)} of correct ones, up to {upper} by the upper bound."


def _where(choice: Choice) -> str:
    if choice.is_held_out:
        return (
            f"Chosen on {choice.chosen_on:,} queries with a known answer, these figures are of the other"
            f" {choice.reported_on:,}."
        )
    return (
        f"Chosen and reported on the same {choice.reported_on:,} queries with a known answer: too few to keep half"
        " apart, so it looks better than it is."
    )
