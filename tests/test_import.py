"""Importing the package loads nothing; its public names are the ones we promise."""

import subprocess
import sys

import pytest

import orthonet


def test_import_loads_neither_torch_nor_numpy_nor_anything_of_ours():
    code = (
        "import sys, orthonet; "
        "heavy = {'torch', 'numpy', 'scipy', 'sklearn'} & set(sys.modules); "
        "ours = [name for name in sys.modules if name.startswith('orthonet.')]; "
        "sys.exit(f'{heavy} {ours}' if heavy or ours else 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_graphs_and_means_do_not_need_torch():
    code = "import sys; from orthonet import MultilayerGraph, aggregate, metrics; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize("name", ["OrthoNet", "MultilayerGraph", "aggregate", "datasets", "metrics", "baselines"])
def test_public_names(name):
    assert name in dir(orthonet)
    assert getattr(orthonet, name) is not None


def test_unknown_name():
    with pytest.raises(AttributeError, match="no attribute 'Orthonet'"):
        _ = orthonet.Orthonet
