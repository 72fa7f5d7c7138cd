"""A contract in traces: a span for a request and one for every stage, named as OpenInference and GenAI name things."""

from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, Self, TypedDict, Unpack

try:
    from opentelemetry.trace import INVALID_SPAN, Span, Status, StatusCode, Tracer, get_tracer
except ImportError as missing:
    raise ImportError(
        "the OpenTelemetry adapter needs the package opentelemetry-api: pip install 'ragassay[otel]'",
        name="opentelemetry",
    ) from missing

from ragassay.contract.adapters.attributes import KIND, OWN, decided, encodable, evaluated, failure, retrieved
from ragassay.contract.contract import Contract
from ragassay.contract.guarding import Grounds
from ragassay.contract.judges import Judges
from ragassay.contract.recording import Recorder
from ragassay.contract.request import Request
from ragassay.formats.contract import load_terms
from ragassay.records import Citation, Decision, Document, Result, ScoreKind, Stage, Terms

__all__ = ["TracedContract", "TracedRequest", "Tracing"]


class Tracing(NamedTuple):
    """Where spans go. `texts`: question, passages and answer are put on them, which the requester may not expect."""

    tracer: Tracer
    texts: bool = False


class Options(TypedDict, total=False):
    """What a `Contract` takes beside its terms and documents."""

    score_kind: ScoreKind | None
    judges: str | Judges | Callable[[], Judges]
    recorder: Recorder | None


class TracedContract(Contract):
    """A contract whose requests and stages are spans; it stands wherever a `Contract` does, adapters included.

    Without a tracer the global tracer provider's is used. Spans hold ids, scores, numbers and codes, and no text
    unless `texts`. A stop is a decision and no error; a stage that could not be checked has the status ERROR.
    """

    def __init__(
        self,
        terms: Terms,
        documents: Iterable[Document] | None = None,
        *,
        tracer: Tracer | None = None,
        texts: bool = False,
        **options: Unpack[Options],
    ) -> None:
        super().__init__(terms, documents, **options)
        self._tracing = Tracing(tracer or get_tracer(OWN), texts)

    @classmethod
    def load(
        cls,
        path: str | Path,
        documents: Iterable[Document] | None = None,
        *,
        tracer: Tracer | None = None,
        texts: bool = False,
        **options: Unpack[Options],
    ) -> Self:
        """The contract of a TOML file. Raises `FaultyInput` with everything that is wrong in it."""
        return cls(load_terms(path), documents, tracer=tracer, texts=texts, **options)

    def request(self, question: str, **grounds: Unpack[Grounds]) -> "TracedRequest":
        """A request on its way, seen by the tracer."""
        return TracedRequest.of(super().request(question, **grounds), self._tracing)


class TracedRequest(Request):
    """A request that opens a span per stage, and as a context manager one around them all."""

    _tracing: Tracing
    _around: AbstractContextManager[Span] | None = None
    _root: Span = INVALID_SPAN

    @classmethod
    def of(cls, request: Request, tracing: Tracing) -> Self:
        """The same request, not begun, under the eyes of a tracer."""
        traced = cls(request._means, request._asked, request.admissible)
        traced._tracing = tracing
        return traced

    def rewrite(self, question: str) -> Decision:
        with self._stage("rewrite") as span:
            return self._told(span, super().rewrite(question))

    def expand(self) -> Decision:
        with self._stage("expand") as span:
            return self._told(span, super().expand())

    def filter(self) -> Decision:
        with self._stage("filter") as span:
            return self._told(span, super().filter())

    def search(self, results: Iterable[Result]) -> Decision:
        with self._stage("search") as span:
            decision = super().search(results)
            span.set_attributes(retrieved(self, self._tracing.texts))
            return self._told(span, decision)

    def grade(self) -> Decision:
        with self._stage("grade") as span:
            return self._told(span, super().grade())

    async def agrade(self) -> Decision:
        with self._stage("grade") as span:
            return self._told(span, await super().agrade())

    def verify(self, answer: str, citations: Sequence[Citation] | None = None) -> Decision:
        with self._stage("verify") as span:
            return self._told(span, super().verify(answer, citations))

    async def averify(self, answer: str, citations: Sequence[Citation] | None = None) -> Decision:
        with self._stage("verify") as span:
            return self._told(span, await super().averify(answer, citations))

    def __enter__(self) -> Self:
        self._around = self._span("contract")
        self._root = self._around.__enter__()
        return super().__enter__()

    def __exit__(
        self, kind: type[BaseException] | None, raised: BaseException | None, trace: TracebackType | None
    ) -> None:
        reply = self.reply
        self._root.set_attributes({KIND: "CHAIN", f"{OWN}.outcome": reply.outcome, **self._named()})
        if self._tracing.texts:
            self._root.set_attributes({"input.value": encodable(self.question), "output.value": encodable(reply.text)})
        if kind is not None:
            self._root.set_status(Status(StatusCode.ERROR, kind.__name__))
        super().__exit__(kind, raised, trace)
        if self._around is not None:
            self._around.__exit__(None, None, None)

    def _span(self, name: str) -> AbstractContextManager[Span]:
        """A span that never takes over the text of an exception."""
        tracer = self._tracing.tracer
        return tracer.start_as_current_span(name, record_exception=False, set_status_on_exception=False)

    @contextmanager
    def _stage(self, stage: Stage) -> Generator[Span]:
        """The span of a stage; after a stop no stage runs, and there is none."""
        if self.stop is not None:
            yield INVALID_SPAN
            return
        with self._span(f"contract {stage}") as span:
            yield span

    def _told(self, span: Span, decision: Decision) -> Decision:
        span.set_attributes({**decided(decision), **self._named()})
        cause = failure(decision)
        if cause is not None:
            span.set_attribute("error.type", cause)
            span.set_status(Status(StatusCode.ERROR, cause))
        for evaluation in evaluated(decision):
            span.add_event("gen_ai.evaluation.result", evaluation)
        return decision

    def _named(self) -> dict[str, str]:
        trail = self.trail
        return {f"{OWN}.name": trail.contract, f"{OWN}.version": trail.version, f"{OWN}.hash": trail.hash}
