from ragassay.statistics.votes import majority


def test_a_tie_has_no_majority():
    assert majority(["supports", "neutral"]) is None
    assert majority(["supports", "neutral", "neutral"]) == "neutral"
    assert majority([True, False, False]) is False
    assert majority([]) is None
