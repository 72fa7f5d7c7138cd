"""The dictionary as people read it: on a terminal, one metric at a time, and as a page of the documentation."""

from rich.console import Console

from ragassay.metrics.definition import Choice, Metric
from ragassay.metrics.dictionary import FAMILIES, family_of
from ragassay.reports.figures import UNDEFINED, amount
from ragassay.reports.markdown import code_span, table_lines
from ragassay.reports.outline import Column, Section, Span, Table, code
from ragassay.reports.terminal import print_section

IDENTIFIERS = ("matrices", "undefined when", "written", "aliases")

SOURCES = {
    "A": "acceptance profile of RAG systems",
    "B": "RAG quality dashboard and pipeline contract",
    "C": "RAGAS",
    "L": "ALCE",
    "R": "RAGChecker",
    "T": "trec_eval",
    "own": "ragassay",
}
"""What the short names of sources stand for."""

ARROWS = {"higher": "↑", "lower": "↓"}


def dictionary_table(console: Console) -> None:
    """Every metric with the question that it answers, by family."""
    for family in FAMILIES:
        print_section(Section(family.capitalize(), (_overview(family),)), console)


def describe(metric: Metric | Choice, console: Console) -> None:
    """Everything that a definition says."""
    definition = metric.metric if isinstance(metric, Choice) else metric
    title = str(metric) if isinstance(metric, Choice) else f"{definition.name}:v{definition.version}"
    print_section(Section(title, (_facts_table(definition),)), console)


def dictionary_page() -> str:
    """The page `docs/metrics.md`, generated from the definitions."""
    lines = [
        "# Metrics",
        "",
        "Generated from the definitions in `ragassay.metrics`; a test compares the two.",
        "",
        "A metric is a fraction: per query a numerator and a denominator, both counted on evidence matrices. A query"
        " without a value is undefined for a named reason, or errored; it is never counted as 0. Macro is the mean of"
        " the queries' values, micro the ratio of the sums.",
        "",
    ]
    for family, metrics in FAMILIES.items():
        lines += [f"## {family.capitalize()}", "", *table_lines(_overview(family)), ""]
        for metric in metrics:
            lines += _entry(metric)
    return "\n".join(lines).rstrip() + "\n"


def _overview(family: str) -> Table:
    columns = (Column("metric"), Column(""), Column("aggregation"), Column("question"))
    rows = tuple(
        (code(_pattern(metric)), Span(ARROWS[metric.direction]), Span(metric.aggregation), Span(metric.question))
        for metric in FAMILIES[family]
    )
    return Table("", columns, rows)


def _pattern(metric: Metric) -> str:
    """How the metric is written, its parameters open: `recall@k`, `total_latency(p=…)`."""
    rank = "@k" if metric.cutoff == "required" else ""
    named = ",".join(f"{parameter}=…" for parameter in metric.spelled)
    return f"{metric.name}{rank}({named})" if named else f"{metric.name}{rank}"


def _entry(metric: Metric) -> list[str]:
    return [f"### {code_span(metric.name)}", "", *table_lines(_facts_table(metric)), ""]


def _facts_table(metric: Metric) -> Table:
    rows = tuple(
        (Span(name, "muted"), code(text) if name in IDENTIFIERS and text != UNDEFINED else Span(text))
        for name, text in facts(metric).items()
    )
    return Table("", (Column("field"), Column("says")), rows)


def facts(metric: Metric) -> dict[str, str]:
    """A definition field by field, in words."""
    low, high = metric.bounds
    return {
        "family": family_of(metric),
        "version": str(metric.version),
        "question": metric.question,
        "formula": metric.formula,
        "unit": metric.unit,
        "matrices": ", ".join(metric.matrices),
        "undefined when": ", ".join(metric.undefined) or "never",
        "aggregation": _aggregation(metric),
        "direction": f"{metric.direction} is better",
        "bounds": f"{amount(low)} to {amount(high)}" if high is not None else f"{amount(low)} and up",
        "cut-off k": {"none": "none", "optional": "with or without", "required": "required"}[metric.cutoff],
        "variants": _variants(metric) or UNDEFINED,
        "written": metric.example(),
        "aliases": ", ".join(metric.aliases) or UNDEFINED,
        "source": ", ".join(SOURCES.get(source, source) for source in metric.source.split(", ")),
    }


def _aggregation(metric: Metric) -> str:
    other = {"macro": "micro", "micro": "macro"}.get(metric.aggregation)
    beside = f", {other} beside it" if metric.beside and other else ""
    voided = f"; none while any query is {', '.join(metric.voided_by)}" if metric.voided_by else ""
    return f"{metric.aggregation}{beside}{voided}"


def _variants(metric: Metric) -> str:
    """Each parameter with its values; the first is the default, unless the parameter must be given."""
    return "; ".join(
        f"{name}: {', '.join(values)} ({'must be given' if name in metric.spelled else f'default {values[0]}'})"
        for name, values in metric.variants.items()
    )
