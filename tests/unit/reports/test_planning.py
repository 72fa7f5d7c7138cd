"""How a plan and a stability read."""

from io import StringIO

from rich.console import Console

from ragassay.records import Mismatch
from ragassay.records.planning import AtBest, Need, Plan, Wanted
from ragassay.records.stability import Repeated, SelfAgreement, Share, Stability, Unsteady
from ragassay.reports.dataset import Linted, lint_json, render_lint
from ragassay.reports.planning import render_plan
from ragassay.reports.stability import render_stability

HOSTILE = "slice=\x1b[31m[bold]<b>"
NONE = Share(value=None, interval=None, n=0)


def written(render, value):
    console = Console(file=StringIO(), width=80)
    render(value, console)
    return console.file.getvalue()


def rate(metric="hit_rate@1", **fields):
    found = {"slice": None, "method": "mcnemar", "n": 40, "discordance": 0.2, "needed": 626, "detectable": 0.2}
    return Need(metric=metric, **(found | fields))


def plan(*needs, runs=("one", "two"), mismatches=(), critical=0):
    wanted = Wanted(difference=0.05, power=0.8, alpha=0.05)
    at_best = AtBest(n=critical, shows=0.9 if critical else None, needed={"0.95": 59})
    return Plan(runs=runs, wanted=wanted, mismatches=mismatches, needs=needs, critical=at_best)


def line(text, start):
    return next(each for each in text.splitlines() if each.startswith(start)).split()


def test_a_number_that_is_only_a_floor_is_marked():
    assert line(written(render_plan, plan(rate())), "hit_rate@1") == [
        *("hit_rate@1", "20.0%", "differ", "40", "626", "20.0%")
    ]
    floor = line(written(render_plan, plan(rate(discordance=0.0, needed=155, detectable=0.15))), "hit_rate@1")
    assert floor[-4:] == ["≥", "155", "≥", "15.0%"]
    assert line(written(render_plan, plan(rate(detectable=None))), "hit_rate@1")[-1] == "—"


def test_one_run_and_two_say_where_their_spread_comes_from():
    assert "this assumes" in written(render_plan, plan(rate(), runs=("one",)))
    assert "this assumes" not in written(render_plan, plan(rate()))


def test_what_is_not_planned_stands_under_its_reason():
    lost = [
        Need(metric=name, slice="language=ru", method="none", n=0, reason="nobody knows") for name in ("mrr", "map@3")
    ]
    text = written(render_plan, plan(rate(), *lost))
    assert "nobody knows  mrr on language=ru, map@3 on language=ru" in text
    assert "None is marked critical" in text


def test_what_stands_in_the_way_is_shown():
    wrong = Mismatch(field="dataset_hash", baseline="a", candidate="b", refuses=True, message="other labels")
    assert "refuses  other labels" in written(render_plan, plan(mismatches=(wrong,)))
    stability = Stability(runs=("a", "b"), mismatches=(wrong,), metrics=(), unsteady=(), same_answers=0, judge=None)
    assert "How far they agree" not in written(render_stability, stability)


def test_data_are_shown_as_they_are_and_do_nothing():
    linted = Linted(1, 0, (), (), {HOSTILE: 1}, {HOSTILE: 1})
    for text in (written(render_plan, plan(rate(slice=HOSTILE))), written(render_lint, linted)):
        assert "\x1b" not in text
        assert "[bold]<b>" in text.replace("\n", "")
    assert b"\\u001b" in lint_json(linted)


def repeated(**fields):
    found = {"mean": NONE, "deviation": None, "rule": None, "every": (), "once": (), "flips": NONE, "without": {}}
    return Repeated(metric="recall@3", **(found | fields))


def stable(*metrics, unsteady=(), judge=None):
    return Stability(
        runs=("a", "b", "c"), mismatches=(), metrics=metrics, unsteady=unsteady, same_answers=3, judge=judge
    )


def test_what_is_undefined_is_never_a_zero():
    text = written(render_stability, stable(repeated(without={"not_judged": 6})))
    assert "not judged  recall@3" in text
    assert "%" not in text


def test_the_queries_that_flip_most_come_first():
    rows = [
        Unsteady(query=query, metric="recall@3", passed=passed, outcomes=4, low=0.0, high=1.0)
        for query, passed in (("steady", None), ("rarely", 3), ("evenly", 2))
    ]
    text = written(render_stability, stable(repeated(), unsteady=tuple(rows)))
    assert text.index("evenly") < text.index("rarely") < text.index("steady")
    assert "2 of 4" in text


def test_a_judge_that_was_asked_again_is_measured():
    share = Share(value=0.75, interval=(0.6, 0.9), n=3)
    text = written(render_stability, stable(repeated(), judge=SelfAgreement(judgements=8, agreement=share, alpha=0.5)))
    text = " ".join(text.split())
    assert "Of 8 judgements that were given again, 75.0% were the same every time (60.0%–90.0%)" in text
    assert "alpha 0.50" in text
    assert "none was judged more than once" in " ".join(written(render_stability, stable(repeated())).split())
