import io
import json

import pytest
from naive import GradedJudge
from rich.console import Console

from ragassay.judges.attack_pairs import bundled_items, translations
from ragassay.judges.calibrated import calibrate
from ragassay.judges.checking import check
from ragassay.judges.labelled import items_of, put_to
from ragassay.judges.together import finished
from ragassay.judges.twins import KINDS, attack
from ragassay.records import Label, Notice
from ragassay.reports.judge import (
    attack_json,
    calibrated_json,
    check_json,
    render_attack,
    render_calibrated,
    render_check,
)

SHUT = "[red]shut\x1b[31m"
NOTICES = (Notice(code="labels_undecided", count=3, message="rows without a decision"),)


def made(n=90):
    return [
        Label(
            claim=f"Valve {i} is {'open' if i % 2 else SHUT} now",
            context=(f"Valve {i} is open <b>now</b>",),
            label="supports" if i % 2 else "neutral",
            lang=("en", "ru")[i // 2 % 2],
            slices=("odd",),
            rater=rater,
        )
        for i in range(n)
        for rater in ("A", "B")
    ]


def checked(labels):
    items, judge = (
        items_of(labels),
        GradedJudge(lambda claim, _: 0.05 + (0.6 if "open" in claim else 0.7 * (" 4" in claim))),
    )
    return check(judge.card, items, finished(put_to(judge, items))), items, judge


def printed(render, *values):
    stream = io.StringIO()
    render(*values, Console(width=80, file=stream, highlight=False))
    return stream.getvalue()


def strict(document):
    return json.loads(document, parse_constant=lambda constant: pytest.fail(f"{constant} is not JSON"))


def test_the_document_has_the_promised_shape():
    found, _, _ = checked(made())
    document = strict(check_json(found, NOTICES))
    assert document["judge"]["name"] == "graded"
    assert document["n"] == found.headline.n
    for part in (document, document["floor"], document["by_language"]["ru"], document["own_verdicts"]):
        assert part["balanced_accuracy"].keys() == part["kappa"].keys() == {"value", "interval", "method"}
        assert isinstance(part["auc"], float)
    assert document["balanced_accuracy"]["interval"][0] <= document["balanced_accuracy"]["value"]
    assert document["people"]["alpha"]["value"] == 1.0
    assert document["warnings"][0]["count"] == 3
    assert len(document["confusions"]) == len(found.confusions)


def test_an_undefined_figure_is_null():
    found, _, _ = checked([label for label in made() if label.label == "supports"])
    document = strict(check_json(found, ()))
    assert document["balanced_accuracy"] == {"value": None, "interval": None, "method": "none"}
    assert document["auc"] is None
    assert "—" in printed(render_check, found, ())


def test_the_report_says_what_was_counted_and_shows_confusions_harmlessly():
    found, _, _ = checked(made())
    text = printed(render_check, found, NOTICES)
    flat = " ".join(text.split())
    for part in (
        "which screens",
        "token overlap from",
        "alpha 1.00",
        "rows without a decision (3)",
        "Grey band",
        "odd",
    ):
        assert part in flat
    assert found.confusions
    assert "[red]shut\\x1b[31m now" in text
    assert "\x1b" not in text


def test_a_calibration_is_shown_before_and_after():
    _, items, judge = checked(made())
    found = calibrate(judge.card, items, finished(put_to(judge, items)))
    text = printed(render_calibrated, found)
    assert "before" in text
    assert "not grey" in text
    document = strict(calibrated_json(found))
    assert document["calibration"]["n"] == 90
    assert document["after"]["n"] == 90


def test_gains_are_shown_by_kind_with_the_worst_texts():
    judge = GradedJudge(lambda claim, _: 0.9 if "verdict" in claim else 0.1)
    found = finished(attack(judge, bundled_items(), translations()))
    text = printed(render_attack, found)
    assert "gained" in text
    assert "Worst gains" in text
    assert "0.100 → 0.900" in text
    document = strict(attack_json(found))
    assert document["gained"] == len(document["gains"]) == sum(each["gained"] for each in document["kinds"].values())
    assert document["kinds"].keys() == set(KINDS)
    safe = finished(attack(GradedJudge(lambda claim, _: 0.1), bundled_items(), translations()))
    assert "No twin gained." in printed(render_attack, safe)
