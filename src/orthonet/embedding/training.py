"""Train the nets: AMSGrad on the loss, until the embedding no longer turns.

Each step needs, of all nodes, only YᵀY (K x K per net) and VᵀY (p x K per net), see `orthonet.embedding.laplacians`:

- *full batch*: both are exact, and so is the gradient;
- *mini-batches*: both are running averages over the last batches (decay 0.9, corrected for the start like Adam's moments);
- *processes*: each sums over its own nodes; the sums and the parameters' gradients are added up over all of them;
- *exact output*: the last layer is not trained but solved for at each step, from the same sums over the hidden units
  (`orthonet.embedding.exact_output`).

Several nets train side by side, each on its own loss; what is reported is the mean of their losses.

Training ends when the K-dimensional subspaces, seen every 20 steps (every 3 with an exact output), have turned by less than
``tol`` on average: 1 − the mean squared cosine of the principal angles. This looks at the embedding, which is invariant to how
the outputs come, and not at the loss, which goes on falling long after the clusters have stopped moving.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import torch
from torch import Tensor

from orthonet.embedding.amsgrad import AMSGrad
from orthonet.embedding.checkpoints import Checkpoints, optimiser_state, restore_optimiser
from orthonet.embedding.devices import sum_dtype
from orthonet.embedding.exact_output import best_output
from orthonet.embedding.laplacians import LaplacianRows, LowRankRows
from orthonet.embedding.loss import SmallLoss, cholesky_guarded
from orthonet.embedding.networks import Ensemble
from orthonet.embedding.nodes import Batches, BatchPlan, Nodes
from orthonet.embedding.processes import Processes
from orthonet.embedding.training_result import EXACT_WINDOW, WINDOW, TrainingResult
from orthonet.support.memory import check_memory
from orthonet.support.progress import progress
from orthonet.support.sentences import Argument

PER_UNIT = 4.0 * 4
"""Bytes that a unit of a node takes in a step: it, what its activation makes of it, and the gradients of both."""
DECAY = 0.9
"""Of the running averages of mini-batches."""


def train(
    network: Ensemble,
    nodes: Nodes,
    laplacian: LaplacianRows,
    n_outputs: int,
    *,
    learning_rate: float = 1e-3,
    max_iter: int = 200,
    tol: float = 5e-3,
    batch_size: int | None = None,
    batches: BatchPlan | None = None,
    exact_output: bool = False,
    seed: int = 0,
    processes: Processes | None = None,
    checkpoints: Checkpoints | None = None,
    verbose: bool | None = None,
) -> TrainingResult:
    """Minimise the loss over the parameters of ``network``, in place.

    Parameters
    ----------
    network : Ensemble
        f, from features to ``n_outputs`` outputs per member.
    nodes : Nodes
        The features of this process's nodes.
    laplacian : LowRankRows or WholeRows
        The rows of L of the same nodes; mini-batches need one of low rank.
    n_outputs : int
        K.
    learning_rate : float, default=1e-3
        Of AMSGrad (Reddi et al. 2018).
    max_iter : int, default=200
        Steps at most.
    tol : float, default=5e-3
        How little the embedding turns between two looks when training stops.
    batch_size : int, optional
        Nodes per step, over all processes; all by default.
    batches : BatchPlan, optional
        Which of this process's nodes each step sees, if not those that ``batch_size`` and ``seed`` make.
    exact_output : bool, default=False
        Solve for the last layer at each step; for perceptrons.
    seed : int, default=0
        Orders the nodes for mini-batches.
    processes : Processes, optional
        Who trains together.
    checkpoints : Checkpoints, optional
        Where the run's state is kept, and taken up again.
    verbose : bool, optional
        Progress bar: after two seconds on a terminal (None), always or never.
    """
    processes = processes or Processes()
    if batches is None and batch_size is not None and batch_size < laplacian.n_nodes:
        own = max(batch_size * len(nodes) // laplacian.n_nodes, 1)
        batches = Batches(len(nodes), own, (seed, processes.rank))
    if batches is None:
        _check_memory(network, len(nodes), n_outputs)
    optimiser = AMSGrad(network.parameters(), learning_rate)
    run = _Run(network, nodes, laplacian, n_outputs, batches, processes, exact_output)
    window = EXACT_WINDOW if exact_output else WINDOW
    done = TrainingResult()
    stored = processes.from_first(checkpoints.load() if checkpoints and processes.first else None)
    if stored is not None:
        restore_optimiser(network, optimiser, stored)
        done = run.resumed(stored)
    network.train()
    before, at_start = processes.bytes_sent, len(done.losses)
    with progress("training", max_iter, verbose if processes.first else False) as report:
        try:
            while len(done.losses) < max_iter and not done.converged:
                optimiser.zero_grad()
                loss = run.backward(len(done.losses))
                if not torch.isfinite(torch.tensor(loss)):
                    raise NotFiniteError(_why_not_finite(loss, len(done.losses) + 1, learning_rate))
                optimiser.step()
                done.losses.append(loss)
                report(len(done.losses), f"loss {loss:.4f}")
                if len(done.losses) % window == 0:
                    turn = run.turn()
                    if turn is not None:
                        done.turns.append(turn)
                        done.converged = turn < tol
                if checkpoints and processes.first and checkpoints.due:
                    checkpoints.save(optimiser_state(network, optimiser) | run.state(done))
        except KeyboardInterrupt:
            if not done.losses or processes.size > 1:  # processes stop at different steps, and cannot go on together
                raise
            done.interrupted = True
        if exact_output:
            run.forward(len(done.losses))
    # A step that was cut off has moved some of the parameters; a later run goes on from the last whole one.
    if checkpoints and processes.first and not done.interrupted:
        checkpoints.save(optimiser_state(network, optimiser) | run.state(done))
    network.eval()
    done.bytes_per_step = (processes.bytes_sent - before) / max(len(done.losses) - at_start, 1)
    return done


class _Seen(NamedTuple):
    """What a step sees of its nodes, and of all of them."""

    leaf: Tensor
    """What gradients are put into: outputs, or the hidden units where the last layer is solved for."""
    outputs: Tensor
    image: Tensor
    """L Y, in the same rows."""
    gram: Tensor
    """YᵀY,"""
    rough: Tensor
    """and YᵀLY, member by member."""
    share: float
    """All nodes by those of this step."""
    output_weights: Tensor | None
    """The last layers that were solved for, (members, h + 1, K)."""


class NotFiniteError(FloatingPointError, ValueError):
    """The loss is no number: the data or the learning rate is too large."""


@dataclass
class _Run:
    """One step after another over nodes and Laplacian, and what it remembers between them."""

    network: Ensemble
    nodes: Nodes
    laplacian: LaplacianRows
    n_outputs: int
    batches: BatchPlan | None
    processes: Processes
    exact_output: bool = False
    average: dict[str, Tensor] = field(default_factory=dict)
    n_averaged: int = 0
    coordinates: Tensor | None = None
    """The outputs as the last step saw them: VᵀY, or Y itself."""
    gram: Tensor | None = None
    looked_at: Tensor | None = None
    """Orthonormal coordinates of the embedding when it was last looked at, member by member."""

    def backward(self, step: int) -> float:
        """Put the gradient of the loss into the parameters, and return the loss."""
        seen = self.forward(step)
        members = [SmallLoss.of(*pair) for pair in zip(seen.gram, seen.rough, strict=True)]
        parts = zip(members, self._split(seen.outputs), self._split(seen.image), strict=True)
        gradients = [member.gradient(y, ly) for member, y, ly in parts]
        if seen.output_weights is not None:
            pairs = zip(gradients, seen.output_weights, strict=True)
            gradients = [gradient @ weights.T.to(gradient) for gradient, weights in pairs]
        gradient = (seen.share * torch.cat(gradients, dim=1)).to(seen.leaf.dtype)
        # The product's gradient is this one, number by number. Given to torch by itself, it would be compared with the leaf's
        # shape by means of sympy, the import of which takes longer than many a training.
        (seen.leaf * gradient).sum().backward()  # type: ignore[no-untyped-call]
        self._add_gradients()
        return float(torch.stack([member.value for member in members]).mean())

    def forward(self, step: int) -> _Seen:
        """Pass the nodes of a step through the nets, and take the sums over them that the loss is made of."""
        chosen = None if self.batches is None else self.batches.at(step)
        inputs = self.nodes.all() if chosen is None else self.nodes.batch(chosen)
        leaf = self.network.hidden(inputs) if self.exact_output else self.network(inputs)
        columns, share = leaf.detach().to(sum_dtype(leaf.device)), 1.0
        if isinstance(self.laplacian, LowRankRows):
            basis = self.laplacian.basis_rows(columns, chosen)
            count = torch.tensor([float(len(columns))], dtype=columns.dtype, device=columns.device)
            sums = self.processes.sum([self._products(columns, columns), basis.T @ columns, count])
            gram, coordinates, counted = (one.cpu().double() for one in sums)
            if self.batches is not None:
                share = self.laplacian.n_nodes / float(counted)
                gram, coordinates = share * gram, share * coordinates
                if not self.exact_output:  # for which sums over hidden units of several steps would not fit together
                    gram, coordinates = self._averaged(gram=gram, seen=coordinates)
            pulled = self.laplacian.core @ coordinates
            rough = self.laplacian.outside * gram + self._products(coordinates, pulled)
            weights = self._solved(gram, rough)
            if weights is not None:
                columns, coordinates, pulled = (self._mapped(one, weights) for one in (columns, coordinates, pulled))
            image = self.laplacian.outside * columns + basis @ pulled.to(basis)
        else:
            coordinates = self.processes.gather(columns, self.laplacian.n_nodes)
            image = self.laplacian.times(coordinates)
            sums = self.processes.sum([self._products(columns, columns), self._products(columns, image)])
            gram, rough = (one.cpu().double() for one in sums)
            weights = self._solved(gram, rough)
            if weights is not None:
                columns, coordinates, image = (self._mapped(one, weights) for one in (columns, coordinates, image))
        if weights is not None:
            gram, rough = (weights.mT @ one @ weights for one in (gram, rough))
        self.coordinates, self.gram = coordinates, gram
        return _Seen(leaf, columns, image, gram, rough, share, weights)

    def _solved(self, gram: Tensor, rough: Tensor) -> Tensor | None:
        """Set the last layers to the best ones, and return them, (members, h + 1, K); None where they are trained."""
        if not self.exact_output:
            return None
        weights = torch.stack([best_output(*pair, self.n_outputs) for pair in zip(gram, rough, strict=True)])
        self.network.set_outputs(weights)
        return weights

    def _mapped(self, columns: Tensor, weights: Tensor) -> Tensor:
        """Return outputs, or what is linear in them, from hidden units."""
        parts = zip(torch.split(columns, weights.shape[1], dim=1), weights, strict=True)
        return torch.cat([part @ own.to(part) for part, own in parts], dim=1)

    def turn(self) -> float | None:
        """Return 1 − the mean squared cosine between the embedding now and when it was last looked at."""
        if self.coordinates is None or self.gram is None:
            return None
        now = torch.stack(
            [
                torch.linalg.solve_triangular(cholesky_guarded(gram), part.T.cpu().double(), upper=False).T
                for gram, part in zip(self.gram, self._split(self.coordinates), strict=True)
            ]
        )
        before, self.looked_at = self.looked_at, now
        if before is None:
            return None
        # Coordinates in a basis miss what lies outside of it, so their squares need not be K.
        both, new, old = ((a.mT @ b).square().sum(dim=(1, 2)) for a, b in ((before, now), (now, now), (before, before)))
        return float((1 - both / torch.sqrt(new * old).clamp_min(1e-300)).mean())

    def state(self, done: TrainingResult) -> dict[str, Tensor]:
        """Return what a resumed run needs beside the parameters."""
        state = {
            "losses": torch.tensor(done.losses, dtype=torch.float64),
            "turns": torch.tensor(done.turns, dtype=torch.float64),
            "flags": torch.tensor([done.converged, self.n_averaged], dtype=torch.int64),
        }
        state |= {f"average.{name}": tensor for name, tensor in self.average.items()}
        if self.looked_at is not None:
            state["looked_at"] = self.looked_at
        return state

    def resumed(self, state: dict[str, Tensor]) -> TrainingResult:
        """Take up a state again."""
        self.average = {
            name.removeprefix("average."): tensor for name, tensor in state.items() if name.startswith("average.")
        }
        self.looked_at = state.get("looked_at")
        converged, self.n_averaged = state["flags"].tolist()
        return TrainingResult(state["losses"].tolist(), state["turns"].tolist(), bool(converged))

    def _split(self, columns: Tensor) -> tuple[Tensor, ...]:
        return torch.split(columns, self.n_outputs, dim=1)

    def _products(self, first: Tensor, second: Tensor) -> Tensor:
        """YᵀZ, member by member."""
        width = first.shape[1] // len(self.network.members)
        pairs = zip(torch.split(first, width, dim=1), torch.split(second, width, dim=1), strict=True)
        return torch.stack([y.T @ z for y, z in pairs])

    def _averaged(self, **sums: Tensor) -> list[Tensor]:
        """Running averages, corrected for their start at zero."""
        self.n_averaged += 1
        for name, value in sums.items():
            old = self.average.get(name, torch.zeros_like(value))
            self.average[name] = DECAY * old + (1 - DECAY) * value
        return [self.average[name] / (1 - DECAY**self.n_averaged) for name in sums]

    def _add_gradients(self) -> None:
        if self.processes.size == 1:
            return
        parameters = [parameter for parameter in self.network.parameters() if parameter.grad is not None]
        sums = self.processes.sum([parameter.grad for parameter in parameters if parameter.grad is not None])
        for parameter, total in zip(parameters, sums, strict=True):
            parameter.grad = total.clone()


def _check_memory(network: Ensemble, n_nodes: int, n_outputs: int) -> None:
    """Refuse to train on all nodes at once where their hidden units do not fit."""
    widths = sum(parameter.shape[0] for parameter in network.parameters() if parameter.ndim == 2)
    what = f"training on all of {n_nodes:,} nodes at once"
    check_memory(PER_UNIT * n_nodes * (widths + n_outputs), what, "pass ", Argument("training.batch_size", 4096))


def _why_not_finite(loss: float, step: int, learning_rate: float) -> str:
    if step == 1:
        return f"the loss is {loss} before training: the features or the edge weights are too large; divide them first"
    return f"training diverged: the loss is {loss} at step {step}; lower learning_rate (now {learning_rate:g})"
