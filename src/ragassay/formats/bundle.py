"""What a set of files held."""

from msgspec import Struct

from ragassay.records import Answer, AnyLabel, DatasetCard, Document, Notice, Query


class Bundle(Struct, frozen=True, kw_only=True):
    """Records read from one or more files, in file order.

    `documents` None means that no corpus was given. `labels` are what people say of these answers. `notices` say what a
    reader must know about the files; `inputs` name each file with the form and the encoding in which it was read:
    `answers.jsonl (own JSON, utf-8)`.
    """

    queries: tuple[Query, ...] = ()
    answers: tuple[Answer, ...] = ()
    documents: tuple[Document, ...] | None = None
    labels: tuple[AnyLabel, ...] = ()
    card: DatasetCard = DatasetCard()
    notices: tuple[Notice, ...] = ()
    inputs: tuple[str, ...] = ()
