"""From a recorded run and a contract to a trial: what each stage would have stopped, and what a threshold trades."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ragassay.contract import contract_hash
from ragassay.dataset import fingerprint, notice
from ragassay.formats.runs import StoredRun
from ragassay.records import ASCENDING, Document, Notice, ScoreKind, Stage, Terms
from ragassay.records.trying import Curve, Effect, RemovedPassages, StageTrial, Trial
from ragassay.trying.effects import EFFECTS, effects, part, worst_first
from ragassay.trying.grading import NUMBERS, Grades, judged_grades, other_contexts, recorded_grades
from ragassay.trying.replaying import Found, Replayed, graded, searched
from ragassay.trying.sweeping import Reading, Sweep, curve

SEARCH = "search"
SWEPT = (SEARCH, *NUMBERS)


class Ask(NamedTuple):
    """What to try. `judge` None takes the numbers of the context as the run recorded them; `sweep` names of `SWEPT`;
    `most_false_refusals` is the share that a recommended threshold may refuse falsely."""

    judge: str | None = None
    sweep: tuple[str, ...] = ()
    most_false_refusals: float = 0.05


class _Replay(NamedTuple):
    """All queries behind all stages, the worst first, with what a stop would do to each."""

    stored: StoredRun
    rows: list[Replayed]
    effects: dict[str, Effect]

    @property
    def level(self) -> float:
        return self.stored.run.card.level


def tried(stored: StoredRun, terms: Terms, documents: Sequence[Document] | None, ask: Ask) -> Trial:
    """The contract on the recorded retrievals. Without documents the filter is not tried.

    Raises `FaultyInput` for a judge that cannot be asked here.
    """
    found, untried = searched(stored, terms, documents)
    place = {query: at for at, query in enumerate(worst_first(each.query for each in found))}
    found.sort(key=lambda each: place[each.query.id])
    contexts = [(each.query, each.passages) for each in found if each.decisions[-1].proceeds]
    grades = recorded_grades(stored, contexts) if ask.judge is None else judged_grades(ask.judge, contexts)
    known = effects(stored)
    replay = _Replay(stored, graded(found, terms, grades), {each.query.id: known[each.query.id] for each in found})
    stages: tuple[Stage, ...] = ("search", "grade") if documents is None else ("filter", "search", "grade")
    curves, not_swept = _curves(replay, ask)
    return Trial(
        run=stored.run.id,
        contract=terms.name,
        version=terms.version,
        hash=contract_hash(terms),
        grades=_source(ask, grades),
        tried=len(found),
        effects=_counted(replay),
        untried={reason: tuple(ids) for reason, ids in untried.items()},
        stages=tuple(_stage(replay, stage) for stage in stages),
        together=_stage(replay, None),
        removed=_removed(found),
        curves=curves,
        not_swept=not_swept,
        notices=(*_notices(stored, documents), *_of_contexts(replay, ask)),
    )


def is_empty(trial: Trial) -> bool:
    """Whether nothing at all could be tried: no filter, no threshold, no grade, no curve."""
    return not trial.curves and not any(each.decided for each in trial.stages)


def _source(ask: Ask, grades: Grades) -> str | None:
    if ask.judge is not None:
        return ask.judge
    return "recorded" if any(each.lacks is None for each in grades.values()) else None


def _counted(replay: _Replay) -> dict[Effect, int]:
    counts = Counter(replay.effects.values())
    return {effect: counts[effect] for effect in EFFECTS}


def _stage(replay: _Replay, stage: Stage | None) -> StageTrial:
    reached = [each for each in replay.rows if stage is None or each.reached(stage)]
    stops = [(each, each.stop) for each in reached]
    stopped = [(each, stop) for each, stop in stops if stop is not None and stage in (None, stop.stage)]
    lacks = Counter(each.lacks[stage] for each in reached if stage is not None and stage in each.lacks)
    queries: dict[Effect, list[str]] = {effect: [] for effect in EFFECTS}
    for each, _ in stopped:
        queries[replay.effects[each.found.query.id]].append(each.found.query.id)
    return StageTrial(
        stage=stage,
        reached=len(reached),
        decided=len(reached) - lacks.total(),
        stopped=len(stopped),
        effects={effect: part(len(queries[effect]), n, replay.level) for effect, n in _counted(replay).items()},
        queries={effect: tuple(ids) for effect, ids in queries.items()},
        reasons=dict(Counter(stop.reason for _, stop in stopped).most_common()),
        undecided=dict(lacks.most_common()),
    )


def _removed(found: Iterable[Found]) -> tuple[RemovedPassages, ...]:
    passages, queries = Counter[str](), Counter[str]()
    for each in (removed for one in found for decision in one.decisions for removed in decision.removed):
        passages[each.reason] += each.count
        queries[each.reason] += 1
    return tuple(
        RemovedPassages(reason=reason, passages=count, queries=queries[reason])
        for reason, count in passages.most_common()
    )


def _curves(replay: _Replay, ask: Ask) -> tuple[tuple[Curve, ...], dict[str, str]]:
    """A curve for each name, of the score for each kind: values of two kinds are never compared."""
    curves: list[Curve] = []
    not_swept: dict[str, str] = {}
    for name in ask.sweep:
        of_name = _of_score(replay, ask) if name == SEARCH else _of_grade(replay, ask, name)
        curves += of_name
        if not of_name:
            not_swept[name] = "no score of a known kind is recorded" if name == SEARCH else "no context was graded"
    return tuple(curves), not_swept


def _of_score(replay: _Replay, ask: Ask) -> list[Curve]:
    scored = [each.found for each in replay.rows if each.found.is_scored and each.reached("search")]
    kinds: set[ScoreKind] = {each.kind for each in scored if each.best is not None}
    return [
        curve(
            Sweep("score", kind, kind in ASCENDING, ask.most_false_refusals, replay.level, replay.stored.run.card.seed),
            [Reading(each.query.id, each.best, replay.effects[each.query.id]) for each in scored if each.kind == kind],
        )
        for kind in sorted(kinds)
    ]


def _of_grade(replay: _Replay, ask: Ask, name: str) -> list[Curve]:
    readings = [
        Reading(each.found.query.id, each.numbers[name], replay.effects[each.found.query.id])
        for each in replay.rows
        if name in each.numbers
    ]
    sweep = Sweep(name, None, False, ask.most_false_refusals, replay.level, replay.stored.run.card.seed)
    return [curve(sweep, readings)] if readings else []


def _notices(stored: StoredRun, documents: Sequence[Document] | None) -> list[Notice]:
    if documents is None:
        message = "no corpus was given, so that the filter was not tried and nothing was removed as not admissible"
        return [Notice(code="filter_not_tried", count=len(stored.queries), message=message)]
    if fingerprint(documents) == stored.run.card.corpus_hash:
        return []
    message = "this corpus is not the one that the run was measured with"
    return [Notice(code="other_corpus", count=len(documents), message=message)]


def _of_contexts(replay: _Replay, ask: Ask) -> list[Notice]:
    stops = ((each.found.query.id, each.stop) for each in replay.rows)
    emptied = [query for query, stop in stops if stop is not None and stop.reason == "nothing_admissible"]
    message = "every passage found was not admissible; a search that filters first might find others"
    found = notice("filtered_afterwards", emptied, message)
    if ask.judge is not None:
        return found
    graded = [(each.found.query, each.found.passages) for each in replay.rows if each.numbers]
    message = "graded by numbers measured on other passages than this contract keeps; --judge embedded grades those"
    return [*found, *notice("graded_on_other_passages", other_contexts(replay.stored, graded), message)]
