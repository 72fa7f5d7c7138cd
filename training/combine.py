"""Fit the small networks that weigh rules, alignment and cross-encoder, and write them as plain arrays.

python combine.py WORK_FOLDER [TARGET_FOLDER] [--left-out]

The cheap network is fitted on the train part and pairs made from it; what joins it with the cross-encoder, and every
threshold, on the dev part, which neither the cheap network nor the cross-encoder was fitted on.
"""

import argparse
import json
import random
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from pairs import Labelled, contrast, cross_scores, exchanged, feature_rows, labelled, made, strangers
from questions import asked, question_rows, xquad
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier
from sources import CONTRADICTS, NOT_SUPPORTED

from ragassay.judges.embedded.judge import WEIGHTS
from ragassay.judges.embedded.network import Network, averaged

SEED, TESTED = 20_261_130, 500
LEFT_OUT = (
    "expertqa", "factcheck_bench", "q2_wow", "ru_terra", "snli", "fever_symmetric", "negation_nli", "breaking_nli",
)  # fmt: skip
HIDDEN, NETWORKS, DECAY, ROUNDS = 32, 4, 0.3, 30
JOINT_HIDDEN, JOINT_DECAY, JOINT_ROUNDS, LINE_STRENGTH, FOLDS = 12, 3.0, 40, 0.03, 5
MADE_PAIRS, EXCHANGED_PAIRS, STRANGERS = 5000, 1000, 0.15
OVERTURNED = 0.01
# Between one and two thirds a calibrated judge is wrong in more than a third of its verdicts: people decide.
# Of the natural dev pairs with a missing number 86 % are not supported, with a missing date all.
SCREENING = {"threshold": 0.5, "low": 0.3333, "high": 0.6667, "veto": 0.3}


@dataclass(frozen=True)
class Table:
    """Feature rows beside their labels. `target` as in sources.py; `weight` balances sources and classes."""

    rows: np.ndarray
    supported: np.ndarray
    target: np.ndarray
    source: np.ndarray

    def weight(self, truth: np.ndarray) -> np.ndarray:
        found = np.zeros(len(truth))
        for source in np.unique(self.source):
            of = self.source == source
            for label in (False, True):
                both = of & (truth == label)
                if both.any() and (of & (truth != label)).any():
                    found[both] = min(of.sum(), 1500) ** 0.5 / both.sum()
        return found / max(found.mean(), 1e-12)

    def take(self, mask: np.ndarray) -> "Table":
        return Table(self.rows[mask], self.supported[mask], self.target[mask], self.source[mask])


def standard(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return rows.mean(0), np.maximum(rows.std(0), 1e-3)


def fitted_network(
    table: Table, truth: np.ndarray, hidden: int = HIDDEN, decay: float = DECAY, rounds: int = ROUNDS
) -> Network:
    """The mean of small networks that differ in their seed."""
    mean, scale = standard(table.rows)
    inputs, weight = np.clip((table.rows - mean) / scale, -4, 4), table.weight(truth)
    used = weight > 0
    found = []
    for seed in range(NETWORKS):
        model = MLPClassifier(
            (hidden,), alpha=decay, max_iter=rounds, random_state=seed, batch_size=256, learning_rate_init=2e-3
        )
        with warnings.catch_warnings(action="ignore", category=ConvergenceWarning):  # stopping early is meant
            model.fit(inputs[used], truth[used], sample_weight=weight[used])
        found.append(Network(mean, scale, tuple((w, b) for w, b in zip(model.coefs_, model.intercepts_, strict=True))))
    return averaged(found)


def fitted_line(table: Table, truth: np.ndarray, strength: float) -> Network:
    """A regularised logistic regression as a network of one layer."""
    mean, scale = standard(table.rows)
    weight = table.weight(truth)
    used = weight > 0
    model = LogisticRegression(C=strength, max_iter=2000)
    model.fit(np.clip((table.rows[used] - mean) / scale, -4, 4), truth[used], sample_weight=weight[used])
    return Network(mean, scale, ((model.coef_.T, model.intercept_),))


def calibrated(network: Network, odds: np.ndarray, table: Table, truth: np.ndarray) -> Network:
    """The network with its log-odds stretched and moved as fits `odds`, given to pairs it had not seen (Platt 1999)."""
    line = fitted_line(Table(odds[:, None], table.supported, table.target, table.source), truth, strength=10.0)
    slope = float(line.layers[0][0][0, 0] / line.scale[0])
    shift = float(line.layers[0][1][0] - slope * line.mean[0])
    *hidden, (weights, bias) = network.layers
    return Network(network.mean, network.scale, (*hidden, (weights * slope, bias * slope + shift)))


def table_of(found: Sequence[Labelled], rows: np.ndarray) -> Table:
    return Table(
        rows.astype(np.float64),
        np.array([pair.is_supported for pair in found]),
        np.array([pair.target for pair in found]),
        np.array([pair.source for pair in found]),
    )


def known(table: Table) -> Table:
    """Rows whose source tells contradiction from mere lack of support."""
    return table.take(table.target < NOT_SUPPORTED)


def cheap_networks(train: Table, dev: Table) -> dict[str, Network]:
    """Support and contradiction by rules and alignment alone."""
    contradicted, told = known(train), known(dev)
    supports = fitted_network(train, train.supported)
    contradicts = fitted_network(contradicted, contradicted.target == CONTRADICTS)
    return {
        "supports": calibrated(supports, supports.log_odds(dev.rows), dev, dev.supported),
        "contradicts": calibrated(contradicts, contradicts.log_odds(told.rows), told, told.target == CONTRADICTS),
    }


def joined(cheap: dict[str, Network], table: Table, cross: np.ndarray) -> Table:
    """Rows for what joins the cheap networks with the cross-encoder."""
    odds = np.stack([cheap[name].log_odds(table.rows) for name in ("supports", "contradicts")], axis=1)
    return Table(np.concatenate([odds, cross, table.rows], axis=1), table.supported, table.target, table.source)


def joint_networks(dev: Table) -> dict[str, Network]:
    told = known(dev)
    return {
        "both_supports": joint_network(dev, dev.supported),
        "both_contradicts": joint_network(told, told.target == CONTRADICTS),
    }


def joint_network(table: Table, truth: np.ndarray) -> Network:
    """Calibrated on what it gives to fifths of the dev part that it was not fitted on."""
    fold = np.random.default_rng(SEED).integers(0, FOLDS, len(truth))
    odds = np.zeros(len(truth))
    for number in range(FOLDS):
        seen = fold != number
        odds[~seen] = _joint(table.take(seen), truth[seen]).log_odds(table.rows[~seen])
    return calibrated(_joint(table, truth), odds, table, truth)


def _joint(table: Table, truth: np.ndarray) -> Network:
    """The mean of small networks over everything and of a line over the four log-odds alone."""
    small = fitted_network(table, truth, hidden=JOINT_HIDDEN, decay=JOINT_DECAY, rounds=JOINT_ROUNDS)
    odds = Table(table.rows[:, :4], table.supported, table.target, table.source)
    weights, bias = fitted_line(odds, truth, LINE_STRENGTH).layers[0]
    both_signs = np.zeros((table.rows.shape[1], 8))
    both_signs[range(4), range(4)], both_signs[range(4), range(4, 8)] = 1.0, -1.0
    line = ((both_signs, np.zeros(8)), (np.concatenate([weights, -weights]), bias))
    return averaged([small, Network(small.mean, small.scale, line)])


def open_range(cheap: np.ndarray, joint: np.ndarray) -> tuple[float, float]:
    """The probabilities of the cheap layers outside which the cross-encoder overturns hardly a dev verdict."""
    sure, steps = 1 / (1 + np.exp(-cheap)), np.arange(0.01, 0.31, 0.01)
    low = max((s for s in steps if _share(joint[sure < s] >= 0) <= OVERTURNED), default=0.0)
    high = min((1 - s for s in steps if _share(joint[sure > 1 - s] < 0) <= OVERTURNED), default=1.0)
    return round(float(low), 2), round(float(high), 2)


def _share(overturned: np.ndarray) -> float:
    return float(overturned.mean()) if len(overturned) else 0.0


def question_networks(folder: Path) -> dict[str, Network]:
    """Sufficiency and relevance, on the train parts of CLAPnq and XQuAD."""
    near = [one for one in asked() if one.split == "train"]
    far = [one for lang in ("en", "ru") for one in xquad(lang, same_article=False) if one.split == "train"]
    networks = {}
    for name, found, columns in (("sufficiency", near, slice(None)), ("relevance", far, slice(0, 1))):
        truth = np.array([one.is_answered for one in found])
        sources = np.array([one.source for one in found])
        table = Table(question_rows(found, folder)[:, columns], truth, truth.astype(int), sources)
        networks[name] = fitted_line(table, truth, strength=1.0)
    return networks


def gathered(folder: Path) -> dict[str, list[Labelled]]:
    """The pairs to fit on, to calibrate on, and to count the cost of an unseen source on."""
    everything, from_text = labelled(), made(folder, MADE_PAIRS)
    parts = {split: [pair for pair in everything if pair.split == split] for split in ("train", "dev", "test")}
    chance = random.Random(SEED)
    tested = [
        [p for p in parts["test"] if p.source == source] for source in dict.fromkeys(p.source for p in everything)
    ]
    return {
        "train": [
            *parts["train"],
            *from_text,
            *exchanged(from_text)[:EXCHANGED_PAIRS],
            *strangers(parts["train"], STRANGERS),
        ],
        "dev": [*parts["dev"], *contrast("development"), *strangers(parts["dev"], STRANGERS)],
        "test": [pair for own in tested for pair in chance.sample(own, min(len(own), TESTED))],
    }


def fitted(tables: dict[str, Table], cross: np.ndarray) -> dict[str, Network]:
    networks = cheap_networks(tables["train"], tables["dev"])
    return networks | joint_networks(joined(networks, tables["dev"], cross))


def accuracy(networks: dict[str, Network], test: Table, cross: np.ndarray) -> float:
    """Balanced accuracy at one half."""
    odds = networks["both_supports"].log_odds(joined(networks, test, cross).rows)
    return float(np.mean([(odds[test.supported] >= 0).mean(), (odds[~test.supported] < 0).mean()]))


def left_out(tables: dict[str, Table], cross: dict[str, np.ndarray]) -> dict[str, dict[str, float]]:
    """For every source the accuracy on its test part with and without its pairs among those that were fitted on."""
    networks = fitted(tables, cross["dev"])
    found: dict[str, dict[str, float]] = {}
    for source in LEFT_OUT:
        kept = {name: table.take(table.source != source) for name, table in tables.items()}
        own = tables["test"].source == source
        without = fitted(kept, cross["dev"][tables["dev"].source != source])
        test, read = tables["test"].take(own), cross["test"][own]
        found[source] = {"with": accuracy(networks, test, read), "without": accuracy(without, test, read)}
        print(source, found[source], flush=True)
    return found


def main(folder: Path, target: Path, with_left_out: bool) -> None:
    pairs = gathered(folder)
    if not with_left_out:
        del pairs["test"]
    tables = {name: table_of(found, feature_rows(found, folder)) for name, found in pairs.items()}
    cross = {name: cross_scores(found, target, folder) for name, found in pairs.items() if name != "train"}
    networks = fitted(tables, cross["dev"])
    dev = tables["dev"]
    joint = networks["both_supports"].log_odds(joined(networks, dev, cross["dev"]).rows)
    low, high = open_range(networks["supports"].log_odds(dev.rows), joint)
    networks |= question_networks(folder)
    write(target, networks, SCREENING | {"open_low": low, "open_high": high})
    if with_left_out:
        text = json.dumps(left_out(tables, cross), indent=1)
        Path(__file__).with_name("left_out.json").write_text(text + "\n", encoding="utf-8")


def write(target: Path, networks: dict[str, Network], settings: dict[str, object]) -> None:
    target.mkdir(parents=True, exist_ok=True)
    arrays = {key: array for name, network in networks.items() for key, array in network.arrays(name).items()}
    np.savez_compressed(target / "combination.npz", **arrays)
    (target / "combination.json").write_text(json.dumps(settings, indent=2) + "\n", encoding="utf-8")
    print(f"{', '.join(networks)}: {(target / 'combination.npz').stat().st_size / 1e3:.0f} kB; {settings}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="where prepare.py wrote")
    parser.add_argument("target", type=Path, nargs="?", default=WEIGHTS)
    parser.add_argument(
        "--left-out", action="store_true", help="also refit without each source and write left_out.json"
    )
    options = parser.parse_args()
    main(options.folder, options.target, options.left_out)
