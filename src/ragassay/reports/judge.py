"""What was found out about a judge: its agreement with people, its calibration, what attacks did to it."""

from collections.abc import Mapping, Sequence

import msgspec
from rich.console import Console

from ragassay.judges.calibrated import Calibrated
from ragassay.judges.checking import Agreement, Check, Figure, People, Reliability
from ragassay.judges.labelled import STANCES
from ragassay.judges.twins import KINDS, Attack, Attempt
from ragassay.records import JudgeCard, Notice
from ragassay.reports.figures import UNDEFINED, counted, excerpt, percent, plural, words
from ragassay.reports.outline import Column, Paragraph, Part, Section, Span, Table, code, said
from ragassay.reports.terminal import print_section

SHOWN = 10
"""Confusions and gains that a terminal shows; the JSON document has all."""

LEGEND = "bal. acc.: balanced accuracy; sup., not: recall of claims that people call supported, not supported."
NO_HELP = "Held-out claims are judged no better at a fitted threshold: the judge's own verdicts may serve as well."
FIGURES = (
    Column("claims", "right"),
    Column("bal. acc.", "right"),
    Column("kappa", "right"),
    Column("AUC", "right"),
    Column("sup.", "right"),
    Column("not", "right"),
)
WIDTH = 20


def render_check(check: Check, notices: Sequence[Notice], console: Console) -> None:
    """Print the figures of a judge beside the floor and people, then where it errs."""
    for section in (_headline(check, notices), _parts(check), _calibration(check), _errors(check)):
        print_section(section, console)


def check_json(check: Check, notices: Sequence[Notice]) -> bytes:
    """One strict JSON document; intervals are pairs, an undefined figure is null."""
    document = {
        "judge": check.judge,
        "split": {"by": "sha256 of the context", "development": check.development, "test": check.headline.n},
        "threshold": check.threshold,
        **_numbers(check.headline),
        "own_verdicts": _numbers(check.own),
        "floor": {"threshold": check.floor_threshold, **_numbers(check.floor)},
        "by_language": {name: _numbers(each) for name, each in check.by_language.items()},
        "by_slice": {name: _numbers(each) for name, each in check.by_slice.items()},
        "calibration": _reliability(check.reliability),
        "grey_band": {
            "low": check.grey_band.low,
            "high": check.grey_band.high,
            "share": check.grey_band.share,
            "outside": _numbers(check.grey_band.outside),
        },
        "verdicts": check.verdicts,
        "people": None if check.people is None else _people(check.people),
        "confusions": check.confusions,
        "failed": check.failed,
        "divided": check.divided,
        "repeated": check.repeated,
        "warnings": list(notices),
    }
    return _encoded(document)


def render_calibrated(found: Calibrated, console: Console) -> None:
    """Print what the calibration is worth on held-out claims."""
    fitted = found.calibration
    rows = (
        ("before", found.before, found.reliability_before),
        ("after", found.after, found.reliability_after),
        ("not grey", found.outside, None),
    )
    columns = (Column(""), *FIGURES, Column("ECE", "right"))
    table = Table(
        f"Held-out claims, {found.folds} folds that share no passage",
        columns,
        tuple((Span(name), *_cells(each), Span(_share(rel.error if rel else None))) for name, each, rel in rows),
    )
    parts: list[Part] = [
        said(f"threshold {fitted.threshold:.3f}, people decide from {fitted.low:.3f} to {min(fitted.high, 1):.3f}"),
        said(f"{percent(found.share)} of the held-out claims fall into the grey band."),
        *_left_out({"no_majority": found.divided, "judge_failed": found.failed}),
        *([] if found.has_helped else [said(NO_HELP, "bad")]),
        table,
        said(f"{LEGEND} ECE: expected calibration error.", "muted"),
    ]
    print_section(Section(f"Calibration of {fitted.judge} on {fitted.n:,} labelled claims", tuple(parts)), console)


def calibrated_json(found: Calibrated) -> bytes:
    document = {
        "calibration": found.calibration,
        "folds": found.folds,
        "before": _numbers(found.before) | {"calibration": _reliability(found.reliability_before)},
        "after": _numbers(found.after) | {"calibration": _reliability(found.reliability_after)},
        "grey_band": {"share": found.share, "outside": _numbers(found.outside)},
        "has_helped": found.has_helped,
        "failed": found.failed,
        "divided": found.divided,
    }
    return _encoded(document)


def render_attack(attack: Attack, console: Console) -> None:
    """Print the gains by kind of attack, then the worst ones with their texts."""
    rows = tuple(_kind_row(kind, [each for each in attack.attempts if each.kind == kind]) for kind in KINDS)
    columns = tuple(Column(name, "right" if at else "left") for at, name in enumerate(KIND_COLUMNS))
    verdict = said("No twin gained.", "good")
    if attack.gained:
        verdict = said(f"{plural(len(attack.gained), 'twin', 'twins')} of {len(attack.attempts):,} gained.", "bad")
    parts: list[Part] = [verdict, *_left_out(attack.failed), Table("", columns, rows)]
    title = f"Attacks on {_named(attack.judge)}: {plural(attack.items, 'claim', 'claims')}"
    print_section(Section(title, tuple(parts)), console)
    if attack.gained:
        print_section(Section("Worst gains", tuple(_gain(each) for each in attack.gained[:SHOWN])), console)


KIND_COLUMNS = ("attack", "twins", "gained", "mean change", "worst", "called supported")


def attack_json(attack: Attack) -> bytes:
    kinds = {kind: [each for each in attack.attempts if each.kind == kind] for kind in KINDS}
    document = {
        "judge": attack.judge,
        "attacks": attack.version,
        "items": attack.items,
        "twins": len(attack.attempts),
        "gained": len(attack.gained),
        "kinds": {
            kind: {
                "twins": len(attempts),
                "gained": sum(each.gained for each in attempts),
                "mean_change": sum(each.gain for each in attempts) / len(attempts) if attempts else None,
                "worst": max((each.gain for each in attempts), default=None),
                "supported": sum(each.supported for each in attempts),
            }
            for kind, attempts in kinds.items()
        },
        "gains": [{**msgspec.to_builtins(each), "gain": each.gain} for each in attack.gained],
        "failed": attack.failed,
    }
    return _encoded(document)


def _headline(check: Check, notices: Sequence[Notice]) -> Section:
    rows = [
        ("at threshold", check.headline),
        ("own verdicts", check.own),
        ("floor", check.floor),
    ]
    parts: list[Part] = [
        said(
            f"Thresholds chosen on {check.development:,} claims, figures on {check.headline.n:,} others"
            f" ({check.headline.supported:,} supported, {check.headline.passages:,} contexts);"
            " split by hash of the context. At threshold: the judge's probability from"
            f" {check.threshold:.3f}; floor: token overlap from {check.floor_threshold:.3f}."
        ),
        *_left_out({"no_majority": check.divided, "repeated_rows": check.repeated, **check.failed}),
        *(said(f"{each.message} ({each.count:,})", "muted") for each in notices),
        Table("", (Column(""), *FIGURES), tuple((Span(name), *_cells(each)) for name, each in rows)),
        said(LEGEND, "muted"),
        *([] if check.people is None else [said(_people_sentence(check.people))]),
    ]
    return Section(f"Judge {_named(check.judge)}{', which screens' if check.judge.screens else ''}", tuple(parts))


def _people_sentence(people: People) -> str:
    alpha = _value(people.alpha)
    return (
        f"People among themselves: alpha {alpha} on {plural(people.items, 'claim', 'claims')} with"
        f" {people.raters:,} raters, {percent(people.agreement)} of pairs agree. Against the majority of the others:"
        f" a person {_share(people.rater)}, the judge {_share(people.judge)} balanced accuracy."
    )


def _parts(check: Check) -> Section:
    tables = [
        Table(title, (Column(title), *FIGURES), tuple((code(name), *_cells(each)) for name, each in parts.items()))
        for title, parts in (("language", check.by_language), ("slice", check.by_slice))
        if parts
    ]
    return Section("By language and slice", tuple(tables))


def _calibration(check: Check) -> Section:
    bins = tuple(
        (
            Span(f"{each.low:.1f} to {each.high:.1f}"),
            Span(f"{each.n:,}"),
            Span(percent(each.mean)),
            Span(percent(each.rate)),
            Span(_picture(each.mean, each.rate)),
        )
        for each in check.reliability.bins
    )
    columns = (
        Column("probability"),
        Column("claims", "right"),
        Column("said", "right"),
        Column("true", "right"),
        Column("0 to 1: █ true, ┆ said"),
    )
    band = check.grey_band
    error, brier = _share(check.reliability.error), check.reliability.brier
    return Section(
        "Calibration and grey band",
        (
            Table("", columns, bins),
            said(f"Expected calibration error {error}, Brier score {UNDEFINED if brier is None else f'{brier:.3f}'}."),
            said(
                f"Grey band {band.low:.3f} to {min(band.high, 1):.3f}: {_share(band.share)} of the claims go to people;"
                f" on the others balanced accuracy {_value(band.outside.balanced_accuracy, as_percent=True)}."
            ),
        ),
    )


def _picture(mean: float, rate: float) -> str:
    bar = ["█"] * round(rate * WIDTH)
    bar += [" "] * (WIDTH + 1 - len(bar))
    bar[round(mean * WIDTH)] = "┆"
    return "".join(bar).rstrip()


def _errors(check: Check) -> Section:
    columns = (Column("people"), *(Column(f"judge: {verdict}", "right") for verdict in STANCES))
    rows = tuple(
        (Span(label), *(Span(f"{check.verdicts[label][verdict]:,}") for verdict in STANCES)) for label in STANCES
    )
    parts: list[Part] = [Table("", columns, rows)]
    shown = check.confusions[:SHOWN]
    if shown:
        parts.append(said(f"The surest of {plural(len(check.confusions), 'difference', 'differences')}:", "strong"))
    for each in shown:
        head = (Span(f"{each.probability:.3f}  ", "strong"), Span(f"people: {each.label}, judge: {each.verdict}"))
        parts += [Paragraph(head), Paragraph((Span(excerpt(each.claim)),), 2)]
        parts.append(Paragraph((Span(excerpt(each.quote or " · ".join(each.context)), "muted"),), 2))
    return Section("Where the judge and people differ", tuple(parts))


def _kind_row(kind: str, attempts: Sequence[Attempt]) -> tuple[Span, ...]:
    gained = sum(each.gained for each in attempts)
    mean = sum(each.gain for each in attempts) / len(attempts) if attempts else None
    worst = max((each.gain for each in attempts), default=None)
    return (
        Span(words(kind)),
        Span(f"{len(attempts):,}"),
        Span(f"{gained:,}", "bad" if gained else "plain"),
        *(Span(UNDEFINED if change is None else f"{change:+.3f}") for change in (mean, worst)),
        Span(f"{sum(each.supported for each in attempts):,}"),
    )


def _gain(each: Attempt) -> Paragraph:
    head = f"{words(each.kind)}: {each.clean:.3f} → {each.attacked:.3f}  "
    return Paragraph(
        (Span(head, "strong"), Span(excerpt(each.claim)), Span(f"  beside: {excerpt(each.context[0])}", "muted"))
    )


def _left_out(counts: Mapping[str, int]) -> list[Part]:
    given = {name: count for name, count in counts.items() if count}
    return [said(f"Not in the figures: {counted(given)}.", "bad")] if given else []


def _named(card: JudgeCard) -> str:
    return f"{card.name} {card.version}"


def _cells(each: Agreement) -> tuple[Span, ...]:
    return (
        Span(f"{each.n:,}"),
        Span(_value(each.balanced_accuracy, as_percent=True)),
        Span(_value(each.kappa)),
        Span(UNDEFINED if each.auc is None else f"{each.auc:.3f}"),
        Span(_share(each.recall_supported)),
        Span(_share(each.recall_unsupported)),
    )


def _value(figure: Figure, *, as_percent: bool = False) -> str:
    def written(number: float | None) -> str:
        if number is None:
            return UNDEFINED
        return percent(number) if as_percent else f"{number:.2f}"

    ends = figure.interval
    if figure.value is None or ends.method == "none":
        return written(figure.value)
    return f"{written(figure.value)} [{written(ends.low)}, {written(ends.high)}]"


def _share(value: float | None) -> str:
    return UNDEFINED if value is None else percent(value)


def _numbers(each: Agreement) -> dict[str, object]:
    return {
        "n": each.n,
        "supported": each.supported,
        "contexts": each.passages,
        "balanced_accuracy": _figure(each.balanced_accuracy),
        "kappa": _figure(each.kappa),
        "auc": each.auc,
        "recall": {"supported": each.recall_supported, "not_supported": each.recall_unsupported},
        "precision": {"supported": each.precision_supported},
    }


def _figure(figure: Figure) -> dict[str, object]:
    ends = figure.interval
    interval = None if figure.value is None or ends.method == "none" else [ends.low, ends.high]
    return {"value": figure.value, "interval": interval, "method": ends.method}


def _reliability(found: Reliability) -> dict[str, object]:
    bins = [each._asdict() for each in found.bins]
    return {"bins": bins, "expected_calibration_error": found.error, "brier": found.brier}


def _people(people: People) -> dict[str, object]:
    return {
        "items": people.items,
        "raters": people.raters,
        "agreement": people.agreement,
        "alpha": _figure(people.alpha),
        "against_others": {"rater": people.rater, "judge": people.judge},
    }


def _encoded(document: object) -> bytes:
    return msgspec.json.encode(msgspec.to_builtins(document, str_keys=True), order="sorted")
