"""The decision list: every cause in the order in which the stages of a system can fail, and what to mend."""

from typing import NamedTuple

from ragassay.records.cause import Group


class CauseKind(NamedTuple):
    """What a cause means, which part of the system to mend, and the classic failure that it belongs to."""

    stage: str
    group: Group
    meaning: str


NOTHING: Group = "found nothing"
MUCH: Group = "found too much"
MISSED: Group = "found it and still missed"
OTHER: Group = "other"

CITATION = "citation step"

KINDS: dict[str, CauseKind] = {
    "label_invalid": CauseKind("dataset", OTHER, "the gold is not in this corpus, or nobody who asks may use it"),
    "unsupported_answer": CauseKind("refusal policy", NOTHING, "answered although it must be refused"),
    "split_by_chunking": CauseKind("chunking", NOTHING, "the gold passages are there and none holds the fact"),
    "not_retrieved": CauseKind("embedder", NOTHING, "a source that is needed was not found"),
    "ranked_low": CauseKind("reranker", NOTHING, "a source that is needed was found and ranked too low"),
    "dropped_from_prompt": CauseKind("packing, filter", MUCH, "a source among the first did not enter the prompt"),
    "no_answer": CauseKind("system", OTHER, "failed, broke off or said nothing"),
    "asked_back": CauseKind("prompt", MISSED, "asked back instead of deciding"),
    "false_refusal": CauseKind("prompt, refusal policy", MISSED, "refused although answerable"),
    "incomplete": CauseKind("prompt, generator", MISSED, "the fact was in the prompt and the answer does not state it"),
    "misled_by_noise": CauseKind("prompt, k", MUCH, "states the opposite of the reference, from a passage"),
    "hallucinated": CauseKind("generator", MISSED, "states what no passage holds"),
    "wrong_specificity": CauseKind("prompt", MISSED, "says less than the fact: true, and too general"),
    "faithful_but_false": CauseKind("sources", OTHER, "true to the passages and false: the source is wrong"),
    "citation_missing": CauseKind(CITATION, OTHER, "a statement names no source"),
    "citation_dangling": CauseKind(CITATION, OTHER, "cites what does not exist"),
    "citation_superseded": CauseKind(CITATION, OTHER, "cites a revision not in force"),
    "citation_forbidden": CauseKind(CITATION, OTHER, "cites what the requester may not read"),
    "citation_not_applicable": CauseKind(CITATION, OTHER, "cites a document of another scope"),
    "citation_wrong_source": CauseKind(CITATION, OTHER, "cites a passage, and another one says it"),
    "citation_contradicting": CauseKind(CITATION, OTHER, "cites a passage that says the opposite"),
    "citation_unrelated": CauseKind(CITATION, OTHER, "cites a passage that does not say it"),
    "superseded_used": CauseKind("index", OTHER, "a revision not in force was used"),
    "forbidden_used": CauseKind("access filter", OTHER, "a source was used that the requester may not read"),
    "judge_uncertain": CauseKind("human review", OTHER, "the judge is unsure, or judges differ"),
    "undecided": CauseKind("recording", OTHER, "wrong, and what was recorded does not tell why"),
}
"""Earlier wins. A redundant citation is no failure: it counts as supported."""
