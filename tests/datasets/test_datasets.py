"""Generated and bundled data, what a loader says when its file is not there, and Mfeat from a server that plays OpenML."""

import hashlib
import json
import re
import threading
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest
from scipy.io import savemat

from orthonet import datasets
from orthonet.datasets.bbcsport import load_bbcsport
from orthonet.datasets.mfeat import OPENML
from orthonet.datasets.three_sources import load_3sources

LOADERS = {
    "mfeat/Mfeat.mat": datasets.load_mfeat,
    "leaves100/100leaves.mat": datasets.load_leaves100,
    "text/3sources.mat": load_3sources,
    "text/BBCSport.mat": load_bbcsport,
}


@pytest.fixture
def empty_machine(tmp_path, monkeypatch):
    """No data home, and an empty cache."""
    monkeypatch.delenv("ORTHONET_DATA_HOME", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "user"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def test_gaussians_have_the_asked_for_shape_and_are_reproducible():
    make = datasets.make_multilayer_gaussians
    first, same, other = (make(120, 3, 4, 2, random_state=seed) for seed in (0, 0, 1))
    assert (first.graph.n_nodes, first.graph.n_layers, first.n_clusters) == (120, 3, 4)
    assert np.bincount(first.labels).tolist() == [30, 30, 30, 30]
    np.testing.assert_array_equal(first.graph.features, same.graph.features)
    assert not np.array_equal(first.graph.features, other.graph.features)


def test_separation_pulls_the_components_apart():
    def spread(separation):
        data = datasets.make_multilayer_gaussians(400, 2, 3, 2, separation=separation, random_state=0)
        means = np.array([data.graph.features[data.labels == k].mean(axis=0) for k in range(3)])
        return means.std(axis=0).mean()

    assert spread(8.0) > 3 * spread(1.0)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n_nodes": 3}, "n_nodes must be an integer >= 5, got 3"),
        ({"n_layers": 0}, "n_layers"),
        ({"n_dims": 0}, "n_dims"),
    ],
)
def test_bad_arguments_are_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        datasets.make_multilayer_gaussians(**arguments)


def test_digits_are_halves_of_images():
    data = datasets.load_digits(200)
    assert data.graph.layer_names == ("top", "bottom", "left", "right")
    assert (data.graph.n_nodes, data.n_clusters) == (200, 10)
    assert data.graph.features.shape == (200, 52)
    np.testing.assert_array_equal(data.graph.features, datasets.load_digits(300).graph.features[:200])
    with pytest.raises(ValueError, match="n_nodes must be an integer >= 2 and <= 1797, got 5000"):
        datasets.load_digits(5000)


@pytest.mark.parametrize("data", [datasets.make_multilayer_gaussians(50, random_state=0), datasets.load_digits(50)])
def test_every_set_says_what_it_is(data):
    assert len(data.labels) == data.graph.n_nodes
    assert all([data.name, data.source, data.license, data.description])
    assert data.name in repr(data)


@pytest.mark.parametrize("load", LOADERS.values())
def test_a_missing_file_is_asked_for(load, tmp_path, empty_machine):
    with pytest.raises(
        FileNotFoundError, match=r"not part of the package: get .*\.mat.*ORTHONET_DATA_HOME.*download=True"
    ):
        load(download=False)
    with pytest.raises(
        FileNotFoundError, match=r"there is no file .*\.mat: get .* and put it there; or pass download=True"
    ):
        load(tmp_path, download=False)


@pytest.mark.parametrize(("file", "load"), LOADERS.items())
@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", r"\.mat is empty \(0 bytes\)"),
        (b"MATLAB 5.0 MAT-file, cut off here", r"\.mat is not a multi-view file"),
    ],
)
def test_a_damaged_file_is_named(file, load, content, message, tmp_path):
    (tmp_path / file).parent.mkdir()
    (tmp_path / file).write_bytes(content)
    with pytest.raises(ValueError, match=message):
        load(tmp_path)


def test_a_file_without_labels_is_no_data_set(tmp_path, rng):
    (tmp_path / "leaves100").mkdir()
    savemat(tmp_path / "leaves100/100leaves.mat", {f"X{index}": rng.random((20, 4 + index)) for index in range(3)})
    with pytest.raises(ValueError, match="has no labels under any usual name"):
        datasets.load_leaves100(tmp_path)


N_NODES = 40


def mfeat_groups():
    """Forty nodes with the six groups of Mfeat, drawn; pixels are whole numbers from 0 to 6."""
    rng = np.random.default_rng(0)
    groups = {name: np.round(rng.normal(size=(N_NODES, m)), 4) for name, (_, m) in OPENML.items()}
    groups["pixel averages"] = rng.integers(0, 7, (N_NODES, 240)).astype(float)
    return groups, np.arange(N_NODES) // 4


class OpenML(BaseHTTPRequestHandler):
    """OpenML's pages, as far as scikit-learn asks for them; its pixel averages are names, and its digits begin at 0."""

    def do_GET(self):
        self.server.visits.append(self.path)
        number = int(re.search(r"([0-9]+)(\.arff)?$", self.path)[1])
        name = next(name for name, (known, _) in OPENML.items() if known == number)
        groups, digits = mfeat_groups()
        content = self._arff(groups[name], digits, number)
        columns = [f"att{index}" for index in range(groups[name].shape[1])]
        if self.path.endswith(".arff"):
            answer = content.encode()
        elif "/features/" in self.path:
            kind = "nominal" if number == 20 else "numeric"
            features = [self._feature(index, column, kind) for index, column in enumerate(columns)]
            features.append(self._feature(len(columns), "class", "nominal"))
            answer = json.dumps({"data_features": {"feature": features}}).encode()
        elif "/qualities/" in self.path:
            answer = json.dumps(
                {"data_qualities": {"quality": [{"name": "NumberOfInstances", "value": str(N_NODES)}]}}
            ).encode()
        else:
            known = hashlib.md5(content.encode(), usedforsecurity=False).hexdigest()
            description = {"id": str(number), "name": name, "version": "1", "format": "ARFF", "status": "active"}
            description |= {"description": name, "file_id": str(number), "md5_checksum": self.server.checksum or known}
            description["url"] = f"https://www.openml.org/data/v1/download/{number}.arff"
            answer = json.dumps({"data_set_description": description}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def _arff(self, view, digits, number):
        pixels = number == 20
        order = self.server.order if pixels else np.arange(N_NODES)
        # The values are listed backwards, so that a place in the list is not the value.
        kind = "{6,5,4,3,2,1,0}" if pixels else "REAL"
        lines = ["@RELATION mfeat", *(f"@ATTRIBUTE att{index} {kind}" for index in range(view.shape[1]))]
        lines += ["@ATTRIBUTE class {" + ",".join(map(str, range(11))) + "}", "@DATA"]
        for row, digit in zip(view[order], digits[order], strict=True):
            values = [f"{value:g}" if pixels else repr(float(value)) for value in row]
            lines.append(",".join([*values, str(digit if pixels else digit + 1)]))
        return "\n".join(lines) + "\n"

    def _feature(self, index, name, kind):
        shown = {"index": str(index), "name": name, "data_type": kind, "number_of_missing_values": "0"}
        return shown | {"is_target": str(name == "class").lower(), "is_ignore": "false", "is_row_identifier": "false"}

    def log_message(self, *_):
        pass


class ToLoopback(urllib.request.HTTPSHandler):
    """Sends what is meant for OpenML to a server on this machine, and refuses everything else."""

    def __init__(self, port):
        super().__init__()
        self.port = port

    def https_open(self, request):
        assert request.host == "www.openml.org"
        there = urllib.request.Request(f"http://127.0.0.1:{self.port}{request.selector}", headers=dict(request.headers))
        return urllib.request.build_opener(urllib.request.ProxyHandler({})).open(there)


@pytest.fixture
def openml(empty_machine):
    with ThreadingHTTPServer(("127.0.0.1", 0), OpenML) as server:
        server.visits, server.checksum, server.order = [], None, np.arange(N_NODES)
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), ToLoopback(server.server_address[1]))
        urllib.request.install_opener(opener)
        yield server
        urllib.request.install_opener(None)
        server.shutdown()
        thread.join()


def test_mfeat_comes_from_openml_once(openml, tmp_path):
    data = datasets.load_mfeat(tmp_path)
    groups, digits = mfeat_groups()
    assert data.graph.layer_names == tuple(groups)
    for ours, sent in zip(data.views, groups.values(), strict=True):
        np.testing.assert_array_equal(ours, sent)
    np.testing.assert_array_equal(data.labels, digits + 1)
    assert "OpenML" in data.source
    n_visits = len(openml.visits)
    again = datasets.load_mfeat(tmp_path)
    np.testing.assert_array_equal(again.graph.features, data.graph.features)
    assert len(openml.visits) == n_visits


def test_mfeat_from_openml_is_kept_in_the_cache_without_a_home(openml, tmp_path):
    pytest.importorskip("pooch", reason="names the cache folder: pip install 'orthonet[data]'")
    datasets.load_mfeat()
    assert len(list(tmp_path.rglob("orthonet/**/*.arff.gz"))) == 6


@pytest.mark.filterwarnings("ignore:.*redownloading")
def test_a_wrong_checksum_of_openml_is_reported(openml, tmp_path):
    openml.checksum = "0" * 32
    with pytest.raises(
        ValueError, match=r"'profile correlations' of Mfeat .*openml\.org/d/12.*md5.*put it at mfeat/Mfeat\.mat"
    ):
        datasets.load_mfeat(tmp_path)


def test_groups_in_another_order_are_refused(openml, tmp_path):
    openml.order = np.roll(np.arange(N_NODES), 1)
    with pytest.raises(ValueError, match=r"openml\.org/d/20 is not the group 'pixel averages' of Mfeat"):
        datasets.load_mfeat(tmp_path)


@pytest.mark.filterwarnings("ignore:A network error occurred")
def test_no_openml_says_what_to_get_instead(openml, tmp_path):
    with ThreadingHTTPServer(("127.0.0.1", 0), OpenML) as closed:
        port = closed.server_address[1]
    urllib.request.install_opener(urllib.request.build_opener(urllib.request.ProxyHandler({}), ToLoopback(port)))
    with pytest.raises(
        ConnectionError, match=r"could not be had from OpenML .*refused.*get Mfeat\.mat.*put it at mfeat/Mfeat\.mat"
    ):
        datasets.load_mfeat(tmp_path)
