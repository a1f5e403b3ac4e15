"""Devices, precision and threads."""

import numpy as np
import pytest
import torch

from orthonet import OrthoNet
from orthonet.embedding.devices import choose_device, choose_dtype, sum_dtype, threads

no_cuda = pytest.mark.skipif(torch.cuda.is_available(), reason="there is a CUDA GPU")
no_mps = pytest.mark.skipif(torch.backends.mps.is_available(), reason="there is an Apple GPU")


def quick(**training):
    training = {"n_networks": 1, "max_iter": 10} | training
    return OrthoNet(3, network={"hidden_layers": (20, 10)}, training=training, random_state=0)


@no_cuda
def test_auto_is_the_cpu_where_there_is_no_cuda():
    assert choose_device("auto") == torch.device("cpu")


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA GPU")
@pytest.mark.parametrize("batch_size", [None, 50])
def test_cuda_gives_what_the_cpu_gives(clouds, batch_size):
    assert choose_device("auto").type == "cuda"
    model = quick(device="cuda", batch_size=batch_size).fit(clouds.graph)
    on_cpu = quick(device="cpu", batch_size=batch_size).fit(clouds.graph)
    np.testing.assert_allclose(model.history_["loss"], on_cpu.history_["loss"], rtol=1e-3)
    np.testing.assert_array_equal(model.labels_, on_cpu.labels_)


@pytest.mark.parametrize("device", ["cpu", torch.device("cpu")])
def test_a_device_by_name_or_as_torch_has_it(device):
    assert choose_device(device) == torch.device("cpu")


@pytest.mark.parametrize(
    ("device", "message"),
    [
        ("gpu", "device must be 'auto', 'cpu', 'cuda', .*got 'gpu'"),
        (3.5, "device must be 'auto', 'cpu', 'cuda', .*got 3.5"),
        ("meta", "device must be one of 'cpu', 'cuda', 'mps', got 'meta'"),
        pytest.param("cuda", "device='cuda', but this machine has no such device; pass .*device='auto'", marks=no_cuda),
        ("cuda:99", "device='cuda:99', but this machine has no such device"),
        pytest.param("mps", "device='mps', but this machine has no such device", marks=no_mps),
    ],
)
def test_a_device_that_is_not_there_is_named(clouds, device, message):
    with pytest.raises(ValueError, match=message):
        choose_device(device)
    with pytest.raises(ValueError, match=message):
        quick(device=device).fit(clouds.graph)


def test_types_of_numbers():
    cpu, apple = torch.device("cpu"), torch.device("mps")
    assert choose_dtype("float32", cpu) == torch.float32
    assert choose_dtype("float64", cpu) == torch.float64
    assert (sum_dtype(cpu), sum_dtype(apple)) == (torch.float64, torch.float32)
    with pytest.raises(ValueError, match="dtype='float64' does not exist on device 'mps'"):
        choose_dtype("float64", apple)
    with pytest.raises(ValueError, match="dtype must be one of 'float32', 'float64', got 'float16'"):
        choose_dtype("float16", cpu)


def test_float64_trains_in_float64():
    seen = []

    class Watching(torch.nn.Linear):
        def forward(self, features):
            seen.append((features.dtype, self.weight.dtype, self.training))
            return super().forward(features)

    features = np.random.default_rng(0).normal(size=(60, 4)) + 8 * (np.arange(60) % 3 == np.arange(4)[:, None]).T
    for dtype in ("float32", "float64"):
        seen.clear()
        OrthoNet(3, network=Watching(4, 3), random_state=0, training={"dtype": dtype, "max_iter": 3}).fit(features)
        wanted = getattr(torch, dtype)
        assert {(given, own) for given, own, training in seen if training} == {(wanted, wanted)}


def test_float64_follows_float32_at_first_and_finds_the_same(clouds):
    single, double = (quick(dtype=dtype).fit(clouds.graph) for dtype in ("float32", "float64"))
    np.testing.assert_allclose(single.history_["loss"], double.history_["loss"], rtol=1e-3)
    assert not np.array_equal(single.history_["loss"], double.history_["loss"])
    np.testing.assert_array_equal(single.labels_, double.labels_)


@pytest.mark.parametrize(("n_jobs", "inside"), [(None, None), (1, 1), (3, 3), (-1, torch.multiprocessing.cpu_count())])
def test_threads_are_set_and_given_back(n_jobs, inside):
    before = torch.get_num_threads()
    with pytest.raises(ZeroDivisionError), threads(n_jobs, n_nodes=10**6):
        assert torch.get_num_threads() == (inside or before)
        _ = 1 / 0
    assert torch.get_num_threads() == before


def test_a_fit_gives_its_threads_back_also_when_it_fails(clouds):
    before = torch.get_num_threads()
    np.testing.assert_array_equal(quick(n_jobs=3).fit(clouds.graph).labels_, quick().fit(clouds.graph).labels_)
    assert torch.get_num_threads() == before
    with pytest.raises(FloatingPointError):
        quick(n_jobs=3, learning_rate=1e30).fit(clouds.graph)
    assert torch.get_num_threads() == before


@pytest.mark.parametrize(("n_jobs", "error"), [(0, ValueError), (-2, ValueError), (1.5, TypeError)])
def test_a_number_of_threads_that_makes_no_sense(clouds, n_jobs, error):
    with pytest.raises(error, match="n_jobs must be an integer >= 1, got"):
        quick(n_jobs=n_jobs).fit(clouds.graph)
