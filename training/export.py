"""Write the trained cross-encoder as int8 ONNX beside its pieces, and say what the rounding cost.

python export.py WORK_FOLDER [ANOTHER_WORK_FOLDER] [--target FOLDER]

Of two runs, one resumed from the other, the mean of their weights is taken (Wortsman et al. 2022).
"""

import argparse
import hashlib
import json
import logging
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import torch
from batches import MAX_CLAIM, MAX_TOKENS, padded
from encoder import CrossEncoder, Encoder
from onnxruntime.quantization.matmul_nbits_quantizer import MatMulNBitsQuantizer
from pieces import Pieces
from torch import Tensor, nn
from train import balanced_accuracy, dev_rows, probabilities
from windows import CHUNK, LIMIT, STEM

PACKAGE = Path(__file__).resolve().parent.parent / "src" / "ragassay" / "judges" / "embedded" / "weights"
ALLOWED_LOSS = 0.005
BLOCK = 128
POSITIONS = 128


class SmallTable(nn.Module):
    """An embedding kept as int8 with one scale a row."""

    def __init__(self, table: Tensor) -> None:
        super().__init__()
        scale = (table.abs().amax(1, keepdim=True) / 127).clamp(min=1e-8)
        self.register_buffer("scale", scale)
        self.register_buffer("rounded", (table / scale).round().to(torch.int8))

    def forward(self, ids: Tensor) -> Tensor:
        return self.rounded[ids].float() * self.scale[ids]


def trained(folders: Sequence[Path]) -> CrossEncoder:
    kept = json.loads((folders[0] / "kept.json").read_text(encoding="utf-8"))
    model = CrossEncoder(Encoder(len(kept)))
    runs = [torch.load(folder / "checkpoint.pt", weights_only=True)["average"] for folder in folders]
    model.load_state_dict({name: mean([run[name] for run in runs]) for name in runs[0]})
    return model.eval()


def mean(found: Sequence[Tensor]) -> Tensor:
    first = found[0]
    return torch.stack([one.float() for one in found]).mean(0).to(first.dtype) if first.is_floating_point() else first


def export(model: CrossEncoder, target: Path) -> None:
    """int8 weights for every layer matrix, a scale for 128 of a column, and for the word table, a scale a row.

    Activations are rounded in blocks too. One scale for a whole call (dynamic quantisation) moved P(supports) by .05 on
    average and turned 6 % of verdicts, and made a pair's answer depend on its batch; blocks move it by .007.
    """
    encoder = model.encoder
    encoder.word = SmallTable(encoder.word.weight.detach())  # type: ignore[assignment]
    encoder.pos.weight = nn.Parameter(encoder.pos.weight.detach()[:POSITIONS].clone())
    ids, mask = padded([[0, 9, 2, 2, 10, 11, 2], [0, 9, 12, 2, 2, 10, 2]])
    axes = {"ids": {0: "rows", 1: "length"}, "mask": {0: "rows", 1: "length"}, "logits": {0: "rows"}}
    with tempfile.TemporaryDirectory() as work:
        plain = str(Path(work) / "plain.onnx")
        torch.onnx.export(
            model, (ids, mask), plain, input_names=["ids", "mask"], output_names=["logits"], dynamic_axes=axes,
            opset_version=17, dynamo=False,
        )  # fmt: skip
        rounding = MatMulNBitsQuantizer(onnx.load(plain), bits=8, block_size=BLOCK, is_symmetric=True, accuracy_level=4)
        rounding.process()
        rounding.model.save_model_to_file(str(target))


def session(path: Path, threads: int = 2) -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def onnx_probabilities(judge: onnxruntime.InferenceSession, rows: list[list[int]]) -> np.ndarray:
    """Class probabilities, one row each, in the order given.

    One pair a call: padding would cost more than a batch saves, and no pair can touch another's answer.
    """
    found = np.zeros((len(rows), 3), np.float32)
    for number, ids in enumerate(rows):
        fed = np.array([ids], np.int64)
        logits = judge.run(["logits"], {"ids": fed, "mask": np.ones_like(fed)})[0][0]
        raised = np.exp(logits - logits.max())
        found[number] = raised / raised.sum()
    return found


def cost(before: np.ndarray, after: np.ndarray, sources: list[str], truth: np.ndarray) -> float:
    """Loss of mean balanced accuracy over sources from float to int8, on the dev parts."""
    names = np.array(sources)
    lost = []
    for source in dict.fromkeys(sources):
        of = names == source
        pair = [balanced_accuracy(truth[of], found[of, 0] > 0.5) for found in (before, after)]
        print(f"{source:18} float {pair[0]:.3f}  int8 {pair[1]:.3f}")
        lost.append(pair[0] - pair[1])
    return float(np.mean(lost))


def speed(judge: onnxruntime.InferenceSession, length: int = 84, calls: int = 200) -> tuple[float, float]:
    """Pairs of `length` pieces a second by the wall clock, and a second of processor time."""
    ids = [0, *range(100, 100 + length - 2), 2]
    ids[20:22] = [2, 2]
    onnx_probabilities(judge, [ids] * 5)
    wall, work = time.perf_counter(), time.process_time()
    onnx_probabilities(judge, [ids] * calls)
    return calls / (time.perf_counter() - wall), calls / (time.process_time() - work)


def recipe(target: Path) -> dict:
    """What the run time must know to feed the weights."""
    names = ("cross_encoder.onnx", "pieces.json")
    files = {name: hashlib.sha256((target / name).read_bytes()).hexdigest() for name in names}
    return {
        "id": "ragassay-support-cross-encoder",
        "version": "2",
        "classes": ["supports", "contradicts", "neutral"],
        "inputs": ["ids", "mask"],
        "order": ["<s>", "claim", "</s>", "</s>", "passage", "</s>"],
        "special_ids": {"<s>": 0, "<pad>": 1, "</s>": 2, "<unk>": 3},
        "max_tokens": MAX_TOKENS,
        "max_claim_tokens": MAX_CLAIM,
        "window": {"max_words": LIMIT, "max_words_of_a_chunk": CHUNK, "stem_letters": STEM},
        "sha256": files,
    }


def main(folders: Sequence[Path], target: Path) -> None:
    logging.disable(logging.INFO)
    torch.set_num_threads(1)
    target.mkdir(parents=True, exist_ok=True)
    pieces = Pieces.load(folders[0] / "pieces.json")
    pieces.save(target / "pieces.json")
    sources, truth, rows = dev_rows(folders[0], pieces)
    model = trained(folders)
    before = probabilities(model, rows)
    export(model, target / "cross_encoder.onnx")
    judge = session(target / "cross_encoder.onnx")
    after = onnx_probabilities(judge, rows)
    lost = cost(before, after, sources, truth)
    moved = np.abs(before - after)[:, 0].mean()
    print(f"mean loss of balanced accuracy {lost:+.4f}; mean |change| of P(supports) {moved:.4f}")
    (target / "recipe.json").write_text(json.dumps(recipe(target), indent=2) + "\n", encoding="utf-8")
    size = sum(path.stat().st_size for path in target.iterdir()) / 1e6
    wall, work = speed(judge)
    print(
        f"{size:.1f} MB; at 84 pieces {wall:.0f} pairs a second with 2 threads, {work:.0f} a second of processor time"
    )
    if lost > ALLOWED_LOSS:
        raise SystemExit(f"int8 loses {lost:.4f} balanced accuracy, allowed is {ALLOWED_LOSS}: quantise fewer matrices")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", type=Path, nargs="+", help="where prepare.py and train.py wrote")
    parser.add_argument("--target", type=Path, default=PACKAGE)
    given = parser.parse_args()
    main(given.folders, given.target)
