"""A report as one HTML file: offline, without scripts, for screen and paper, light and dark."""

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from ragassay.records import Run
from ragassay.records.verdict import Verdict
from ragassay.reports.charts import bars_chart, distribution_chart, forest_chart
from ragassay.reports.contents import outline
from ragassay.reports.outline import Bars, Distribution, Forest, Part, forest_table
from ragassay.text.normalise import visible


def render_html(run: Run, verdict: Verdict | None = None) -> str:
    """The full report: every cut-off, every slice of the headline metrics, every critical query."""
    report = outline(run, is_full=True, verdict=verdict)
    return environment().get_template("report.html.j2").render(report=report, chart=chart, forest_table=forest_table)


def chart(part: Part) -> Markup | None:
    """The drawing of a part, None for what is read rather than seen."""
    match part:
        case Bars():
            return bars_chart(part)
        case Forest():
            return forest_chart(part)
        case Distribution():
            return distribution_chart(part)
        case _:
            return None


def environment() -> Environment:
    """How every page is made: what came from data is escaped, and shown where it could not be seen."""
    environment = Environment(
        loader=PackageLoader("ragassay.reports", "templates"),
        autoescape=True,
        finalize=_shown,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["kind"] = lambda part: type(part).__name__
    return environment


def _shown(value: object) -> object:
    """Everything that a template prints and did not build itself, with control characters made visible."""
    return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value
