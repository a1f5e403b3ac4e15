"""The options of the nets and of their training, and what "auto" comes to.

Where labels come from evidence, the net proposes one partition of many, and gives the embedding; the least work that gives
the same embedding is enough. Where labels come from the embedding alone, all is as in the paper.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from numbers import Integral
from os import PathLike
from typing import Literal, get_args

from orthonet.embedding.networks import NetworkKind

OutputLayer = Literal["auto", "exact", "trained"]
OUTPUT_LAYERS: tuple[OutputLayer, ...] = get_args(OutputLayer)
PAPER_LAYERS, EVIDENCE_LAYERS = (400, 200, 100), (256, 128)
"""Units of the hidden layers where labels come from the embedding alone, and where they come from evidence."""
PAPER_RATE, EXACT_RATE = 1e-3, 1e-2
"""Learning rates, the second where the last layer is solved for at each step,"""
PAPER_STEPS, EXACT_STEPS = 200, 20
"""and steps at most."""
SEVERAL = 3
"""Nets where labels rest on the embedding alone: one net depends on its initial weights."""


@dataclass(frozen=True)
class Training:
    """How the nets are trained, see `orthonet.embedding.training`.

    Parameters
    ----------
    learning_rate : float or "auto", default="auto"
        Of AMSGrad. "auto" is 1e-2 where the last layer is solved for, else 1e-3.
    max_iter : int or "auto", default="auto"
        Training steps at most; "auto" is 20 where the last layer is solved for, else 200. More bring the embedding nearer to
        the eigenvectors of the aggregated Laplacian, not always to better clusters: the net's own smoothness over the features
        is half of what the method knows.
    tol : float, default=5e-3
        Training stops early when the embedding turned by less than this in 20 steps (1 − mean squared cosine), or in 3 where
        the last layer is solved for.
    batch_size : int, "auto" or None, default="auto"
        Nodes per step. None takes all; "auto" takes all up to 50,000 nodes, and 4096 of more; 20,000 where the last
        layer is solved for.
    output_layer : {"auto", "exact", "trained"}, default="auto"
        Whether the last layer of an "mlp" is solved for at each step (`orthonet.embedding.exact_output`), which takes a tenth
        of the steps, or trained as the others are. "auto" is "exact", and "trained" where labels come from the embedding
        alone, or a batch size is given: "exact" needs thousands of nodes in a batch.
    n_networks : int or "auto", default="auto"
        Nets trained side by side, combined by what they agree on (`orthonet.embedding.orthogonal`); a module of your own is
        trained once. "auto" is 1, and 3 where labels come from the embedding alone.
    device : str, default="auto"
        Where the nets are trained: a CUDA GPU if there is one, else the CPU; or "cpu", "cuda", "cuda:1", "mps".
    dtype : {"float32", "float64"}, default="float32"
        Of the nets while they are trained.
    n_jobs : int, optional
        Threads, -1 for one per core. None is one up to 5,000 nodes, which is best beside other work, else all the process has.
    checkpoint_dir : path, optional
        Folder in which the state of training is kept. A fit that was killed goes on from there as if it had not been.
    distributed : bool, default=False
        Train with all processes that ``torchrun`` started; each passes the same graph to ``fit``.

    Examples
    --------
    >>> from orthonet import OrthoNet
    >>> by_mapping, by_object = OrthoNet(3, training={"max_iter": 50}), OrthoNet(3, training=Training(max_iter=50))
    """

    learning_rate: float | Literal["auto"] = "auto"
    max_iter: int | Literal["auto"] = "auto"
    tol: float = 5e-3
    batch_size: int | Literal["auto"] | None = "auto"
    output_layer: OutputLayer = "auto"
    n_networks: int | Literal["auto"] = "auto"
    device: str = "auto"
    dtype: Literal["float32", "float64"] = "float32"
    n_jobs: int | None = None
    checkpoint_dir: str | PathLike[str] | None = None
    distributed: bool = False


@dataclass(frozen=True)
class Network:
    """The net, see `orthonet.embedding.networks`.

    Parameters
    ----------
    kind : {"mlp", "linear", "gcn"}, default="mlp"
    hidden_layers : sequence of int or "auto", default="auto"
        Units of each hidden layer. "auto" is (256, 128), or the paper's (400, 200, 100) for labels of the embedding alone.
    activation : {"prelu", "relu", "gelu", "silu", "tanh"}, default="prelu"
        Between the layers.
    n_inputs : int, "auto" or None, default="auto"
        To how many more features are reduced (SVD) while an "mlp" is trained; None: all. "auto" is 128, or None for labels of
        the embedding alone.
    """

    kind: NetworkKind = "mlp"
    hidden_layers: Sequence[int] | Literal["auto"] = "auto"
    activation: str = "prelu"
    n_inputs: int | Literal["auto"] | None = "auto"


def decided_training(training: Training, kind: str, by_evidence: bool) -> Training:
    """Return the options of training with numbers for "auto", but for the batches, which depend on the number of nodes.

    Parameters
    ----------
    training : Training
    kind : str
        Of the net; of one that the user made, any other name.
    by_evidence : bool
        Whether labels come from evidence.
    """
    output = training.output_layer
    if output == "auto":
        in_small_batches = isinstance(training.batch_size, Integral)
        output = "exact" if by_evidence and kind == "mlp" and not in_small_batches else "trained"
    exact = output == "exact"
    if exact and kind != "mlp":
        raise ValueError(
            f"training.output_layer='exact' is for network='mlp', but network is {kind!r}; pass "
            "training.output_layer='trained'"
        )
    rate, steps, n_networks = training.learning_rate, training.max_iter, training.n_networks
    return replace(
        training,
        output_layer=output,
        learning_rate=(EXACT_RATE if exact else PAPER_RATE) if isinstance(rate, str) else rate,
        max_iter=(EXACT_STEPS if exact else PAPER_STEPS) if isinstance(steps, str) else steps,
        n_networks=(1 if by_evidence else SEVERAL) if isinstance(n_networks, str) else n_networks,
    )


def decided_layers(network: Network, n_clusters: int, exact_output: bool) -> tuple[int, ...]:
    """Return the units of the hidden layers, of which the last must be at least as many as the clusters."""
    if not isinstance(network.hidden_layers, str):
        return tuple(network.hidden_layers)
    if not exact_output:
        return PAPER_LAYERS
    *first, last = EVIDENCE_LAYERS
    return (*first, max(last, n_clusters))
