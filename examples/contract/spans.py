"""A contract in traces: the spans of one request, as an exporter is given them."""

from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from plant import ASSEMBLY, CHUNKS, DOCUMENTS, QUESTION, TERMS, model

from ragassay.contract import Request
from ragassay.contract.adapters.opentelemetry import TracedContract
from ragassay.records import Result

exporter = InMemorySpanExporter()
provider = TracerProvider()
provider.add_span_processor(SimpleSpanProcessor(exporter))
traced = TracedContract(TERMS, DOCUMENTS, score_kind="similarity", tracer=provider.get_tracer("plant"))


def search(request: Request) -> list[Result]:
    return [
        Result(document=document, revision=revision, score=0.9, text=text)
        for (document, revision), text in CHUNKS.items()
        if request.admissible.allows(document, revision)
    ]


def generate(request: Request) -> str:
    return model(request.question)


guarded = traced.guard(search=search, generate=generate)

if __name__ == "__main__":
    guarded(QUESTION, requester=ASSEMBLY)
    for span in exporter.get_finished_spans():
        attributes = span.attributes or {}
        print(f"{span.name}: {attributes.get('ragassay.contract.outcome')}, {attributes['openinference.span.kind']}")
