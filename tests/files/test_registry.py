"""One registry of formats: what is read is written, under the same names."""

import numpy as np
import pytest

from orthonet import MultilayerGraph
from orthonet.files import read_network, registry, write_network
from orthonet.files.registry import FORMATS, Format, format_by_suffix, format_of
from orthonet.files.source import Source
from orthonet.support.optional import is_installed

SUFFIXES = [(suffix, name) for name, one in FORMATS.items() for suffix in one.suffixes]


@pytest.mark.parametrize(("suffix", "name"), SUFFIXES)
def test_a_suffix_is_the_same_format_for_reading_and_for_writing(tmp_path, suffix, name):
    if name == "parquet" and not is_installed("polars"):
        pytest.skip("needs polars")
    graph = MultilayerGraph([np.ones((3, 3))], layer_names=["net"])
    (file, *_) = write_network(graph, tmp_path / f"net{suffix}")
    assert format_of(Source.of(file)) == format_by_suffix(suffix) == name
    assert read_network(file).graph().n_nodes == 3


def test_every_format_can_be_written():
    assert all(one.write is not None for one in FORMATS.values())


def test_no_suffix_belongs_to_two_formats():
    suffixes = [suffix for suffix, _ in SUFFIXES]
    assert len(set(suffixes)) == len(suffixes)


@pytest.mark.parametrize(
    ("content", "name", "wanted"),
    [
        ("%%MatrixMarket matrix coordinate real general\n2 2 1\n1 2 1\n", "x.txt", "matrix-market"),
        ("  <graphml/>", "x.csv", "graphml"),
        ("<?xml version='1.0'?>\n<!-- <graphml> --><gexf:gexf/>", "x.xml", "gexf"),
        ("\ufeff*Vertices 2\n*Edges\n1 2\n", "x", "pajek"),
        ("% a comment\n*Vertices 2\n*Intra\n1 1 2\n", "x.net", "infomap"),
        ("#EDGES\na,b,c\n", "x.txt", "mpx"),
        ("-- a comment\n# actors\na\n#EDGES\na,b,c\n", "x", "mpx"),
        ("a,b\n", "x", "csv"),
        ("a,b\n", "x.tsv", "tsv"),
    ],
)
def test_content_decides_before_the_name(write, content, name, wanted):
    assert format_of(Source.of(write(content, name))) == wanted


def test_a_matlab_file_is_not_a_network(write):
    with pytest.raises(ValueError, match=r"set\.mat: views in Matlab files are read by orthonet\.read_views"):
        read_network(write("x", "set.mat"))


def test_another_package_can_add_a_format(write, monkeypatch):
    monkeypatch.setitem(FORMATS, "mat", Format(registry.edge_table.read_edge_table, suffixes=(".mat",)))
    assert read_network(write("a,b\n", "set.mat")).node_ids.tolist() == ["a", "b"]


def test_a_format_without_a_writer_cannot_be_written(tmp_path, monkeypatch):
    monkeypatch.setitem(FORMATS, "mat", Format(registry.edge_table.read_edge_table, suffixes=(".mat",)))
    with pytest.raises(ValueError, match=r"format must be one of 'csv', .*, got 'mat'"):
        write_network(MultilayerGraph([np.ones((3, 3))]), tmp_path / "x.mat")
