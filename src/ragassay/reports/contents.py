"""What a report says and in which order; the same for the terminal, Markdown and HTML."""

from ragassay.records import JudgeCard, Run
from ragassay.records.verdict import Verdict
from ragassay.reports.blocks import (
    OTHER,
    headlines,
    measured,
    members,
    not_shown,
    shown_cutoffs,
)
from ragassay.reports.causes import causes_section
from ragassay.reports.claims import unsupported_part
from ragassay.reports.critical import critical_section
from ragassay.reports.figures import excerpt, plural
from ragassay.reports.gates import sentence, verdict_section
from ragassay.reports.headline import headline
from ragassay.reports.outline import (
    Bars,
    Column,
    Distribution,
    Outline,
    Part,
    Section,
    Span,
    Stage,
    Table,
    Tone,
    code,
    said,
)
from ragassay.reports.slices import forest

BUCKETS = ((1, 1), (2, 2), (3, 3), (4, 5), (6, 10), (11, 20), (21, 50), (51, 100))


def outline(run: Run, *, is_full: bool, verdict: Verdict | None = None) -> Outline:
    """The whole report. The short one shows two cut-offs, the worst slices and the first ids."""
    ks = None if is_full else shown_cutoffs(run.card.k)
    missing = not_shown(run, ks)
    return Outline(
        title=f"{run.card.dataset} {run.card.dataset_version}",
        subtitle=_subtitle(run),
        headline=(*([sentence(verdict)] if verdict else []), *headline(run)),
        sections=(
            *([verdict_section(verdict)] if verdict else []),
            causes_section(run, is_full=is_full),
            *_blocks(run, ks),
            *([Section("Not shown", (missing,))] if missing else []),
            critical_section(run, is_full=is_full),
            _slices(run, is_full=is_full),
            _card(run, is_full=is_full),
        ),
    )


def _subtitle(run: Run) -> str:
    asked = sum(run.findings.origins.values())
    system = run.card.system or "system not named"
    return f"{system} · {plural(asked, 'query', 'queries')} · run {run.id}"


def _blocks(run: Run, ks: tuple[int, ...] | None) -> list[Section]:
    """A section per family of which anything was measured."""
    sections: list[Section] = []
    for family in ("retrieval", "context", "groundedness", "citations", "refusal", "effort", OTHER):
        estimates = members(run, family, ks)
        table = measured(estimates, run.card.level) if estimates else ()
        extra = _beside(family, run, is_full=ks is None)
        if table or extra:
            sections.append(Section(family.capitalize(), (*table, *extra)))
    return sections


def _beside(family: str, run: Run, *, is_full: bool) -> tuple[Part, ...]:
    """What stands below the numbers of a family."""
    match family:
        case "retrieval":
            return _retrieval(run)
        case "groundedness":
            return unsupported_part(run, is_full=is_full)
        case "citations":
            return _citations(run)
        case "refusal":
            return _refusal(run)
        case "effort":
            return _effort(run)
        case _:
            return ()


def _retrieval(run: Run) -> tuple[Part, ...]:
    ranks = run.findings.first_ranks
    parts: list[Part] = []
    if any(ranks.values()):
        parts.append(Bars("Rank at which a need was first met", _buckets(ranks)))
    if run.findings.noise:
        parts.append(_noise(run))
    return tuple(parts)


def _buckets(ranks: dict[str, int]) -> tuple[tuple[str, int], ...]:
    """Needs by groups of ranks; groups above the last met rank are left out, "not found" is always there."""
    counts = {int(rank): count for rank, count in ranks.items() if rank.isdecimal()}
    last = max((rank for rank, count in counts.items() if count), default=0)
    bars = [
        (f"{low}" if low == high else f"{low}\u2013{high}", sum(n for rank, n in counts.items() if low <= rank <= high))
        for low, high in BUCKETS
        if low <= last
    ]
    beyond = sum(n for rank, n in counts.items() if rank > BUCKETS[-1][1])
    return (*bars, *([(f"over {BUCKETS[-1][1]}", beyond)] if beyond else []), ("not found", ranks.get("not found", 0)))


def _noise(run: Run) -> Table:
    columns = ("results", "relevant", "not relevant", "unjudged", "stale", "forbidden")
    rows = tuple(
        (
            Span(row.query_type),
            Span(f"{row.queries:,}"),
            *(Span(f"{count:,}") for count in (row.results, row.relevant, row.not_relevant, row.unjudged)),
            *(Span(f"{count:,}", "bad" if count else "muted") for count in (row.stale, row.forbidden)),
        )
        for row in run.findings.noise
    )
    heads = (Column("type of query"), Column("n", "right"), *(Column(name, "right") for name in columns))
    return Table(f"Non-relevant candidates, counted among the {run.findings.noise_stage} results", heads, rows)


def _citations(run: Run) -> tuple[Part, ...]:
    issued = run.findings.citation_faults.get("issued", 0)
    return (said(f"{plural(issued, 'citation', 'citations')} issued."),) if issued else ()


def _refusal(run: Run) -> tuple[Part, ...]:
    table = run.findings.refusals
    if not any(count for row in table.values() for count in row.values()):
        return ()
    observed = tuple(next(iter(table.values())))
    right = {("refuse", "refused"), ("answer", "answered"), ("answer", "partial")}
    rows = tuple(
        (
            Span({"refuse": "must refuse", "answer": "answerable"}.get(expected, expected)),
            *(Span(f"{row[kind]:,}", _tone(row[kind], is_right=(expected, kind) in right)) for kind in observed),
        )
        for expected, row in table.items()
    )
    heads = (Column("expected"), *(Column(kind, "right") for kind in observed))
    return (Table("Expected \u00d7 observed, queries", heads, rows),)


def _tone(count: int, *, is_right: bool) -> Tone:
    return "muted" if not count else "good" if is_right else "bad"


def _effort(run: Run) -> tuple[Part, ...]:
    stages = tuple(
        Stage(name, seconds, tuple(_marks(run, name))) for name, seconds in run.findings.latencies.items() if seconds
    )
    return (Distribution("Latency of complete answers, by stage", stages),) if stages else ()


def _marks(run: Run, stage: str) -> list[tuple[str, float]]:
    name = f"{stage.replace(' ', '_')}_latency"
    found = {p: run.summary.metrics.get(f"{name}(p={p})") for p in ("50", "95", "99")}
    return [(f"p{p}", each.value) for p, each in found.items() if each is not None and each.value is not None]


def _slices(run: Run, *, is_full: bool) -> Section:
    forests = tuple(forest(run, name, metric, is_full=is_full) for name, metric in headlines(run).items())
    if not forests:
        return Section("Slices", (said("No headline metric has a value."),))
    legend = "▼ the interval lies wholly on the worse side of all queries, ▲ wholly on the better side, ● around it"
    return Section("Slices", (said(f"{legend}, ○ no interval.", "muted"), *forests))


def _card(run: Run, *, is_full: bool) -> Section:
    card = run.card
    rules = card.labelling_rules or "not stated"
    facts = {
        "run": run.id,
        "dataset": f"{card.dataset} {card.dataset_version}",
        "system": card.system or "not named",
        "inputs": "; ".join(card.inputs) or "given by code",
        "queries": card.dataset_hash,
        "answers": card.answers_hash,
        "corpus": card.corpus_hash or "not given",
        "relevance unit": card.unit,
        "k": ", ".join(str(k) for k in card.k),
        "as of": "each query's own date" if card.as_of is None else card.as_of.isoformat(),
        "ties": f"{card.ties}, scores as {card.score_precision}",
        "missing answer": "counts 0: the system was asked and failed",
        "judge": _judge(card.judge),
        "intervals (CI)": f"{card.level * 100:g}%, {card.resamples:,} resamples, seed {card.seed}",
        "labelling rules": " ".join(rules.split()) if is_full else excerpt(rules),
        "exclusions": "; ".join(_exclusions(run)) or "none",
        "origin of queries": ", ".join(f"{origin} {count:,}" for origin, count in run.findings.origins.items()),
        "ragassay": f"{card.ragassay}, {plural(len(card.metrics), 'metric', 'metrics')}",
    }
    table = Table("", (Column("what"), Column("value")), tuple((Span(key, "muted"), Span(facts[key])) for key in facts))
    return Section("What exactly was run", (*_notices(run), table))


def _judge(judge: JudgeCard | None) -> str:
    if judge is None:
        return "none"
    role = "screens: people confirm what matters" if judge.screens else "decides"
    settings = ", ".join(f"{key} {value}" for key, value in sorted(judge.settings.items()))
    return f"{judge.name} {judge.version} ({judge.kind}, {role}){f'; {settings}' if settings else ''}"


def _exclusions(run: Run) -> list[str]:
    return [f"{each.query or each.slice or 'unknown'}: {each.reason}" for each in run.card.exclusions]


def _notices(run: Run) -> tuple[Part, ...]:
    rows = tuple(
        (Span(f"{notice.count:,}", "strong"), code(notice.code), Span(notice.message), code(", ".join(notice.samples)))
        for notice in run.notices
    )
    columns = (Column("count", "right"), Column("notice"), Column("before you believe a number"), Column("for example"))
    return (Table("Notices", columns, rows),) if rows else ()
