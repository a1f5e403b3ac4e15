"""Graphs and models that several tests of the report use."""

import json
import re

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator, ClusterMixin

from orthonet import OrthoNet
from orthonet.report import html


class Found(ClusterMixin, BaseEstimator):
    """An estimator that has the attributes it is given, and nothing else."""

    def __init__(self, n_clusters=8):
        self.n_clusters = n_clusters

    def fit(self, X):
        return self


@pytest.fixture(scope="session")
def model_with():
    """Return a model with these labels, and with other attributes such as ``embedding``."""

    def model_with(labels, n_clusters=None, **attributes):
        model = Found(int(np.max(labels)) + 1 if n_clusters is None else n_clusters)
        model.labels_ = np.asarray(labels)
        for name, value in attributes.items():
            setattr(model, f"{name}_", value)
        return model

    return model_with


@pytest.fixture(scope="session")
def ring():
    """Return a layer in which each node has two neighbours."""

    def ring(n_nodes):
        start = np.arange(n_nodes)
        end = (start + 1) % n_nodes
        return csr_array((np.ones(2 * n_nodes), (np.r_[start, end], np.r_[end, start])), shape=(n_nodes, n_nodes))

    return ring


@pytest.fixture(scope="session")
def model(clouds):
    return OrthoNet(3, random_state=0, verbose=False, training={"max_iter": 40}).fit(clouds.graph)


@pytest.fixture(scope="session")
def page_text(clouds, model):
    return html.report_page(clouds.graph, model).decode()


@pytest.fixture(scope="session")
def figures(page_text):
    """The data of the figures on the page, by their names."""
    return json.loads(re.search(r'id="report-data">(.*?)</script>', page_text, re.DOTALL)[1])["figures"]
