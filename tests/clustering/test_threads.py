"""The same seed gives the same labels on any number of threads."""

import numpy as np
import pytest
import torch

from orthonet import OrthoNet, datasets
from orthonet.embedding import devices

SETTINGS = {
    "evidence": {},
    "the paper's way": {"assign_labels": "kmeans", "layer_weights": None},
}


@pytest.mark.slow
@pytest.mark.parametrize("setting", SETTINGS)
def test_the_same_labels_on_any_number_of_threads(setting, monkeypatch):
    graph = datasets.make_multilayer_gaussians(200, 2, 3, 2, separation=1.0, n_neighbors=8, random_state=1).graph
    used, set_threads = [], torch.set_num_threads
    monkeypatch.setattr(devices.torch, "set_num_threads", lambda n: (used.append(n), set_threads(n))[1])
    found = []
    for n_jobs in (1, 2):
        training = {"n_jobs": n_jobs, "max_iter": 5, "n_networks": 1}
        model = OrthoNet(3, random_state=0, network={"hidden_layers": (30,)}, training=training, **SETTINGS[setting])
        found.append(model.fit(graph))
    assert {1, 2} <= set(used)
    for other in found[1:]:
        np.testing.assert_array_equal(other.labels_, found[0].labels_)
        np.testing.assert_allclose(other.embedding_, found[0].embedding_, atol=1e-4)
