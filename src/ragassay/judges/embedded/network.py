"""The fitted weighing: a few dense layers as plain arrays."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

_CLIP = 4.0


@dataclass(frozen=True)
class Network:
    """Inputs standardised and clipped to ±4, dense layers with ReLU between them, log-odds out.

    A logistic regression is a network of one layer. Shapes: `mean`, `scale` (n,), weights (n, h), (h, 1).
    """

    mean: Array
    scale: Array
    layers: tuple[tuple[Array, Array], ...]

    @classmethod
    def read(cls, arrays: Mapping[str, NDArray[np.float32]], name: str) -> "Network":
        """The network stored under `name` in an npz file."""
        depth = sum(key.startswith(f"{name}/weights") for key in arrays)
        layers = tuple((_wide(arrays[f"{name}/weights{n}"]), _wide(arrays[f"{name}/bias{n}"])) for n in range(depth))
        return cls(_wide(arrays[f"{name}/mean"]), _wide(arrays[f"{name}/scale"]), layers)

    def arrays(self, name: str) -> dict[str, NDArray[np.float32]]:
        """The arrays that `read` takes."""
        found = {f"{name}/mean": self.mean, f"{name}/scale": self.scale}
        for number, (weights, bias) in enumerate(self.layers):
            found |= {f"{name}/weights{number}": weights, f"{name}/bias{number}": bias}
        return {key: np.asarray(value, dtype=np.float32) for key, value in found.items()}

    def log_odds(self, rows: Array) -> Array:
        """Shape (m, n) to (m,)."""
        values = np.clip((rows - self.mean) / self.scale, -_CLIP, _CLIP)
        for weights, bias in self.layers[:-1]:
            values = np.maximum(_product(values, weights) + bias, 0.0)
        weights, bias = self.layers[-1]
        return (_product(values, weights) + bias)[:, 0]


def averaged(networks: Sequence[Network]) -> Network:
    """One network whose log-odds are the mean of those of two-layer networks over the same inputs."""
    first = networks[0]
    hidden = np.concatenate([network.layers[0][0] for network in networks], axis=1)
    hidden_bias = np.concatenate([network.layers[0][1] for network in networks])
    out = np.concatenate([network.layers[1][0] for network in networks]) / len(networks)
    bias = np.mean([network.layers[1][1] for network in networks], axis=0)
    return Network(first.mean, first.scale, ((hidden, hidden_bias), (out, bias)))


def probability(log_odds: float) -> float:
    return float(1.0 / (1.0 + np.exp(-np.clip(log_odds, -30.0, 30.0))))


def _product(rows: Array, weights: Array) -> Array:
    """Row by row: a matrix product may round a row differently in other company, and a verdict must not."""
    return np.stack([row @ weights for row in rows]) if len(rows) else np.zeros((0, weights.shape[1]))


def _wide(array: NDArray[np.float32]) -> Array:
    return array.astype(np.float64)
