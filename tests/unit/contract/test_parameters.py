"""What a question names, and whether a text mentions it."""

import pytest

from ragassay.contract.parameters import missing, parameters


@pytest.mark.parametrize(
    ("question", "named"),
    [
        ("Каким моментом затягивать болты M12 на фланце корпуса K-7?", ("M12", "K-7")),
        ("Где хранят герметик ГП-3 по ГОСТ 9150?", ("ГП-3", "ГОСТ 9150")),
        ("What does ISO 9001 say of the “red pump” in Berlin in 2025?", ("ISO 9001", "red pump", "Berlin", "2025")),
        ("Кто начальник склада «Озёрный»?", ("Озёрный",)),
        ("Who pays?", ()),
        ("Is it 5.5 or 37,5 mm? Which one?", ("5.5", "37,5")),
        ("K-7, k-7 and K-7", ("K-7",)),
        ("A1 A2 A3 A4 A5 A6 A7", ("A1", "A2", "A3", "A4", "A5")),
        ("", ()),
    ],
)
def test_codes_numbers_quotations_and_names_are_parameters(question: str, named: tuple[str, ...]):
    assert parameters(question) == named


@pytest.mark.parametrize(
    ("named", "text", "is_missing"),
    [
        ("K-7", "The k-7 gearbox", False),
        ("K-7", "The K-70 gearbox", True),
        ("M12", "M120 and AM12", True),
        ("2025", "in 2025.", False),
        ("2025", "in 12025", True),
        ("Озёрный", "на площадке Озёрного", False),
        ("Berlin", "Berliner", False),
        ("Bern", "Berlin", True),
        ("ISO 9001", "ISO: see 9001", False),
        ("ISO 9001", "ISO 9002", True),
        (".*(", "anything", True),
    ],
)
def test_words_may_differ_in_their_ending_and_codes_in_nothing(named: str, text: str, is_missing: bool):
    assert missing([named], ["other", text]) == ((named,) if is_missing else ())
