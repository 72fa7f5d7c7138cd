"""The decision list once more, query by query and without columns: slow, plain, and written apart from the product."""

from ragassay.causes import KINDS

SPOKEN = ("answered", "partial", "unreadable")


class Seen:
    """The rows of one query."""

    def __init__(self, matrices, query):
        self.state = next(row for row in matrices.queries.to_dicts() if row["query"] == query)
        for name in ("gold", "retrieval", "claims", "support", "entailment", "citations", "abstention"):
            setattr(self, name, [row for row in getattr(matrices, name).to_dicts() if row["query"] == query])
        self.observed = self.abstention[0]["observed"]
        self.expected = self.abstention[0]["expected"]
        self.spoke = self.observed in SPOKEN
        packed = [row for row in self.retrieval if row["stage"] == "packed"]
        retrieved = [row for row in self.retrieval if row["stage"] == "retrieved"]
        size = self.state["context_size"] or 0
        self.context = packed or [row for row in retrieved if row["position"] <= size]
        self.is_packed = bool(packed) or bool(retrieved and self.state["context_size"] == 0)
        self.has_support = self.state["support"] == "recorded"


def may_use(row):
    return row["readable"] is not False and row["in_force"] is not False


class Verdicts:
    """What was judged of one claim."""

    def __init__(self, seen, claim):
        def of_claim(row):
            return row["side"] == claim["side"] and row["claim"] == claim["claim"]

        barred = {row["position"] for row in seen.context if row["readable"] is False}
        places = {row["position"] for row in seen.context}
        found = [
            row
            for row in seen.support
            if of_claim(row)
            and row["position"] in places - barred
            and (row["second"] is None or row["second"] in places - barred)
        ]
        said = [row for row in seen.entailment if of_claim(row) and row["other"] != "external"]
        supporting = [row for row in found if row["verdict"] == "supports"]
        self.side, self.text = claim["side"], claim["text"]
        self.in_context = bool(supporting)
        self.context_error = not supporting and any(row["error"] for row in found)
        self.shaky_context = all(row["disputed"] for row in supporting or [{"disputed": False}])
        if not supporting:
            self.shaky_context = any(row["disputed"] for row in found)
        self.correct = any(row["verdict"] == "supports" for row in said) if said else None
        self.opposed = any(row["verdict"] == "contradicts" for row in said)
        self.entailment_error = any(row["error"] for row in said)
        self.shaky_words = any(row["disputed"] for row in said)
        outside = [row for row in seen.entailment if of_claim(row) and row["other"] == "external"]
        self.untrue = any(row["verdict"] == "contradicts" and not row["disputed"] for row in outside)
        self.known = seen.has_support and not self.context_error and not self.shaky_context


def plain_causes(matrices, query, k):
    """Names of every cause of a query, in the order of the list."""
    seen = Seen(matrices, query)
    if seen.state["excluded"] is not None:
        return []
    claims = [Verdicts(seen, row) for row in seen.claims if row["checkable"]]
    required = [claim for claim in claims if claim.side == "required"]
    needed = required or [claim for claim in claims if claim.side == "reference"]
    answer = [claim for claim in claims if claim.side == "answer"]
    wrong, right = correctness(seen, needed, answer)
    lacks = [
        claim for claim in needed if not claim.entailment_error and not claim.shaky_words and claim.correct is False
    ]
    found = set(of_sources(seen, needed, lacks, (wrong, right), k))
    found |= set(of_kind(seen))
    if seen.spoke:
        found |= set(of_claims(needed, lacks, answer, claims))
    found |= set(of_citations(seen))
    found |= {"superseded_used"} if any(row["in_force"] is False for row in seen.context) else set()
    found |= {"forbidden_used"} if any(row["readable"] is False for row in seen.context) else set()
    unsure = any(claim.shaky_context or claim.shaky_words for claim in answer)
    unsure |= any(claim.shaky_words or (claim.shaky_context and claim.correct is False) for claim in needed)
    unsure |= any(row["disputed"] for row in seen.citations if not row["missing"])
    found |= {"judge_uncertain"} if unsure or seen.abstention[0]["disputed"] else set()
    if wrong and not found:
        found = {"undecided"}
    return [name for name in KINDS if name in found]


def correctness(seen, needed, answer):
    """Surely wrong, surely right."""
    if seen.observed is None or seen.expected is None:
        return False, False
    if seen.expected == "refuse":
        return seen.observed != "refused", seen.observed == "refused" and seen.abstention[0]["invented"] == 0
    if not seen.spoke:
        return True, False
    open_ = [claim for claim in needed if claim.entailment_error or claim.correct is None]
    missing = [claim for claim in needed if claim not in open_ and not claim.correct]
    wrong = bool(needed) and bool(missing or any(claim.opposed for claim in answer))
    doubt = bool(open_) or any(claim.entailment_error for claim in answer)
    return wrong, bool(needed) and not wrong and not doubt


def of_sources(seen, needed, lacks, sure, k):
    wrong, right = sure
    if seen.expected == "refuse" or seen.state["retrieval"] != "recorded":
        return
    if seen.state["error"] is not None and not seen.retrieval:
        return
    needs = {}
    for row in seen.gold:
        if row["grade"] > 0:
            needs.setdefault(row["need"], []).append(row)
    usable = {need: rows for need, rows in needs.items() if any(may_use(row) for row in rows)}
    ids = {row["id"] for row in seen.context if may_use(row)}
    met = {need for need, rows in usable.items() if any(may_use(row) and row["id"] in ids for row in rows)}
    known = [claim for claim in lacks if claim.known]
    lost = [claim for claim in known if not claim.in_context]
    stated = needed and all(claim.correct and not claim.entailment_error for claim in needed)
    if known:
        seeks = bool(lost)
    elif right or stated:
        seeks = False
    elif wrong and (not seen.spoke or lacks):
        seeks = True
    else:
        seeks = not met
    if not seeks:
        return
    outside = {need for need, rows in needs.items() if all(row["in_corpus"] is False for row in rows)}
    if outside - met or (needs and not usable):
        yield "label_invalid"
    for need in usable.keys() - met - outside:
        yield where([row["id"] for row in usable[need] if may_use(row)], seen, k)
    if lost and met == usable.keys() and not (needs and not usable):
        yield from elsewhere(usable, seen)


def where(ids, seen, k):
    places = {"retrieved": [], "candidates": []}
    for row in seen.retrieval:
        if row["id"] in ids and may_use(row) and row["stage"] in places:
            rivals = [each for each in seen.retrieval if each["stage"] == row["stage"]]
            better = sum(each["score"] > row["score"] for each in rivals) + 1 if row["rank"] is None else row["rank"]
            places[row["stage"]].append(better)
    if places["retrieved"] and min(places["retrieved"]) <= k and seen.is_packed:
        return "dropped_from_prompt"
    return "ranked_low" if places["retrieved"] or places["candidates"] else "not_retrieved"


def elsewhere(usable, seen):
    if usable:
        ids = {row["id"] for rows in usable.values() for row in rows if may_use(row)}
        hits = [row for row in seen.context if may_use(row) and row["id"] in ids]
        yield "split_by_chunking" if all(row["id"] == row["passage"] for row in hits) else "not_retrieved"
        return
    sizes = {}
    for row in seen.retrieval:
        sizes[row["stage"]] = sizes.get(row["stage"], 0) + 1
    if max(sizes.values(), default=0) <= (seen.state["context_size"] or 0):
        yield "not_retrieved"


def of_kind(seen):
    if seen.observed in ("failed", "empty") or seen.state["error"] is not None:
        yield "no_answer"
    invented = seen.observed == "refused" and (seen.abstention[0]["invented"] or 0) > 0
    if seen.expected == "refuse" and (seen.observed in ("answered", "partial") or invented):
        yield "unsupported_answer"
    if seen.observed == "clarified" and seen.expected is not None:
        yield "asked_back"
    if seen.observed == "refused" and seen.expected == "answer":
        yield "false_refusal"


def of_claims(needed, lacks, answer, claims):
    turned = [claim for claim in claims if claim.opposed and not claim.shaky_words]
    culprits = [claim for claim in answer if claim in turned]
    if turned and not culprits:
        culprits = [claim for claim in answer if claim.correct is False and not claim.shaky_words]
    if any(claim.known and claim.in_context for claim in culprits):
        yield "misled_by_noise"
    for claim in answer:
        doubtful = claim.correct is None or claim.entailment_error or (not claim.correct and not claim.shaky_words)
        if claim.known and not claim.in_context and doubtful:
            yield "hallucinated"
        if claim.known and claim.in_context and claim.untrue:
            yield "faithful_but_false"
    kept = [claim for claim in lacks if claim.known and claim.in_context]
    if kept and not turned:
        references = [claim for claim in claims if claim.side == "reference"]
        follows = all(claim.correct and not claim.shaky_words for claim in answer)
        is_general = len(needed) == 1 and len(references) == 1 and answer and follows
        yield "wrong_specificity" if is_general else "incomplete"


def of_citations(seen):
    for row in seen.citations:
        if row["missing"]:
            if seen.observed in ("answered", "partial"):
                yield "citation_missing"
            continue
        for fault in ("dangling", "superseded", "forbidden", "not_applicable"):
            if row[fault]:
                yield f"citation_{fault}"
        for fault in ("wrong_source", "contradicting", "unrelated"):
            if row[fault] and not row["disputed"]:
                yield f"citation_{fault}"
