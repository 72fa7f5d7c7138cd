import io

import msgspec
from rich.console import Console

from ragassay.reports.outline import Stage
from ragassay.reports.terminal import BINS, render_beside, render_terminal, sparkline


def shown(render, **options):
    page = io.StringIO()
    render(Console(file=page, width=80, highlight=False, **options))
    return page.getvalue()


def test_colour_only_repeats_what_the_words_say(run):
    colours = shown(lambda console: render_terminal(run, console), force_terminal=True, color_system="truecolor")
    plain = shown(lambda console: render_terminal(run, console))
    assert "\x1b[" in colours
    assert "\x1b" not in plain
    for words in ("✗ failed", "Not seen", "not shown", "NOT"):
        assert (words in colours) == (words in plain)


def test_the_environment_can_turn_colour_off(run, monkeypatch):
    monkeypatch.setenv("NO_COLOR", "1")
    text = shown(lambda console: render_terminal(run, console), force_terminal=True)
    assert "\x1b[31m" not in text
    assert "36m" not in text


def test_runs_stand_side_by_side(run):
    other = msgspec.structs.replace(run, findings=msgspec.structs.replace(run.findings, failed=()))
    text = shown(lambda console: render_beside({"version 1": run, "version 2": other}, console))
    rows = {line.split("  ")[0]: line.split() for line in text.splitlines()}
    assert rows["recall@5"].count("60.0%") == 2
    assert rows["false refusal"][-2:] == ["1", "0"]


def test_a_rare_latency_stays_visible():
    line = sparkline(Stage("total", (*[0.1] * 1000, 9.0), ()))
    assert len(line) == BINS
    assert line[0] == "█"
    assert line[-1] == "▁"
