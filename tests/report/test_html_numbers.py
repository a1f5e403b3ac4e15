"""The numbers on the page about layers are those of networkx."""

import re

import numpy as np
import pytest

from orthonet.report import page


@pytest.fixture(scope="module")
def layer_cells(page_text):
    """The cells of the tables of layers, by the name of the layer: what it is, then how it agrees with the clusters."""
    captions = ("Layers", "Agreement of each layer with the clusters")
    tables = [page_text.split(f"<caption>{caption}</caption>")[1].split("</table>")[0] for caption in captions]
    rows = [row for one in tables for row in re.findall(r'<tr><th scope="row">(cloud \d)</th>(.*?)</tr>', one)]
    return [(name, re.findall(r"<td[^>]*>(.*?)</td>", row)) for name, row in rows]


@pytest.fixture(params=range(3))
def place(request):
    return request.param


@pytest.fixture
def as_networkx(clouds, place):
    networkx = pytest.importorskip("networkx")
    return networkx.from_scipy_sparse_array(clouds.graph.layers[place])


@pytest.fixture
def clusters(model):
    return [set(np.flatnonzero(model.labels_ == one).tolist()) for one in range(3)]


def test_the_counts_of_a_layer_are_those_of_networkx(clouds, layer_cells, place, as_networkx):
    networkx = pytest.importorskip("networkx")
    name, (nodes, missing, edges, density, components, isolated, _) = layer_cells[place]
    assert name == clouds.graph.layer_names[place]
    assert (nodes, missing) == ("150", "0")
    assert int(edges.replace(",", "")) == as_networkx.number_of_edges()
    assert density == page.percent(networkx.density(as_networkx))
    assert int(components) == networkx.number_connected_components(as_networkx)
    assert int(isolated) == networkx.number_of_isolates(as_networkx)


def test_the_modularity_of_a_layer_is_that_of_networkx(clouds, layer_cells, place, as_networkx, clusters):
    networkx = pytest.importorskip("networkx")
    name, (modularity, within, *_) = layer_cells[clouds.graph.n_layers + place]
    assert name == clouds.graph.layer_names[place]
    assert float(modularity) == pytest.approx(networkx.community.modularity(as_networkx, clusters), abs=5e-4)
    weight = sum(weight for _, _, weight in as_networkx.edges(data="weight"))
    inside = sum(as_networkx.subgraph(cluster).size("weight") for cluster in clusters)
    assert within == page.percent(inside / weight)


def test_the_share_of_joined_pairs_is_that_of_networkx(clouds, layer_cells, place, as_networkx, clusters):
    _, (_, _, _, joined_within, joined_between) = layer_cells[clouds.graph.n_layers + place]
    n_inside = sum(as_networkx.subgraph(cluster).number_of_edges() for cluster in clusters)
    pairs = sum(len(cluster) * (len(cluster) - 1) // 2 for cluster in clusters)
    assert joined_within == page.percent(n_inside / pairs)
    assert joined_between == page.percent((as_networkx.number_of_edges() - n_inside) / (150 * 149 // 2 - pairs))


def test_the_densities_of_blocks_are_those_of_networkx(figures, place, as_networkx, clusters):
    networkx = pytest.importorskip("networkx")
    densities = figures[f"density-{place}"]["values"]
    assert densities[0][0] == pytest.approx(networkx.density(as_networkx.subgraph(clusters[0])))
    crossing = networkx.cut_size(as_networkx, clusters[0], clusters[1], weight=None)
    assert densities[0][1] == pytest.approx(crossing / len(clusters[0]) / len(clusters[1]))
