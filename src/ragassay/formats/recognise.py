"""Which known form the fields of a file belong to."""

from collections.abc import Iterable, Sequence

from ragassay.formats import beir, long
from ragassay.formats.azure import azure_form
from ragassay.formats.deepeval import deepeval_form
from ragassay.formats.own import CORPUS, Form, own_form
from ragassay.formats.ragas import ragas_form
from ragassay.formats.ragchecker import ragchecker_form
from ragassay.formats.reading import Reading, near_miss, shown
from ragassay.records import FaultyInput, Unit

LONG = (long.QRELS, long.BEIR_QRELS, long.RUN)
DOCUMENTS = (CORPUS, beir.CORPUS)
SHOWN_NAMES = 12


def row_forms(unit: Unit) -> tuple[Form, ...]:
    """Every form with one row for each query, the most particular first."""
    own = own_form(unit)
    foreign = (azure_form, ragchecker_form, ragas_form, deepeval_form, beir.beir_form)
    return (*(form(own.fields) for form in foreign), own)


def recognise(names: Iterable[str], forms: Sequence[Form], reading: Reading) -> Form:
    """The first form of which a sign is present, else our own (the last) where it knows every field and one is `id`.

    Raises `FaultyInput` that names the fields and the nearest form.
    """
    present = frozenset(names)
    for form in forms:
        if any(sign <= present for sign in form.signs):
            return form
    own = forms[-1]
    if "id" in present and present <= own.fields.keys():
        return own
    raise _unrecognised(sorted(present), forms, reading)


def _unrecognised(present: list[str], forms: Sequence[Form], reading: Reading) -> FaultyInput:
    def likeness(form: Form) -> int:
        return len(meant(form)) + sum(name in form.fields for name in present)

    def meant(form: Form) -> dict[str, str]:
        known = tuple(form.fields)
        return {name: near for name in present if (near := near_miss(name, known))}

    nearest = max(reversed(forms), key=likeness)
    hints = "; ".join(
        f"did you mean {near} for {shown(name)}?" for name, near in list(meant(nearest).items())[:SHOWN_NAMES]
    )
    more = f" and {len(present) - SHOWN_NAMES} more" if len(present) > SHOWN_NAMES else ""
    smallest = min(nearest.signs, key=lambda sign: (len(sign), sorted(sign)))
    return reading.stop(
        "unknown_form",
        "the fields belong to no known form",
        value=", ".join(shown(name) for name in present[:SHOWN_NAMES]) + more,
        expected=f"for example the form {nearest.name} with {', '.join(sorted(smallest))}",
        remedy=hints or "rename the fields, or convert the file to one of the known forms",
    )
