"""The state of a training run as a file, so that a run that is killed at any moment goes on where it was.

One safetensors file, replaced in one step: the parameters, the optimiser's moments, the running sums and the losses so far.
With it stands a fingerprint of the settings and the data; a run with another one does not touch the file.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Iterable
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from orthonet.embedding.amsgrad import AMSGrad
from orthonet.graph.features import block_rows
from orthonet.linalg.low_rank import IdentityPlusLowRank
from orthonet.support.files import write_atomically
from orthonet.support.optional import require
from orthonet.support.text import sentence

STATE, LAPLACIAN = "training.safetensors", "laplacian.safetensors"
SECONDS_BETWEEN = 2.0
"""A checkpoint is written when the last one is older than this, and when training ends."""


@dataclass
class Checkpoints:
    """A folder with the state of one run."""

    folder: Path
    fingerprint: str
    _written: float = -float("inf")

    @classmethod
    def at(cls, folder: str | PathLike[str], *parts: Any) -> Checkpoints:
        """Open the folder for the run that ``parts`` (settings, arrays, sparse arrays) define."""
        require("safetensors", extra="save", purpose="writing checkpoints")
        path = Path(folder).expanduser()
        if path.exists() and not path.is_dir():
            raise FileExistsError(f"checkpoint_dir {path} is a file; checkpoints go into a folder")
        path.mkdir(parents=True, exist_ok=True)
        for name in (STATE, LAPLACIAN):
            for cut_off in path.glob(f".{name}.*.part"):  # by a run that was killed while it wrote
                cut_off.unlink(missing_ok=True)
        return cls(path, fingerprint(*parts))

    def load(self) -> dict[str, Tensor] | None:
        """Return what the last run left, None if it left nothing."""
        return self._read(STATE)

    def save(self, state: dict[str, Tensor]) -> None:
        """Write the state, replacing the last one in one step."""
        self._write(STATE, state)
        self._written = time.monotonic()

    @property
    def due(self) -> bool:
        """Whether the last checkpoint is old enough."""
        return time.monotonic() - self._written >= SECONDS_BETWEEN

    def load_laplacian(self) -> tuple[IdentityPlusLowRank, dict[str, Any]] | None:
        """Return the aggregated Laplacian of the last run and what was reported of it, None if there is none."""
        found = self._read(LAPLACIAN)
        if found is None:
            return None
        info = json.loads(bytes(found["info"].numpy()).decode())
        return IdentityPlusLowRank(found["base"].item(), found["basis"].numpy(), found["core"].numpy()), info

    def save_laplacian(self, matrix: Any, info: dict[str, Any]) -> None:
        """Keep a Laplacian of low rank, which takes minutes to find and little space to keep; others are left."""
        if not isinstance(matrix, IdentityPlusLowRank):
            return
        text = np.frombuffer(json.dumps(info, default=float).encode(), dtype=np.uint8).copy()
        tensors = {"basis": matrix.basis, "core": matrix.core, "base": np.array(matrix.outside), "info": text}
        self._write(LAPLACIAN, {name: torch.from_numpy(np.ascontiguousarray(a)) for name, a in tensors.items()})

    def _write(self, name: str, tensors: dict[str, Tensor]) -> None:
        safetensors = require("safetensors.torch", extra="save", purpose="writing checkpoints")
        plain = {key: tensor.detach().cpu().contiguous() for key, tensor in tensors.items()}
        about = {"fingerprint": self.fingerprint, "digest": _digest(plain)}
        write_atomically(self.folder / name, safetensors.save(plain, metadata=about))

    def _read(self, name: str) -> dict[str, Tensor] | None:
        file = self.folder / name
        if not file.exists():
            return None
        if not file.is_file():
            raise ValueError(f"{file} is not a file, and so not a checkpoint; delete it to start anew")
        opened = require("safetensors", extra="save", purpose="reading checkpoints")
        try:
            with opened.safe_open(file, framework="pt") as content:
                about = content.metadata() or {}
                tensors = {key: content.get_tensor(key) for key in content.keys()}  # noqa: SIM118
                if about.get("digest") != _digest(tensors):
                    raise ValueError("its numbers are not those of its checksum")
        except (opened.SafetensorError, OSError, ValueError, TypeError, RuntimeError) as error:
            raise ValueError(
                f"{file} is not a checkpoint, or a damaged one ({sentence(error)}); delete it to start anew"
            ) from None
        if about.get("fingerprint") != self.fingerprint:
            raise ValueError(
                f"{file} belongs to a run with other data or settings; pass another checkpoint_dir, or delete that one"
            )
        return tensors


def _digest(tensors: dict[str, Tensor]) -> str:
    """Return a hash of tensors, their names, types and shapes."""
    digest = hashlib.sha256()
    for name, tensor in sorted(tensors.items()):
        digest.update(repr((name, str(tensor.dtype), tuple(tensor.shape))).encode())
        digest.update(tensor.contiguous().reshape(-1).view(torch.uint8).numpy())
    return digest.hexdigest()


def fingerprint(*parts: Any) -> str:
    """Return a hash of settings and arrays; of large arrays ten thousand rows, spread evenly, stand for all."""
    digest = hashlib.sha256()
    arrays: Iterable[Any]
    for part in parts:
        if hasattr(part, "indptr"):
            rows = part[_spread(part.shape[0])]
            arrays = [rows.indptr, rows.indices, rows.data]
        elif isinstance(part, np.ndarray):
            chosen = _spread(len(part))
            size = block_rows(part) if part.ndim == 2 else len(chosen)
            arrays = (part[chosen[start : start + size]] for start in range(0, len(chosen), size))
        else:
            digest.update(repr(part).encode())
            continue
        digest.update(repr(part.shape).encode())
        for array in arrays:
            digest.update(np.ascontiguousarray(array))
    return digest.hexdigest()


def optimiser_state(network: nn.Module, optimiser: AMSGrad) -> dict[str, Tensor]:
    """Return the parameters and the optimiser's moments by name."""
    state = {f"network.{name}": tensor for name, tensor in network.state_dict().items()}
    for name, parameter in network.named_parameters():
        state |= {f"optimiser.{name}.{key}": value for key, value in optimiser.state.get(parameter, {}).items()}
    return state


def restore_optimiser(network: nn.Module, optimiser: AMSGrad, state: dict[str, Tensor]) -> None:
    """Put back what `optimiser_state` returned."""
    network.load_state_dict({key.removeprefix("network."): v for key, v in state.items() if key.startswith("network.")})
    for name, parameter in network.named_parameters():
        prefix = f"optimiser.{name}."
        moments = {key.removeprefix(prefix): value for key, value in state.items() if key.startswith(prefix)}
        for key, value in moments.items():
            # AMSGrad keeps its step count on the CPU, whatever the device of the parameter.
            moments[key] = value if key == "step" else value.to(parameter.device)
        if moments:
            optimiser.state[parameter] = moments


def _spread(n_rows: int, at_most: int = 10_000) -> np.ndarray[Any, Any]:
    return np.unique(np.linspace(0, n_rows - 1, min(n_rows, at_most)).astype(np.intp))
