"""Observations and judgements as columns: the evidence on which every metric is counted."""

from ragassay.matrices.build import build, unknown_queries
from ragassay.matrices.cases import case_of, cases, texts_of
from ragassay.matrices.judged import with_judgements
from ragassay.matrices.labelled import with_labels
from ragassay.matrices.schema import RECORDED, SCHEMAS, Matrices

__all__ = [
    "RECORDED",
    "SCHEMAS",
    "Matrices",
    "build",
    "case_of",
    "cases",
    "texts_of",
    "unknown_queries",
    "with_judgements",
    "with_labels",
]
