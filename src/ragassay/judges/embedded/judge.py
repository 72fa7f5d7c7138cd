"""The embedded judge: offline, on a CPU, in English and Russian. It screens; people confirm what matters."""

import asyncio
import hashlib
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple, TypeVar

import msgspec
import numpy as np

from ragassay.judges.embedded.analysis import Analysis, analyse
from ragassay.judges.embedded.checks import Checker, Finding, is_contrary
from ragassay.judges.embedded.cross_encoder import CrossEncoder
from ragassay.judges.embedded.cross_encoder import Reading as Reread
from ragassay.judges.embedded.embedder import UseEmbedder, Vectors
from ragassay.judges.embedded.features import features, open_words
from ragassay.judges.embedded.network import Array, Network, probability
from ragassay.judges.embedded.pairing import Pairing, pairing
from ragassay.judges.embedded.sufficiency import lacks_a_code, sufficiency_features
from ragassay.judges.embedded.words import Stemmer
from ragassay.judges.protocol import Pair, Reading, Statement
from ragassay.records import Failure, JudgeCard, Opinion, Stance, Usage
from ragassay.text.language import language_of
from ragassay.text.statements import statements

WEIGHTS = Path(__file__).with_name("weights")
_ARRAYS, _SETTINGS = "combination.npz", "combination.json"
_NAME, _VERSION = "embedded", "2"
_MOST_KEPT = 2_000
_DIGITS = 4
_MISSING_SHOWN = 4
_ASKING, _CLOSING = ("?", "？"), " \n\t\"'»”’)"
_VETOING = ("number", "unit", "date")
T = TypeVar("T")


class _Settings(msgspec.Struct, frozen=True):
    """What was fitted beside the arrays.

    From `threshold` on a claim counts as supported; between `low` and `high` people decide; outside
    `open_low`..`open_high` the layers before the cross-encoder decide alone. `veto` is what is left of the probability
    of a claim with an amount or date that the text does not have, and of an answer without a code of its question.
    """

    threshold: float
    low: float
    high: float
    open_low: float
    open_high: float
    veto: float


class _Draft(NamedTuple):
    """A pair with what is found about it so far, as log-odds; `is_contrary` tells that the text says otherwise."""

    pair: Pairing
    findings: list[Finding]
    row: Array
    supports: float
    contradicts: float
    is_contrary: bool


class EmbeddedJudge:
    """Judges a claim beside one passage by evidence sentences, rules, word alignment and a small cross-encoder.

    Each pair is judged by itself, so neither the order nor the company of passages changes an opinion. A fact that
    needs two passages is judged by giving both as one text, a blank line between them. All work is done in threads of
    the judge's own, so that an event loop goes on: one that alone knows what was read before, and one for the
    cross-encoder, which shares nothing with it.
    """

    def __init__(
        self,
        *,
        weights: Path = WEIGHTS,
        with_cross_encoder: bool = True,
        threads: int = 2,
    ) -> None:
        """Loads everything at once; without the cross-encoder's weights in the folder the cheap layers judge alone."""
        with np.load(weights / _ARRAYS, allow_pickle=False) as stored:
            arrays = {name: stored[name] for name in stored.files}
        names = sorted({name.split("/")[0] for name in arrays})
        self._networks = {name: Network.read(arrays, name) for name in names}
        self._settings = msgspec.json.decode((weights / _SETTINGS).read_bytes(), type=_Settings)
        self._cross = (
            CrossEncoder(weights, threads=threads) if with_cross_encoder and CrossEncoder.is_in(weights) else None
        )
        self._embedder = UseEmbedder()
        self._stemmer = Stemmer()
        self._checker = Checker(self._stemmer)
        self._analyses: dict[str, Analysis] = {}
        self._fingerprint = _fingerprint(weights)
        self._thread = ThreadPoolExecutor(1, thread_name_prefix=_NAME)
        self._reader = ThreadPoolExecutor(1, thread_name_prefix=_NAME)

    @property
    def card(self) -> JudgeCard:
        return JudgeCard(
            name=_NAME,
            kind="embedded",
            version=_VERSION,
            screens=True,
            settings={
                "embedder": self._embedder.name,
                "cross_encoder": "yes" if self._cross else "no",
                "weights": self._fingerprint,
                "threshold": f"{self._settings.threshold:.4f}",
                "band": f"{self._settings.low:.4f}..{self._settings.high:.4f}",
            },
        )

    async def read(self, text: str, question: str) -> Reading:  # noqa: ARG002
        """The checkable statements of a text, verbatim. A rule-based reader writes no questions."""
        found = (Statement(text[span.start : span.end], span.start, span.end) for span in statements(text))
        return Reading(statements=tuple(found))

    async def verify(
        self, claims: Sequence[str], texts: Sequence[str], pairs: Sequence[Pair]
    ) -> list[Opinion | Failure]:
        """One opinion per pair, in order. A claim without words is a `Failure`; an empty text supports nothing."""
        drafts = await self._apart(self._drafts, claims, texts, pairs)
        open_ = {
            place: draft for place, draft in enumerate(drafts) if isinstance(draft, _Draft) and self._is_open(draft)
        }
        read: Mapping[int, Reread] = {}
        if self._cross is not None and open_:
            asked = [(draft.pair.reworded, draft.pair.passage.text) for draft in open_.values()]
            said = await asyncio.get_running_loop().run_in_executor(self._reader, self._cross.read, asked)
            read = dict(zip(open_, said, strict=True))
        return await self._apart(self._decided, drafts, read)

    async def relevance(self, question: str, texts: Sequence[str]) -> list[float]:
        """For each text the calibrated probability that it is about the question."""
        return await self._apart(self._related, question, texts)

    async def sufficiency(self, question: str, passages: Sequence[str]) -> float:
        """Calibrated probability that some passage holds the answer; 0 without passages. Little of it is left where the
        question names a code that stands in none of them.
        """
        return await self._apart(self._sufficient, question, passages)

    async def encode(self, texts: Sequence[str]) -> Vectors:
        """The vectors of `UseEmbedder`."""
        return await self._apart(self._embedder.encode, texts)

    def spent(self) -> Usage:
        """Nothing is called and nothing is paid."""
        return Usage(calls=0, input_tokens=0, output_tokens=0, cost=0.0)

    async def close(self) -> None:
        """Nothing is held open."""

    async def _apart(self, work: Callable[..., T], *given: object) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._thread, work, *given)

    def _related(self, question: str, texts: Sequence[str]) -> list[float]:
        asked, read = self._analysed([question])[0], self._analysed(texts)
        return [self._topical(asked, passage) for passage in read]

    def _sufficient(self, question: str, passages: Sequence[str]) -> float:
        asked, read = self._analysed([question])[0], self._analysed(passages)
        network = self._networks["sufficiency"]
        rows = [sufficiency_features(asked, passage) for passage in read if passage.sentences]
        best = max((probability(float(network.log_odds(row[None])[0])) for row in rows), default=0.0)
        return _rounded(best * (self._settings.veto if lacks_a_code(question, passages) else 1.0))

    def _analysed(self, texts: Sequence[str]) -> list[Analysis]:
        fresh = [text for text in dict.fromkeys(texts) if text not in self._analyses]
        if len(self._analyses) + len(fresh) > _MOST_KEPT:
            self._analyses.clear()
            fresh = list(dict.fromkeys(texts))
        self._analyses.update(zip(fresh, analyse(fresh, self._stemmer, self._embedder), strict=True))
        return [self._analyses[text] for text in texts]

    def _topical(self, question: Analysis, passage: Analysis) -> float:
        if not passage.sentences or not question.sentences:
            return 0.0
        cosine = _rounded(float(np.max(passage.vectors @ question.vector)))
        return _rounded(probability(float(self._networks["relevance"].log_odds(np.asarray([[cosine]]))[0])))

    def _drafts(
        self, claims: Sequence[str], texts: Sequence[str], pairs: Sequence[Pair]
    ) -> list[_Draft | Opinion | Failure]:
        read_claims, read_texts = self._analysed(claims), self._analysed(texts)
        ready = [pairing(read_claims[claim], read_texts[text]) for claim, text in pairs]
        self._embedder.words([word for pair in ready for side in open_words(pair) for word in side])
        return [self._draft(pair) for pair in ready]

    def _decided(
        self, drafts: Sequence[_Draft | Opinion | Failure], read: Mapping[int, Reread]
    ) -> list[Opinion | Failure]:
        weighed = [
            self._weighed(draft, read[place]) if isinstance(draft, _Draft) and place in read else draft
            for place, draft in enumerate(drafts)
        ]
        return [self._opinion(draft) if isinstance(draft, _Draft) else draft for draft in weighed]

    def _draft(self, pair: Pairing) -> _Draft | Opinion | Failure:
        """What rules and alignment say."""
        if not pair.claim.words:
            return Failure(error="claim_without_words", detail="a claim needs at least one word or number")
        if pair.evidence.best is None:
            return Opinion(verdict="neutral", probability=0.0, reason="the text is empty", judge=_NAME)
        if (empty := _states_nothing(pair.claim)) is not None:
            return Opinion(verdict="neutral", probability=0.0, reason=f"{empty} states nothing", judge=_NAME)
        findings = self._checker.findings(pair)
        row = features(pair, findings, self._embedder)
        odds = self._odds("supports", row), self._odds("contradicts", row)
        return _Draft(pair, findings, row, *odds, is_contrary=is_contrary(pair, findings))

    def _is_open(self, draft: _Draft) -> bool:
        """Whether the cross-encoder is asked: about what is unclear, and what looks denied with no proof."""
        supports = probability(draft.supports)
        is_suspected = draft.contradicts > 0 and not draft.is_contrary and supports < self._settings.open_low
        return is_suspected or self._settings.open_low <= supports <= self._settings.open_high

    def _weighed(self, draft: _Draft, read: Reread) -> _Draft:
        """The draft weighed anew with what the cross-encoder reads."""
        row = np.asarray([draft.supports, draft.contradicts, read.supports, read.contradicts, *draft.row])
        odds = {"supports": self._odds("both_supports", row), "contradicts": self._odds("both_contradicts", row)}
        return draft._replace(**odds, is_contrary=draft.is_contrary or read.contradicts > 0)

    def _odds(self, network: str, row: Array) -> float:
        return float(self._networks[network].log_odds(row[None])[0])

    def _opinion(self, draft: _Draft) -> Opinion:
        is_vetoed = any(finding.kind in _VETOING for finding in draft.findings)
        supports = _rounded(probability(draft.supports) * (self._settings.veto if is_vetoed else 1.0))
        # What a text does not speak of it does not contradict, however little it supports it.
        most = 1.0 - supports if draft.is_contrary else (1.0 - supports) / 2
        contradicts = _rounded(min(probability(draft.contradicts), most))
        verdict = self._verdict(supports, contradicts)
        best = draft.pair.evidence.best
        return Opinion(
            verdict=verdict,
            probability=supports,
            contradiction=contradicts,
            quote=best.text if best else None,
            reason=None if verdict == "supports" else _reason(draft.pair, draft.findings),
            disputed=self._settings.low <= supports <= self._settings.high or _is_across(draft.pair),
            judge=_NAME,
        )

    def _verdict(self, supports: float, contradicts: float) -> Stance:
        if supports >= self._settings.threshold:
            return "supports"
        return "contradicts" if contradicts > max(supports, 1.0 - supports - contradicts) else "neutral"


def _states_nothing(claim: Analysis) -> str | None:
    if claim.text.rstrip(_CLOSING).endswith(_ASKING):
        return "a question"
    return "a single word" if len(claim.words) == 1 else None


def _is_across(pair: Pairing) -> bool:
    """Whether claim and text are in the two languages, between which nothing was calibrated."""
    return {language_of(pair.claim.text), language_of(pair.passage.text)} == {"en", "ru"}


def _rounded(value: float) -> float:
    return round(value, _DIGITS)


def _reason(pair: Pairing, findings: Sequence[Finding]) -> str | None:
    if findings:
        return "; ".join(dict.fromkeys(finding.reason for finding in findings))
    missing = open_words(pair)[0]
    shown = ", ".join(f'"{word}"' for word in missing[:_MISSING_SHOWN])
    return f"not in the nearest sentences: {shown}" if missing else None


def _fingerprint(folder: Path) -> str:
    """SHA-256 over the weight files, by name."""
    found = hashlib.sha256()
    for path in sorted(path for path in folder.iterdir() if path.suffix in (".json", ".npz", ".onnx")):
        found.update(path.name.encode() + hashlib.sha256(path.read_bytes()).digest())
    return f"sha256:{found.hexdigest()[:16]}"
