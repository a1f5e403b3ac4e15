"""Data that several tests share; the real data sets are looked for where ORTHONET_DATA_HOME says."""

from __future__ import annotations

import os

# Threads that wait for work sleep: tests with more threads than free cores would spend most of their time spinning. OpenMP and
# OpenBLAS (2^4 ticks instead of 2^26) read this when they are loaded, in processes that tests start as well.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")
os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", "4")

import signal
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from orthonet import datasets
from orthonet.datasets import Dataset


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(0)


@pytest.fixture(scope="session")
def clouds() -> Dataset:
    """A small easy set: 150 nodes, 3 layers, 3 clusters."""
    return datasets.make_multilayer_gaussians(150, 3, 3, 2, separation=4.0, n_neighbors=10, random_state=1)


@pytest.fixture
def interruptible() -> Iterator[None]:
    """Let Ctrl-C interrupt this process and those it starts, even if the tests were started as a background job.

    A shell starts such jobs with SIGINT ignored, which Python and every process that it starts then keep.
    """
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture(scope="session")
def data_home() -> Path:
    home = os.environ.get("ORTHONET_DATA_HOME")
    if home is None:
        pytest.skip("needs the real data sets: set ORTHONET_DATA_HOME to their folder")
    return Path(home)
