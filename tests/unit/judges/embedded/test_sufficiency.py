"""A code that the question names and the context does not."""

import pytest

from ragassay.judges.embedded import EmbeddedJudge
from ragassay.judges.embedded.sufficiency import lacks_a_code
from ragassay.judges.together import finished


@pytest.mark.parametrize(
    ("question", "passages", "lacks"),
    [
        ("Which torque do the M30 bolts take?", ["M12 bolts take 80 N·m."], True),
        ("Which torque do the M12 bolts take?", ["M12 bolts take 80 N·m."], False),
        ("Which torque do the M12 bolts of the K-9 take?", ["M12 bolts take 80 N·m.", "The K-9 is blue."], False),
        ("скока масла лить в к9", ["В K-9 заливают 7,5 л масла."], False),
        ("Which torque do the m12 bolts take?", ["M120 bolts take 80 N·m."], True),
        ("Which torque do the bolts take in 2025?", ["The bolts take 80 N·m."], False),
        ("Через сколько часов меняют масло на «Веге-500»?", ["«Вега-500»: масло меняют через 3000 часов."], False),
        ("How loud is the 8D line on the 2nd floor?", ["Nothing."], False),
        ("How loud may the K‑12 be?", [], True),
    ],
)
def test_a_code_is_missed(question: str, passages: list[str], lacks: bool):
    assert lacks_a_code(question, passages) is lacks


def test_little_is_left_of_a_context_that_lacks_the_code():
    judge = EmbeddedJudge(with_cross_encoder=False)
    passage = "The K-7 gearbox takes 4.5 litres of oil."
    same = finished(judge.sufficiency("How many litres of oil does the K-7 gearbox take?", [passage]))
    other = finished(judge.sufficiency("How many litres of oil does the K-12 gearbox take?", [passage]))
    assert other < 0.5 * same
