"""Score the labelled pairs with the exported cross-encoder and print its quality beside the token-overlap floor.

python evaluate.py WORK_FOLDER WEIGHTS_FOLDER [--train]
"""

import argparse
from pathlib import Path

import numpy as np
import pandas as pd
from batches import row
from export import onnx_probabilities, session
from pieces import Pieces
from sklearn.metrics import roc_auc_score
from sources import SOURCES, WORD
from train import balanced_accuracy

TARGETS = {
    "ru_terra": 0.68,
    "ru_lidirus": 0.66,
    "snli": 0.87,
    "fever_symmetric": 0.77,
    "negation_nli": 0.74,
    "breaking_nli": 0.93,
}
MEAN_OF = ("expertqa", "factcheck_bench", "q2_wow", "ru_terra", "ru_lidirus")
# A source without a train part takes the floor's threshold from these.
STAND_IN = ("ru_terra", "ru_rcb")


def overlap(claim: str, passage: str) -> float:
    """Share of the claim's words that stand in the passage."""
    words, there = WORD.findall(claim.lower()), set(WORD.findall(passage.lower()))
    return float(np.mean([word in there for word in words])) if words else 0.0


def best_threshold(truth: np.ndarray, scores: np.ndarray) -> float:
    steps = np.unique(scores)
    return float(max(steps, key=lambda step: balanced_accuracy(truth, scores >= step)))


def scored(pairs: pd.DataFrame, weights: Path) -> pd.DataFrame:
    """Probabilities for every pair; a pair without a passage is neutral by definition."""
    pieces, judge = Pieces.load(weights / "pieces.json"), session(weights / "cross_encoder.onnx")
    found = np.tile(np.array([0.0, 0.0, 1.0], np.float32), (len(pairs), 1))
    shown = np.flatnonzero(~pairs["empty"].to_numpy())
    rows = [row(pieces, pairs["claim"].iloc[n], pairs["passage"].iloc[n]) for n in shown]
    found[shown] = onnx_probabilities(judge, rows)
    return pairs.assign(p_support=found[:, 0], p_contradict=found[:, 1])


def line(source: str, pairs: pd.DataFrame, scores: pd.DataFrame) -> dict:
    mine = pairs[pairs["source"] == source]
    fit = mine[mine["split"] == "train"]
    fit = fit if len(fit) else pairs[pairs["source"].isin(STAND_IN) & (pairs["split"] == "train")]
    threshold = best_threshold(fit["binary"].to_numpy() == 1, fit["overlap"].to_numpy())
    test = scores[(scores["source"] == source) & (scores["split"] == "test")]
    truth, said = test["binary"].to_numpy() == 1, test["p_support"].to_numpy()
    floor = mine[mine["split"] == "test"]["overlap"].to_numpy()
    return {
        "source": source,
        "pairs": len(test),
        "floor": balanced_accuracy(truth, floor >= threshold),
        "floor AUC": roc_auc_score(truth, floor),
        "cross-encoder": balanced_accuracy(truth, said > 0.5),
        "AUC": roc_auc_score(truth, said),
        "target": TARGETS.get(source, np.nan),
    }


def main(folder: Path, weights: Path, with_train: bool) -> None:
    pairs = pd.read_json(folder / "labelled.jsonl", lines=True, dtype={"label": str})
    pairs["overlap"] = [overlap(c, p) for c, p in zip(pairs["claim"], pairs["full"], strict=True)]
    wanted = pairs if with_train else pairs[pairs["split"] != "train"]
    scores = scored(wanted, weights)
    kept = ["id", "source", "split", "lang", "label", "binary", "p_support", "p_contradict"]
    scores[kept].to_parquet(folder / "scores.parquet", index=False)
    table = pd.DataFrame([line(source, pairs, scores) for source in SOURCES])
    print(table.round(3).to_string(index=False))
    mean = table[table["source"].isin(MEAN_OF)][["floor", "cross-encoder", "AUC"]].mean().round(3)
    print("mean of", ", ".join(MEAN_OF), mean.to_dict())
    print("by checkpoint, dev parts (float, averaged weights):")
    print(pd.read_json(folder / "curve.jsonl", lines=True).to_string(index=False))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("weights", type=Path)
    parser.add_argument("--train", action="store_true", help="score the train parts too, which flatters")
    given = parser.parse_args()
    main(given.folder, given.weights, given.train)
