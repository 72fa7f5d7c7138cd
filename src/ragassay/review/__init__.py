"""What people should decide of a run: out to them, sorted by what would change a verdict most, and their labels in."""

from ragassay.review.disputes import disputed
from ragassay.review.labelling import Conflict, Taken, keep, labels_of, labels_open, queue, sample, take

__all__ = ["Conflict", "Taken", "disputed", "keep", "labels_of", "labels_open", "queue", "sample", "take"]
