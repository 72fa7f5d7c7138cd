"""A run and what was handed in with it to the acceptance report."""

from collections.abc import Iterable

from ragassay.acceptance import control, data, judging, quality, release, scope
from ragassay.acceptance.headings import MAP_CLAIMS, headings
from ragassay.acceptance.presented import Presented, some, together
from ragassay.dataset import fingerprint
from ragassay.records import Run
from ragassay.records.acceptance import Acceptance, Check, Control, ControlName


def accept(presented: Presented) -> Acceptance:
    """The acceptance report of a run: the same for the same evidence, whoever draws it up and when.

    Nothing is met for want of evidence: a check that found nothing to look at is not shown.
    """
    controls = [
        _control("scope", scope.ASKS, scope.scope(presented)),
        _control("data", data.ASKS, data.data(presented)),
        _control("control", control.ASKS, control.control(presented)),
        _control("evidence", judging.ASKS, judging.evidence(presented)),
        _control("quality", quality.ASKS, quality.quality(presented)),
    ]
    last = _control("release", release.ASKS, release.release(presented))
    run, verdict = presented.run, presented.verdict
    content = fingerprint([run, *controls, last, *([] if verdict is None else [verdict])])
    signed = _control("release", release.ASKS, (*last.checks, release.approved(presented, content)))
    return Acceptance(
        run=run.id,
        title=f"{run.card.dataset} {run.card.dataset_version}",
        system=run.card.system,
        baseline=None if presented.baseline is None else presented.baseline.id,
        content=content,
        outcome=together([each.outcome for each in (*controls, signed)]),
        controls=(*controls, signed),
        unknowns=tuple(_unknowns(run)),
        map_claims=MAP_CLAIMS,
        verdict=verdict,
    )


def _control(name: ControlName, asks: str, checks: Iterable[Check]) -> Control:
    made = tuple(checks)
    outcome = together([each.outcome for each in made])
    return Control(name=name, asks=asks, outcome=outcome, checks=made, headings=headings(name))


def _unknowns(run: Run) -> Iterable[str]:
    """Metrics without a value by reason, then every notice of the run."""
    reasons: dict[str, list[str]] = {}
    for metric, reason in run.not_shown.items():
        reasons.setdefault(reason, []).append(metric)
    for reason, metrics in sorted(reasons.items()):
        yield f"Not measured, {reason.replace('_', ' ')}: {some(sorted(metrics))}"
    for notice in run.notices:
        samples = f" ({', '.join(notice.samples)})" if notice.samples else ""
        yield f"{notice.message}: {notice.count:,}{samples}"
