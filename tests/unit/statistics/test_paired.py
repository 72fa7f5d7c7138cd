import numpy as np
import pytest

from ragassay.statistics.paired import mcnemar_exact, sign_flip


def p_value(differences: list[float], seed: int = 1, resamples: int = 4_000) -> float:
    (p,) = sign_flip(np.array(differences).reshape(-1, 1), seed, resamples)
    return float(p)


def test_equal_systems_do_not_differ() -> None:
    assert p_value([0.0] * 50) == 1.0
    assert p_value([0.3, -0.3] * 50) == 1.0


@pytest.mark.parametrize("n", [1, 5, 15])
def test_differences_of_one_sign_are_enumerated(n: int) -> None:
    assert p_value([0.1] * n) == 2 / 2**n


def test_zero_differences_change_nothing() -> None:
    assert p_value([0.2, -0.1, 0.4]) == p_value([0.0, 0.2, 0.0, -0.1, 0.4] + [0.0] * 100)


def test_sums_equal_on_paper_count_as_equal() -> None:
    # |0.1 + 0.2 - 0.3| is not 0 in floating point; each of the eight sums reaches the observed 0.
    assert p_value([0.1, 0.2, -0.3]) == 1.0


def test_a_sampled_p_value_is_never_zero() -> None:
    assert p_value([1.0] * 200, resamples=999) == 1 / 1000


def test_sampling_and_enumeration_agree() -> None:
    differences = [0.3, -0.1, 0.25, 0.4, -0.2, 0.15, 0.05, -0.35, 0.5, 0.1, -0.05, 0.2, 0.3, 0.12, 0.08]
    # A sixteenth difference too small to matter forces sampling; 4 Monte-Carlo standard errors.
    assert p_value([*differences, 1e-9], resamples=20_000) == pytest.approx(p_value(differences), abs=0.007)


def test_a_neighbour_changes_no_p_value() -> None:
    differences = np.random.Generator(np.random.PCG64(3)).normal(0.1, 1.0, size=(60, 3))
    assert sign_flip(differences, 1)[0] == sign_flip(differences[:, :1], 1)[0]


def test_p_values_are_uniform_under_no_difference() -> None:
    differences = np.random.Generator(np.random.PCG64(9)).normal(size=(40, 400))
    rejected = np.mean(sign_flip(differences, 2, 1_000) <= 0.05)
    assert 0.02 <= rejected <= 0.08


def test_faults_are_named_with_their_place() -> None:
    with pytest.raises(ValueError, match="1 differences are not finite, the first, nan, at row 1, column 0"):
        sign_flip(np.array([[0.1], [np.nan]]), 1)
    with pytest.raises(ValueError, match=r"shape \(2,\)"):
        sign_flip(np.array([0.1, 0.2]), 1)
    with pytest.raises(ValueError, match="resamples is 0"):
        sign_flip(np.zeros((2, 1)), 1, 0)


@pytest.mark.parametrize(("b", "c", "p"), [(0, 0, 1.0), (5, 5, 1.0), (0, 5, 2 / 32), (1, 4, 12 / 32)])
def test_mcnemar_of_few_discordant_queries(b: int, c: int, p: float) -> None:
    assert mcnemar_exact(b, c) == pytest.approx(p)
    assert mcnemar_exact(c, b) == mcnemar_exact(b, c)


def test_mcnemar_refuses_negative_counts() -> None:
    with pytest.raises(ValueError, match="b is -1"):
        mcnemar_exact(-1, 3)
