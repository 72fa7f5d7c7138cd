"""The words of the instrument as frozen records. Nothing here computes."""

from ragassay.records.answer import Answer, Citation, Result, ScoreKind
from ragassay.records.document import EVERYONE, Document, Status, is_applicable, is_current, may_read
from ragassay.records.faults import ExitCode, Fault, FaultyInput
from ragassay.records.measurement import Aggregation, Errored, Estimate, Interval, Measured, Measurement, Undefined
from ragassay.records.query import Query, Relevance, Requester
from ragassay.records.run import (
    Breakage,
    CriticalResult,
    DatasetCard,
    Exclusion,
    Findings,
    NoiseRow,
    Notice,
    Run,
    RunCard,
    Summary,
    Ties,
    Unit,
)

__all__ = [
    "EVERYONE",
    "Aggregation",
    "Answer",
    "Breakage",
    "Citation",
    "CriticalResult",
    "DatasetCard",
    "Document",
    "Errored",
    "Estimate",
    "Exclusion",
    "ExitCode",
    "Fault",
    "FaultyInput",
    "Findings",
    "Interval",
    "Measured",
    "Measurement",
    "NoiseRow",
    "Notice",
    "Query",
    "Relevance",
    "Requester",
    "Result",
    "Run",
    "RunCard",
    "ScoreKind",
    "Status",
    "Summary",
    "Ties",
    "Undefined",
    "Unit",
    "is_applicable",
    "is_current",
    "may_read",
]
