"""Prints what ppi-python says of the judged queries below. Run it where that package is installed:

python -m venv /tmp/ppi && /tmp/ppi/bin/pip install ppi-python==0.2.3 && /tmp/ppi/bin/python tests/oracles/ppi_python.py
"""

import sys

import numpy as np

RATES = ((0.7, 0.9, 0.8), (0.85, 0.8, 0.6), (0.6, 0.55, 0.5), (0.9, 0.97, 0.9))
"""Of what is true, of true claims called so, of false claims called so: a good, a usual, a useless, a fine judge."""
LABELLED, QUERIES = 400, 4_000


def judged(seed):
    """(truth, said), each (QUERIES,) of 0 and 1; the first LABELLED are labelled."""
    rate, hits, rejects = RATES[seed]
    draws = np.random.Generator(np.random.PCG64(seed)).random((2, QUERIES))
    truth = draws[0] < rate
    said = np.where(truth, draws[1] < hits, draws[1] > rejects)
    return truth.astype(np.float64), said.astype(np.float64)


def main():
    from ppi_py import ppi_mean_ci, ppi_mean_pointestimate

    for seed in range(len(RATES)):
        truth, said = judged(seed)
        parts = truth[:LABELLED], said[:LABELLED], said[LABELLED:]
        low, high = ppi_mean_ci(*parts, alpha=0.05)
        value = float(ppi_mean_pointestimate(*parts)[0])
        sys.stdout.write(f"({value!r}, {float(low[0])!r}, {float(high[0])!r}),\n")


if __name__ == "__main__":
    main()
