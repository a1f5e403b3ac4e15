"""Importing the package loads nothing; its public names are the ones we promise."""

import subprocess
import sys

import pytest

import orthonet
from orthonet import baselines
from orthonet.graph import convert


def test_import_loads_neither_torch_nor_numpy_nor_anything_of_ours():
    code = (
        "import sys, orthonet; "
        "heavy = {'torch', 'numpy', 'scipy', 'sklearn'} & set(sys.modules); "
        "ours = [name for name in sys.modules if name.startswith('orthonet.')]; "
        "sys.exit(f'{heavy} {ours}' if heavy or ours else 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


NEED_TORCH = {"OrthoNet"}


@pytest.mark.parametrize(
    ("module", "names"),
    [
        ("orthonet", sorted(set(orthonet.__all__) - NEED_TORCH)),
        ("orthonet.baselines", sorted(set(baselines.__all__) - {"SpectralNet"})),
        ("orthonet.comparison.methods", ["METHODS"]),
    ],
)
def test_names_that_do_not_train_load_no_torch(module, names):
    code = (
        f"import importlib, sys\n"
        f"for name in {names}:\n"
        f"    getattr(importlib.import_module({module!r}), name)\n"
        "    if 'torch' in sys.modules: sys.exit(f'{name} loads torch')"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("module", [orthonet, baselines, convert])
def test_every_promised_name_is_there_and_listed(module):
    for name in module.__all__:
        assert name in dir(module)
        assert getattr(module, name) is not None


@pytest.mark.parametrize(
    "name",
    [
        *("OrthoNet", "MultilayerGraph", "aggregate", "datasets", "metrics", "baselines"),
        *("read_network", "write_network", "read_views", "write_report"),
        *(name for name in convert.__all__ if name.islower()),
    ],
)
def test_public_names(name):
    assert name in orthonet.__all__
    assert name in dir(orthonet)
    assert getattr(orthonet, name) is not None


def test_unknown_name():
    with pytest.raises(AttributeError, match="no attribute 'Orthonet'"):
        _ = orthonet.Orthonet
    with pytest.raises(AttributeError, match="no attribute 'Kmeans'"):
        _ = baselines.Kmeans
